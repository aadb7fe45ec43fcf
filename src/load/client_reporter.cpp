#include "load/client_reporter.hpp"

#include <utility>

#include <sys/resource.h>
#include <sys/stat.h>

#include "base/text.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kPeriod = whole_seconds(1);

}  // namespace

namespace {

std::optional<Seconds> seconds_of(std::optional<Nanoseconds> time) {
  return time ? std::optional(to_seconds(*time)) : std::nullopt;
}

}  // namespace

ClientState client_state(TimeSpan span, const std::vector<LoopTotals>& changes,
                         std::int64_t reads_coalesced, std::int64_t in_flight) {
  LoopTotals change;
  ClientState state;
  for (const LoopTotals& thread : changes) {
    change.add(thread);
    state.threads.push_back({to_seconds(thread.cpu), seconds_of(thread.run_queue_wait)});
  }
  state.span = span;
  state.stamps = change.reads_user_stamped > 0 ? "user" : "kernel";
  state.reads = change.reads;
  state.reads_late = change.reads_late;
  state.reads_coalesced = reads_coalesced;
  state.lag_histogram = change.lag_histogram;
  state.loop_histogram = change.loop_histogram;
  state.cpu = to_seconds(change.cpu);
  state.run_queue_wait = seconds_of(change.run_queue_wait);
  state.queue_full = to_seconds(change.queue_full);
  state.in_flight = in_flight;
  state.connections_opened = change.connections_opened;
  state.connections_open = change.connections_open;
  return state;
}

OpenLimits open_limits() {
  OpenLimits limits;
  struct stat open {};
  // Since Linux 6.2 the folder's size is the number of descriptors; before, it is 0.
  if (::stat("/proc/self/fd", &open) == 0 && open.st_size > 0)
    limits.descriptors_open = open.st_size;
  rlimit allowed{};
  if (::getrlimit(RLIMIT_NOFILE, &allowed) == 0 && allowed.rlim_cur != RLIM_INFINITY) {
    limits.descriptors_allowed = static_cast<std::int64_t>(allowed.rlim_cur);
  }
  const auto range = file_bytes("/proc/sys/net/ipv4/ip_local_port_range");
  const auto parts = range ? split(trimmed(*range), '\t') : std::vector<std::string_view>();
  if (parts.size() != 2) return limits;
  const auto first = integer_in(trimmed(parts[0]));
  const auto last = integer_in(trimmed(parts[1]));
  if (first && last && *last >= *first) limits.local_ports = *last - *first + 1;
  return limits;
}

ClientReporter::ClientReporter(Clock& clock, std::vector<const PublishedTotals*> loops,
                               const LoadCounters& counters, EventSink sink)
    : clock_(clock),
      loops_(std::move(loops)),
      counters_(counters),
      sink_(std::move(sink)),
      reported_(clock.now()),
      before_(loops_.size()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ClientReporter::run(const std::stop_token& stop) {
  MonoTime due = reported_ + kPeriod;
  while (clock_.sleep_until(due, stop)) {
    report(clock_.now());
    due += kPeriod;
  }
  report(clock_.now());
}

void ClientReporter::report(MonoTime now) {
  std::vector<LoopTotals> latest, changes;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    latest.push_back(loops_[i]->latest());
    changes.push_back(latest.back().since(before_[i]));
  }
  const std::int64_t coalesced = counters_.reads_coalesced.load(std::memory_order_relaxed);
  ClientState state = client_state({std::exchange(reported_, now), now}, changes,
                                   coalesced - std::exchange(coalesced_before_, coalesced),
                                   counters_.in_flight.load(std::memory_order_relaxed));
  const OpenLimits limits = open_limits();
  state.descriptors_open = limits.descriptors_open;
  state.descriptors_allowed = limits.descriptors_allowed;
  state.local_ports = limits.local_ports;
  sink_(std::move(state));
  before_ = std::move(latest);
}

}  // namespace tokenjoule
