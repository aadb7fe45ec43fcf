#include "selftest/selftest.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <malloc.h>

#include "base/text.hpp"
#include "io/file.hpp"
#include "load/descriptor_limit.hpp"
#include "selftest/client_guard.hpp"

namespace tokenjoule {

namespace {

constexpr double kMostEventsPerSecond = 102'400;  // 4 096 x 25; one emitter holds about 190 000
constexpr double kMostRate = 50;
constexpr int kUnpacedStreams = 64;

/// How many local ports connections to one address can have; nullopt where it is not told.
std::optional<std::int64_t> local_ports() {
  const auto text = file_bytes("/proc/sys/net/ipv4/ip_local_port_range");
  if (!text) return std::nullopt;
  const std::string_view line = trimmed(*text);
  const auto first = integer_in(line.substr(0, line.find_first_of(" \t")));
  const auto last = integer_in(line.substr(line.find_last_of(" \t") + 1));
  if (!first || !last) return std::nullopt;
  return *last - *first + 1;
}

EmitterPlan emitter_plan(const SelfTestLoad& load, Seconds window, const CpuChoice& cpus) {
  EmitterPlan plan;
  plan.streams = load.streams;
  plan.rate = load.rate;
  plan.window = window;
  plan.cpu = cpus.emitter;
  return plan;
}

using Reader = Result<TurnReading> (*)(const TurnPlan&, SystemClock&);

/// What a reader got, and what the emitter says of the same time.
struct ReaderTurn {
  TurnReading reading;
  std::int64_t lost = 0, late = 0;
  double emitter_wait = 0;  ///< share of the window
};

/// @param what how it is read; where from is filled in.
Result<ReaderTurn> turn_of(Reader read, const EmitterPlan& plan, TurnPlan what = {}) {
  // Pages of earlier turns, kept by the allocator, would hide what this one takes.
  ::malloc_trim(0);
  TRY(const auto emitter, Emitter::start(plan));
  SystemClock clock;
  what.root = emitter->root();
  what.streams = plan.streams;
  what.tokens = plan.events();
  what.emitter = emitter.get();
  TRY(TurnReading reading, read(what, clock));
  const EmitterCounts& counts = emitter->counts();
  ReaderTurn turn{std::move(reading)};
  turn.lost = counts.events - turn.reading.events;
  turn.late = counts.late;
  turn.emitter_wait = static_cast<double>(counts.run_queue_wait_ns) * 1e-9 / plan.window.value();
  return turn;
}

std::optional<double> us_per_event(const TurnReading& reading) {
  const auto events = static_cast<double>(reading.arrivals.events());
  if (events == 0 || reading.cpu <= Seconds()) return std::nullopt;
  return reading.cpu.value() * 1e6 / events;
}

Percentiles percentiles_of(const DelayHistogram& delays) {
  return {delays.quantile(0.50), delays.quantile(0.99)};
}

/// While the threads of this process had the CPU the reading one waited for none but them.
double foreign_wait(const TurnReading& reading, Seconds window) {
  return std::max(0.0, (reading.run_queue_wait - reading.others) / window);
}

SelfTestPoint point_of(const SelfTestLoad& load, Seconds window, const ReaderTurn& bare,
                       const ReaderTurn& client) {
  SelfTestPoint point{.load = load, .window = window};
  const ArrivalMeter& arrivals = client.reading.arrivals;
  point.events_per_s = static_cast<double>(arrivals.events()) / window.value();
  point.loop_cpu_us_per_event = us_per_event(client.reading);
  point.bare_loop_cpu_us_per_event = us_per_event(bare.reading);
  point.stamp_delay = percentiles_of(arrivals.delays());
  point.receive_delay = percentiles_of(arrivals.receive_delays());
  point.bare_stamp_delay = percentiles_of(bare.reading.arrivals.delays());
  point.itl_error = percentiles_of(arrivals.itl_errors());
  point.stamps = client.reading.stamps;
  point.lost = client.lost;
  point.bare_lost = bare.lost;
  point.censored = arrivals.censored();
  point.late_sent = bare.late + client.late;
  point.memory_mb = client.reading.memory_mb;
  point.connecting = client.reading.connecting;
  point.client_limited = why_client_limited(client.reading, window);
  point.run_queue_wait =
      std::max({bare.emitter_wait, client.emitter_wait, foreign_wait(bare.reading, window),
                foreign_wait(client.reading, window)});
  return point;
}

}  // namespace

double default_rate(int streams) {
  return std::clamp(std::floor(kMostEventsPerSecond / streams), 1.0, kMostRate);
}

Status check_budget(int streams) {
  if (auto allowed = allow_descriptors(static_cast<std::uint64_t>(streams)); !allowed) {
    Error error = std::move(allowed).error();
    error.hint = fmt::format("raise the limit on open files (ulimit -n), or take fewer --streams");
    return unexpected(std::move(error).in(fmt::format("{} streams", streams)));
  }
  const auto ports = local_ports();
  if (!ports || *ports >= streams) return {};
  return failure(
      ErrorKind::missing,
      fmt::format("{} streams need as many local ports, and this machine has {}", streams, *ports),
      "widen them (sysctl net.ipv4.ip_local_port_range=\"1024 65535\"), or take fewer --streams");
}

Result<SelfTestPoint> measure_load(const SelfTestLoad& load, Seconds window,
                                   const std::optional<Stall>& stall, const CpuChoice& cpus) {
  TRY_DO(check_budget(load.streams));
  const EmitterPlan plan = emitter_plan(load, window, cpus);
  const PinnedTo pinned(cpus.client);
  TRY(const ReaderTurn bare, turn_of(read_bare, plan));
  TRY(const ReaderTurn client, turn_of(read_with_client, plan, {.stall = stall}));
  return point_of(load, window, bare, client);
}

Result<StampCost> measure_stamp_cost(const SelfTestLoad& load, Seconds window,
                                     const CpuChoice& cpus) {
  TRY_DO(check_budget(load.streams));
  const EmitterPlan plan = emitter_plan(load, window, cpus);
  const PinnedTo pinned(cpus.client);
  StampCost cost;
  double us[2] = {0, 0};
  for (const bool stamps : {false, true, true, false}) {
    TRY(const ReaderTurn turn, turn_of(read_bare, plan, {.kernel_stamps = stamps}));
    const auto per_event = us_per_event(turn.reading);
    if (!per_event) return cost;
    us[stamps ? 1 : 0] += *per_event / 2;
    cost.run_queue_wait =
        std::max({cost.run_queue_wait, turn.emitter_wait, foreign_wait(turn.reading, window)});
  }
  cost.without_us_per_event = us[0];
  cost.with_us_per_event = us[1];
  return cost;
}

Result<UnpacedRates> measure_unpaced(Seconds window, const CpuChoice& cpus) {
  TRY_DO(check_budget(kUnpacedStreams));
  EmitterPlan plan = emitter_plan({kUnpacedStreams, 0}, window, cpus);
  plan.lead = Seconds();
  const PinnedTo pinned(cpus.client);
  TRY(const ReaderTurn bare, turn_of(read_bare, plan, {.stamps = false}));
  TRY(const ReaderTurn client, turn_of(read_with_client, plan, {.stamps = false}));
  const TurnReading& reading = client.reading;
  const auto events = static_cast<double>(reading.events);
  return UnpacedRates{.bare_events_per_s =
                          static_cast<double>(bare.reading.events) / bare.reading.whole_cpu.value(),
                      .events_per_s = events / reading.whole_cpu.value(),
                      .decoded_events_per_s = events / reading.whole_process.value(),
                      .wall_events_per_s = events / reading.wall.value(),
                      .lost = client.lost};
}

Result<SelfTestResult> run_selftest(const SelfTestOptions& options,
                                    const std::function<void(const std::string&)>& progress) {
  for (const SelfTestLoad& load : options.loads) TRY_DO(check_budget(load.streams));
  SelfTestResult result{.cpus = cpus_of_this_machine(), .window = options.window};
  result.stall = options.stall;
  for (const SelfTestLoad& load : options.loads) {
    progress(fmt::format("{} streams x {:g} events/s", load.streams, load.rate));
    TRY(auto point, measure_load(load, options.window, options.stall, result.cpus));
    result.points.push_back(std::move(point));
  }
  progress(fmt::format("{} streams unpaced", kUnpacedStreams));
  TRY(result.unpaced, measure_unpaced(std::min(options.window, Seconds(2)), result.cpus));
  return result;
}

}  // namespace tokenjoule
