#include "load/client_reporter.hpp"

#include <utility>

namespace tokenjoule {

namespace {

constexpr Nanoseconds kPeriod = whole_seconds(1);

}  // namespace

ClientState client_state(TimeSpan span, const LoopTotals& change, std::int64_t reads_coalesced,
                         std::int64_t in_flight) {
  ClientState state;
  state.span = span;
  state.stamps = change.reads_user_stamped > 0 ? "user" : "kernel";
  state.reads = change.reads;
  state.reads_late = change.reads_late;
  state.reads_coalesced = reads_coalesced;
  state.lag_histogram = change.lag_histogram;
  state.cpu = to_seconds(change.cpu);
  state.run_queue_wait = to_seconds(change.run_queue_wait);
  state.queue_full = to_seconds(change.queue_full);
  state.in_flight = in_flight;
  state.connections_opened = change.connections_opened;
  return state;
}

ClientReporter::ClientReporter(Clock& clock, std::vector<const PublishedTotals*> loops,
                               const LoadCounters& counters, EventSink sink)
    : clock_(clock),
      loops_(std::move(loops)),
      counters_(counters),
      sink_(std::move(sink)),
      reported_(clock.now()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ClientReporter::run(const std::stop_token& stop) {
  MonoTime due = reported_ + kPeriod;
  while (clock_.sleep_until(due, stop)) {
    report(clock_.now());
    due += kPeriod;
  }
  report(clock_.now());
}

LoopTotals ClientReporter::totals() const {
  LoopTotals sum;
  for (const PublishedTotals* loop : loops_) sum.add(loop->latest());
  return sum;
}

void ClientReporter::report(MonoTime now) {
  const LoopTotals sum = totals();
  const std::int64_t coalesced = counters_.reads_coalesced.load(std::memory_order_relaxed);
  sink_(client_state({std::exchange(reported_, now), now}, sum.since(before_),
                     coalesced - std::exchange(coalesced_before_, coalesced),
                     counters_.in_flight.load(std::memory_order_relaxed)));
  before_ = sum;
}

}  // namespace tokenjoule
