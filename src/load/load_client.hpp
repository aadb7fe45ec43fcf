#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/result.hpp"
#include "engines/dialect.hpp"
#include "io/clock.hpp"
#include "load/load_options.hpp"
#include "load/load_probe.hpp"
#include "load/text_prompts.hpp"
#include "record/event_queue.hpp"

namespace tokenjoule {

/// What the load did so far. Counts of requests include the warm-up.
struct LoadProgress {
  std::int64_t sent = 0;  ///< requests begun (each counts once, however often it was repeated)
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t in_flight = 0;  ///< begun and not ended on the wire
  std::int64_t events = 0;     ///< token events seen by the decoders (a few ms behind the wire)
  std::int64_t warmup_completed = 0;
  std::int64_t measured_sent = 0;  ///< sent since begin_measure, cool-down included
};

/// The streaming load client: `concurrency` streams, each of which sends its next request as soon
/// as its previous answer ended. Pushes one RequestRecord for each request that ended, a
/// ClientState about each second, and a Loss "clock_step" where the wall clock jumped; marks are
/// the caller's.
///
///   start → begin_warmup → begin_measure → … → stop_sending → wait_idle(30 s) → cancel_all →
///   wait_idle
///
/// begin_warmup may be left out. Warm-up flows into the window without a gap: begin_measure only
/// changes which prompts are sent from then on and how records are flagged. Requests sent in the
/// cool-down are measured requests too, told apart by their time.
///
/// A stream whose request failed waits before the next: 100 ms, doubled with each failure in a row
/// up to 2 s, or what Retry-After says up to 60 s; `planned` of the next request is the end of that
/// wait. Else `planned` is the receive stamp of the previous answer's last byte. `sent` is the
/// stamp just before the first byte was handed to the kernel (of a request that found no
/// connection: the start of the try).
///
/// Failures are named: refused, unreachable, reset, timeout, tls, ended_early, empty, bad_http,
/// bad_event, not_an_api, in_stream_error, or the class of a Refusal; with a colon and details
/// behind it where there are any.
///
/// All functions are for one controlling thread, progress() for any.
class LoadClient {
 public:
  /// Resolves the hosts, raises the limit on open files, sizes the words of text prompts, makes the
  /// first requests and starts the threads. Nothing is sent to the load path before begin_*.
  /// Errors: unknown host, certificates that cannot be read, file limit too low, bad header,
  /// options out of range.
  /// @param dialect must live as long as the client.
  /// @param count_tokens for prompts of words only; may be empty: then a word is taken as one
  /// token.
  /// @param probe looks over the client's shoulder; for measuring the client itself.
  static Result<std::unique_ptr<LoadClient>> start(const LoadOptions& options,
                                                   const EngineDialect& dialect, SystemClock& clock,
                                                   EventQueue& events,
                                                   const CountTokens& count_tokens = {},
                                                   const LoadProbe& probe = {});
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;
  /// Cancels what is in flight, pushes its records, ends the threads.
  ~LoadClient();

  void begin_warmup();
  /// From the returned instant on requests are measured: put it into the Mark.
  MonoTime begin_measure();
  /// No new requests; those in flight go on.
  void stop_sending();
  /// Ends all that is in flight as Outcome::cancelled (and stops sending).
  void cancel_all();
  /// Waits until nothing is in flight and every record was pushed. False: `deadline` or a stop came
  /// first.
  bool wait_idle(MonoTime deadline, const std::stop_token& stop = {});

  LoadProgress progress() const;
  /// Where num_requests is set: when the last of them was sent; nullopt until then.
  std::optional<MonoTime> last_of_num_requests_sent() const;
  /// The same: when the last of them had ended, in whatever way; a microsecond behind its end, so
  /// that its last token, which may share the stamp, lies before.
  std::optional<MonoTime> last_of_num_requests_ended() const;
  /// kernel or user: whose receive stamps are used. "" before the first answer.
  std::string_view stamps() const;

 private:
  struct Implementation;
  explicit LoadClient(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tokenjoule
