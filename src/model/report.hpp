#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "base/time.hpp"
#include "model/boundary.hpp"
#include "model/engine.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

enum class Severity { note, care, unusable };
std::string_view name_of(Severity severity);

/// One check that has something to say. Codes stand in docs/checks.md.
struct CheckFinding {
  std::string code;
  Severity severity = Severity::note;
  std::string message;
  std::string advice;
  /// The check spoils only this boundary's energy; absent: all of the run.
  std::optional<Boundary> boundary;
};

enum class VerdictStatus { usable, care, unusable };
std::string_view name_of(VerdictStatus status);

struct Verdict {
  VerdictStatus status = VerdictStatus::usable;
  std::vector<CheckFinding> reasons;  ///< worst first, then by code
};

/// One line of an uncertainty budget.
struct BoundItem {
  std::string name;       ///< "sensor gain", "counter step at the window's start"
  double half_width = 0;  ///< in the figure's own unit
  std::string distribution = "rectangular";
  bool shared = false;  ///< the same error for all devices: never averaged away
  std::string source;
};

/// A number of the result. `value` absent: unknown, with the reason.
struct Figure {
  std::optional<double> value;
  std::string unit;
  std::string reason;                      ///< why value is absent
  std::optional<double> systematic_bound;  ///< worst case, same unit
  std::vector<BoundItem> components;
  std::string interval_reason;  ///< why interval95 is null
  std::string numerator;        ///< "energy.gpu_board"
  std::string denominator;      ///< "tokens.output"
};

using Figures = std::map<std::string, Figure>;  ///< by the keys of docs/metrics.md

/// A distribution over requests or events, in seconds (or tokens/s); percentiles of type 7.
struct Summary {
  std::int64_t n = 0;
  std::optional<double> mean, p5, p50, p90, p95, p99;
  std::string unit = "s";
  std::string reason;  ///< why there is none
};

/// The power limits that a device stated at one time; absent ones cannot be read.
struct PowerLimits {
  std::optional<Watts> requested, enforced, by_default, lowest, highest;
};

/// Energy of one device over the window.
struct DeviceEnergy {
  std::string id;
  std::string name;
  std::string label;
  std::string instrument;
  std::string group;
  std::string method;            ///< counter, integrated_power, modelled
  std::optional<Joules> joules;  ///< the one used
  std::optional<Joules> counter_joules;
  std::optional<Joules> integrated_joules;
  std::optional<Joules> edge_bound;  ///< both edges together
  std::optional<Joules> gain_bound;
  std::optional<Watts> mean_power;
  std::optional<Watts> idle_power;
  std::optional<Joules> active_joules;
  std::optional<Seconds> step;           ///< of the counter, median
  std::optional<Seconds> max_gap;        ///< between reads in the window
  PowerLimits limits_before;             ///< at the window's begin
  PowerLimits limits_after;              ///< at its end
  std::optional<double> share_of_limit;  ///< mean power / limits_after.enforced
  std::optional<Seconds> throttled;
  std::optional<double> temperature_mean_c;
  std::optional<double> sm_clock_mean_mhz;
  std::optional<double> memory_clock_mean_mhz;
  std::optional<double> utilisation_mean;
  std::optional<double> memory_used_mean_bytes;
  bool simulated = false;
};

/// Something that figures leave out, and why.
struct Excluded {
  std::string what;
  std::string reason;
};

/// Energy of a boundary over the window: the sum over its chosen devices.
struct BoundaryEnergy {
  Boundary boundary = Boundary::gpu_board;
  std::string method;  ///< counter, integrated_power, modelled, mixed
  std::optional<Joules> joules;
  std::string reason;  ///< why absent
  std::optional<Joules> systematic_bound;
  std::vector<BoundItem> components;  ///< of systematic_bound, in joules
  std::optional<Joules> active_joules;
  std::optional<Joules> idle_joules;
  std::map<std::string, Joules> groups;
  std::vector<DeviceEnergy> devices;
  std::vector<Excluded> not_added;  ///< read at this boundary as well, but a part or a double
};

