#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "selftest/cpu_choice.hpp"
#include "selftest/turn.hpp"

namespace tokenjoule {

/// So many streams of so many events per second each.
struct SelfTestLoad {
  int streams = 256;
  double rate = 50;
};

/// The rate that a number of streams is tried at unless another is asked for: 100 000 events a
/// second together at most, 50 a second of each at most, 1 at least, in whole events.
double default_rate(int streams);

struct SelfTestOptions {
  std::vector<SelfTestLoad> loads;
  Seconds window{5};  ///< of each reader at each load
  std::optional<Stall> stall;
};

/// 50th and 99th percentile.
struct Percentiles {
  std::optional<Nanoseconds> p50, p99;
};

/// The client at one load, and the bare loop at the same.
struct SelfTestPoint {
  SelfTestLoad load;
  Seconds window;
  double events_per_s = 0;  ///< read by the client in the window
  std::optional<double> loop_cpu_us_per_event;
  std::optional<double> bare_loop_cpu_us_per_event;
  Percentiles stamp_delay;       ///< own stamp - send time
  Percentiles receive_delay;     ///< receive stamp - send time: what latencies are off by
  Percentiles bare_stamp_delay;  ///< likewise of the bare loop
  Percentiles itl_error;         ///< by receive stamps
  std::string stamps;            ///< whose receive stamps: kernel or user
  std::int64_t lost = 0;         ///< events sent and not read, by the client
  std::int64_t bare_lost = 0;
  std::int64_t censored = 0;   ///< gaps left out, since their events shared a read that lagged
  std::int64_t late_sent = 0;  ///< events that the emitter sent more than 1 ms late, in both turns
  std::optional<double> memory_mb;
  Seconds connecting;
  std::string client_limited;  ///< why the client's own check says so; "" where it does not
  /// Share of the window in which threads of ours were ready and others had the CPU: the highest of
  /// emitter, bare loop and load thread, the latter without the time that its own decoder took.
  double run_queue_wait = 0;
};

/// 64 streams, 32 events a send, as fast as they are read.
struct UnpacedRates {
  double bare_events_per_s = 0;     ///< read by a bare loop, per second of its CPU time
  double events_per_s = 0;          ///< read, per second of the load thread's CPU time
  double decoded_events_per_s = 0;  ///< read and decoded, per second of CPU time of all threads
  double wall_events_per_s = 0;     ///< read and decoded, per second of the turn
  std::int64_t lost = 0;
};

/// What the kernel's receive stamps cost: the bare loop without and with them.
struct StampCost {
  std::optional<double> without_us_per_event, with_us_per_event;
  double run_queue_wait = 0;  ///< as in SelfTestPoint
};

struct SelfTestResult {
  CpuChoice cpus;
  Seconds window;
  std::optional<Stall> stall;
  std::vector<SelfTestPoint> points;
  std::optional<UnpacedRates> unpaced;
};

/// Whether a machine with so many open files and local ports allowed can hold these streams.
Status check_budget(int streams);

/// One load, read in turn by the bare loop and by the client.
Result<SelfTestPoint> measure_load(const SelfTestLoad& load, Seconds window,
                                   const std::optional<Stall>& stall, const CpuChoice& cpus);
/// Two turns of each kind, in the order without, with, with, without.
Result<StampCost> measure_stamp_cost(const SelfTestLoad& load, Seconds window,
                                     const CpuChoice& cpus);
Result<UnpacedRates> measure_unpaced(Seconds window, const CpuChoice& cpus);

/// All loads in order, then unpaced. @param progress is told what begins.
Result<SelfTestResult> run_selftest(const SelfTestOptions& options,
                                    const std::function<void(const std::string&)>& progress);

/// The run-queue wait above which a machine is not quiet.
constexpr double kQuietRunQueueWait = 0.015;
/// What to know before the figures are used; a line each.
std::vector<std::string> warnings_of(const SelfTestResult& result);

std::string selftest_table(const SelfTestResult& result);
std::string selftest_json(const SelfTestResult& result);

}  // namespace tokenjoule
