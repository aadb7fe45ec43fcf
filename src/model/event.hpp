#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "model/engine.hpp"
#include "model/signal.hpp"
#include "model/token_times.hpp"

namespace tokenjoule {

/// A value as read from a signal, before any conversion.
struct Reading {
  std::uint32_t signal = 0;
  double raw = 0;
};

/// One poll of one sensor: everything it read between just before and just after.
struct Sample {
  TimeSpan read;
  std::vector<Reading> readings;
};

enum class Outcome { completed, failed, cancelled };
std::string_view name_of(Outcome outcome);
std::optional<Outcome> outcome_named(std::string_view name);

/// One request, from its planned send time to its end. Absent stamps did not happen.
struct RequestRecord {
  std::uint64_t id = 0;
  bool warmup = false;                  ///< sent in the warm-up phase
  MonoTime planned;                     ///< closed loop: when its stream became free
  std::optional<MonoTime> stream_free;  ///< open loop: from then on a stream was free for it
  /// From here on it waited for a new connection; absent: it went out over one that was open.
  std::optional<MonoTime> connecting;
  MonoTime sent;  ///< first byte handed to the kernel
  Outcome outcome = Outcome::completed;
  std::string
      failure;  ///< class, then ": " and what was said: "rate_limited: http 429: …", "reset"
  int http_status = 0;  ///< 0: no answer
  std::string model;    ///< that it asked for, where a run asks for several; "": the run's
  std::int64_t input_tokens_asked = 0;
  std::int64_t output_tokens_asked = 0;
  std::optional<std::int64_t> prompt_tokens;  ///< usage.prompt_tokens
  std::optional<std::int64_t> output_tokens;  ///< usage.completion_tokens
  std::optional<std::int64_t> cached_tokens;  ///< usage.prompt_tokens_details.cached_tokens
  std::optional<std::int64_t>
      reasoning_tokens;  ///< usage.completion_tokens_details.reasoning_tokens
  std::string finish_reason;
  std::optional<MonoTime> first_body;     ///< first byte of the answer's body
  std::optional<MonoTime> first_choices;  ///< first event with choices (a role-only one counts)
  std::optional<MonoTime> first_visible;  ///< first content that is not reasoning
  std::optional<MonoTime> finish;         ///< event with a finish reason
  std::optional<MonoTime> usage;          ///< event with the last usage
  std::optional<MonoTime> done;           ///< "[DONE]"
  std::optional<MonoTime> end;            ///< end of the body, or the failure
  TokenTimes token_times;                 ///< first and last token are in it
  std::int64_t token_events = 0;          ///< pieces in token_times
  bool reused_connection = false;
  int retries = 0;                     ///< repeated because no byte was exchanged
  std::optional<Seconds> retry_after;  ///< what the server that refused it asked to wait
};

enum class Phase { idle, warmup, measure, cooldown, drain, end };
std::string_view name_of(Phase phase);
std::optional<Phase> phase_named(std::string_view name);

/// From here on the run is in this phase.
struct Mark {
  MonoTime at;
  Phase phase = Phase::idle;
};

/// Something worth keeping that is no phase: "SIGINT", "second connection refused".
struct Note {
  MonoTime at;
  std::string text;
};

/// Steady and wall clock read together: wall lies between two steady reads.
struct ClockAnchor {
  TimeSpan steady;
  WallTime wall;
};

/// What was dropped or missed, so that nothing goes silently.
struct Loss {
  TimeSpan span;
  /// "poll", "reading", "scrape", "event", "request_record", "sensor", "arrival" (a request that
  /// was planned and never sent)
  std::string what;
  std::string source;  ///< "dcgm", "engine", "queue"
  std::int64_t count = 1;
  std::string reason;
};

/// Counts by time: how many took [2^i, 2^(i+1)) microseconds; [0] holds all below 2.
using TimeHistogram = std::array<std::int64_t, 32>;

/// What one load thread used over a span of time.
struct LoadThreadState {
  Seconds cpu;
  std::optional<Seconds> run_queue_wait;  ///< absent: the kernel does not keep it
};

/// The load client's own state over a span of time (about a second).
struct ClientState {
  TimeSpan span;
  std::string stamps = "kernel";  ///< kernel or user: whose receive stamps were used
  std::int64_t reads = 0;
  std::int64_t reads_late = 0;            ///< lag above 5 ms
  std::int64_t reads_coalesced = 0;       ///< several events in a read while lagging
  TimeHistogram lag_histogram{};          ///< own stamp - kernel stamp, of reads
  TimeHistogram loop_histogram{};         ///< from one wait for sockets to the next, of turns
  Seconds cpu;                            ///< CPU time of the load threads
  std::optional<Seconds> run_queue_wait;  ///< time they waited for a CPU; absent: not kept
  Seconds queue_full;                     ///< time they could not read since the decoder was behind
  std::int64_t in_flight = 0;             ///< requests at the end of the span
  std::int64_t connections_opened = 0;
  std::vector<LoadThreadState> threads;             ///< the same, of each load thread
  std::optional<std::int64_t> connections_open;     ///< at the end of the span
  std::optional<std::int64_t> descriptors_open;     ///< of the whole program, likewise
  std::optional<std::int64_t> descriptors_allowed;  ///< absent: no limit, or it is not known
  std::optional<std::int64_t> local_ports;          ///< of the kernel's range for connections
};

/// Line 1 of a run file.
struct RunHeader {
  int schema = 1;
  std::string tool_version;
  std::string run_id;  ///< random UUID
  WallTime started;
  std::string configuration_json;  ///< the command line as understood, without secrets
  std::string host_json;           ///< kernel, CPU, memory, versions
  std::uint64_t seed = 1;
  std::string prompt_nonce;
};

/// Last line of a run file: how many events of each kind were written.
struct RunClose {
  MonoTime at;
  std::string reason;  ///< completed, interrupted, sensor_lost, engine_lost
  std::map<std::string, std::int64_t> counts;
};

using Event = std::variant<RunHeader, Device, Signal, EngineInfo, Sample, RequestRecord,
                           CounterScrape, Mark, Note, ClockAnchor, Loss, ClientState, RunClose>;

/// Where a source puts its events. Called from several threads; must not block or throw.
using EventSink = std::function<void(Event)>;

/// The word by which the run file names the event: "header", "device", "sample", …
std::string_view kind_of(const Event& event);

}  // namespace tokenjoule