struct Instrument {
  std::string id;     ///< "dcgm:GPU-…"
  std::string kind;   ///< "energy counter", "power", "modelled power"
  std::string model;  ///< of the device
  std::string driver;
  std::string quantity;  ///< energy, power
  std::string source;    ///< field or metric read
  std::optional<Seconds> step;
  std::optional<Seconds> averaging;
  Accuracy accuracy;
  std::optional<Calibration> calibration;
};

/// Tokens of the window, unless said otherwise.
struct TokenCounts {
  std::optional<double> output;
  std::optional<double> output_reasoning;
  /// Absent where only totals are known.
  std::optional<double> output_by_failed = 0.0, output_by_cancelled = 0.0;
  std::optional<double> output_good;        ///< of requests that completed
  std::optional<double> edge_bound_output;  ///< how far `output` may be off by the window's edges
  std::optional<double> prompt_submitted;
  std::optional<double> prompt_computed;
  std::optional<double> prompt_cached;
  std::string source;  ///< usage, engine_counter, load_log, event_ids, events_estimated
  std::string reason;  ///< why output is absent
  std::optional<double> engine_counter_output;      ///< same window, interpolated
  std::optional<double> engine_counter_output_run;  ///< whole load, by the engine
  std::optional<double> client_output_run;          ///< whole load, by the client
  std::int64_t text_events_run = 0;                 ///< pieces of answers, whole load
};

struct RequestCounts {
  std::int64_t completed = 0;
  /// Absent where no client recorded its requests: then only what finished is known. `planned` and
  /// `cancelled` also where the record was cut off while the load ran.
  std::optional<std::int64_t> planned, failed, cancelled;
  /// Open loop: of the planned ones, those that no stream was free for before the load ended; they
  /// are in no latency. Absent in a closed loop, and where the record ends before the load did.
  std::optional<std::int64_t> never_sent;
  double in_window = 0;
  std::map<std::string, std::int64_t> failures;         ///< by class: "rate_limited", "reset"
  std::map<std::string, std::string> failure_messages;  ///< the first of each class that says more
  std::int64_t asked_to_wait = 0;                       ///< refusals with a Retry-After
  std::optional<Seconds> longest_asked_wait;
};

struct ClientQuality {
  bool limited = false;
  std::string stamps;
  std::optional<Seconds> lag_p50, lag_p99, lag_max;
  std::optional<Seconds> send_lateness_p50, send_lateness_p99, send_lateness_max;
  /// Open loop: from the planned time until a stream was free. Absent in a closed loop.
  std::optional<Seconds> stream_wait_p50, stream_wait_p99, stream_wait_max;
  /// From wanting a connection until the request went out, of those that opened one.
  std::optional<Seconds> connect_p50, connect_p99, connect_max;
  /// One turn of a load thread's loop, without its wait for sockets.
  std::optional<Seconds> loop_p50, loop_p99, loop_max;
  std::optional<double> coalesced_share, late_share, queue_full_share, cpu_share;
  std::optional<Seconds> run_queue_wait;
  struct Thread {
    double cpu_share = 0;
    std::optional<Seconds> run_queue_wait;
  };
  std::vector<Thread> threads;  ///< of the load, over the window
  /// The most of the run, and what is allowed. Ports that were closed count for a minute longer.
  std::optional<std::int64_t> descriptors_used, descriptors_allowed;
  std::optional<std::int64_t> ports_used, ports_allowed;
  std::int64_t connections_opened = 0;
  std::int64_t retries = 0;
};

struct Window {
  TimeSpan span;
  std::optional<WallTime> start_wall, end_wall;
  std::string chosen_by = "design";
};

struct IdleReport {
  std::string state = "model_loaded";
  std::optional<Seconds> duration;
  std::optional<Watts> watts;  ///< of the headline boundary's chosen devices
  std::string reason;          ///< why absent
};

