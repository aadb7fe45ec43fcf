#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include <sys/types.h>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/url.hpp"
#include "io/clock.hpp"

namespace tokenjoule {

/// What an emitter sends, once so many requests have come. Times count from its first event.
struct EmitterPlan {
  int streams = 1000;
  double rate = 20;   ///< events per second of each stream; 0: as fast as sockets take them
  Seconds lead{0.5};  ///< then the window begins
  Seconds window{5};  ///< behind it come 0.2 s more
  bool stamp_in_text = false;  ///< send times stand in the texts too
  std::optional<int> cpu;  ///< to run on, alone: it waits by spinning. Absent: it sleeps instead

  /// Events of each stream, where they are paced.
  std::int64_t events() const;
};

/// What the emitter says of itself, in memory shared with it. Of the window only: late, run-queue
/// wait.
struct EmitterCounts {
  std::atomic<std::int64_t> begin_ns{0};  ///< CLOCK_MONOTONIC when events begin; 0: not yet
  std::atomic<std::int64_t> events{0};    ///< sent so far
  std::atomic<std::int64_t> late{0};      ///< sent more than 1 ms after they were due
  std::atomic<std::int64_t> cut_off{
      0};  ///< streams ended since a socket did not take a paced event
  std::atomic<std::int64_t> run_queue_wait_ns{0};
  /// Of paced streams that ended whole: how many, and the sum of (last - first send) / (events -
  /// 1).
  std::atomic<std::int64_t> whole_streams{0};
  std::atomic<std::int64_t> tpot_sum_ns{0};
};

/// A completions server in a process of its own, for one round: it takes connections until all
/// streams have asked, then answers each with a stream of EmittedEvents at a phase of its own, one
/// send() an event (unpaced: 32), then finish reason, usage and [DONE], and closes.
class Emitter {
 public:
  /// Listens on a free port of the loopback address.
  static Result<std::unique_ptr<Emitter>> start(const EmitterPlan& plan);
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  ~Emitter();

  Url root() const;
  const EmitterCounts& counts() const { return *counts_; }
  /// The window on that clock, once events have begun.
  std::optional<TimeSpan> window(const SystemClock& clock) const;

 private:
  explicit Emitter(const EmitterPlan& plan, EmitterCounts* counts) : plan_(plan), counts_(counts) {}

  EmitterPlan plan_;
  EmitterCounts* counts_;  ///< a shared mapping
  std::uint16_t port_ = 0;
  pid_t child_ = -1;
};

/// What the emitter's process does; never returns.
/// @param listener a listening socket that does not block.
[[noreturn]] void run_emitter(const EmitterPlan& plan, int listener, EmitterCounts& counts);

}  // namespace tokenjoule