struct FullRun {
  std::optional<Seconds> duration;
  std::optional<Joules> joules;
  std::optional<double> output_tokens;
  std::optional<double> prompt_tokens;
  std::int64_t requests = 0;
  std::string reason;
  Figures figures;
};

struct EngineState {
  std::optional<double> running_mean, waiting_mean, preemptions, cache_use_mean;
};

/// A quantile of a histogram: between the bounds of its bucket, linear inside.
struct BucketQuantile {
  std::optional<double> value;  ///< absent: the bucket has no upper bound
  double low = 0;
  std::optional<double> high;
};

/// How long the requests were that an engine finished in the window, by its own histogram.
struct LengthSummary {
  std::optional<double> requests;  ///< absent: see reason
  std::optional<double> mean;
  std::optional<BucketQuantile> p50, p90;
  std::string family;
  std::string reason;
};

/// Requests of the window as the engine's page counts them, where no client of ours made them.
struct EngineRequests {
  std::optional<double> finished;
  std::optional<double> completed;          ///< of those, the ones that were not broken off
  std::map<std::string, double> by_reason;  ///< by the engine's word for how they ended
  std::string reason;                       ///< why finished is absent
  LengthSummary prompt_tokens, output_tokens;
};

/// Load tools whose definitions a run can be read by.
enum class PeerTool { vllm, aiperf, sglang };
std::string_view name_of(PeerTool tool);
std::optional<PeerTool> peer_tool_named(std::string_view name);

/// One line of what another load tool would print.
struct PeerMetric {
  std::string name;                ///< as that tool calls it
  std::string definition;          ///< how it counts, in words
  std::string ours;                ///< the key of docs/metrics.md that comes nearest; "" for none
  std::optional<Summary> summary;  ///< of a distribution; else the next two
  std::optional<double> value;
  std::string unit;    ///< of `value`
  std::string reason;  ///< why `value` is absent
};

/// The measured requests of the run as another load tool would count them.
struct PeerView {
  PeerTool tool = PeerTool::vllm;
  std::string rules;  ///< which requests, from when to when
  std::vector<PeerMetric> metrics;
};

/// All that a renderer needs. Everything in it follows from the record and the options.
struct Report {
  std::string result_id;
  std::string tool_version;
  std::string method_version = "methods/1";  ///< of the formulas: docs/methods.md
  bool strict = false;                       ///< analysis option
  bool simulated = false;
  bool modelled = false;  ///< the headline energy is modelled, not measured
  Verdict verdict;
  std::optional<Boundary> boundary;   ///< of the headline figures; absent: no energy was measured
  std::vector<std::string> included;  ///< "2 x GPU board incl. memory"
  std::vector<Excluded> excluded;
  std::optional<Window> window;
  std::string window_reason;  ///< why absent
  std::optional<EngineInfo> engine;
  EngineState engine_state;
  std::optional<EngineRequests> engine_requests;  ///< absent where our client made the requests
  std::string configuration_json;                 ///< of the run's header: load settings
  std::string host_json;
  std::uint64_t seed = 0;
  std::string prompt_nonce;
  std::optional<double> input_len_mean, output_len_mean;  ///< as counted, over completed requests
  RequestCounts requests;
  TokenCounts tokens;
  std::vector<BoundaryEnergy> energy;
  std::vector<DeviceEnergy> other_gpus;
  IdleReport idle;
  std::vector<Instrument> instruments;
  Figures figures;
  std::map<Boundary, Figures> figures_by_boundary;
  std::map<std::string, Summary> latency;  ///< ttft_seconds, tpot_seconds, itl_seconds, …
  std::optional<PeerView> counted_as;      ///< where another tool's definitions were asked for
  FullRun full_run;
  /// Where the load was that of another harness: its figures, from its first request to the end of
  /// its last, ramp and drain included; named as the preset.
  std::optional<FullRun> harness;
  std::string harness_name;
  ClientQuality client;
  bool interrupted = false;
  std::string record_file;
  std::string record_sha256;
};

}  // namespace tokenjoule
