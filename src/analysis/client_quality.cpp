#include "analysis/client_quality.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics.hpp"

namespace tokenjoule {

namespace {

/// All client states of the window added up.
struct ClientSum {
  double reads = 0, late = 0, coalesced = 0;
  Seconds span, cpu, queue_full;
  std::optional<Seconds> wait = Seconds();  ///< absent: one of them does not tell
  TimeHistogram lag{}, loop{};
  std::vector<LoadThreadState> threads;
  bool user_stamps = false;
};

void add(std::optional<Seconds>& sum, const std::optional<Seconds>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

void add(TimeHistogram& sum, const TimeHistogram& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

void add_threads(ClientSum& sum, const std::vector<LoadThreadState>& threads) {
  while (sum.threads.size() < threads.size()) sum.threads.push_back({Seconds(), Seconds()});
  for (std::size_t i = 0; i < threads.size(); ++i) {
    sum.threads[i].cpu += threads[i].cpu;
    add(sum.threads[i].run_queue_wait, threads[i].run_queue_wait);
  }
}

ClientSum sum_in(const Run& run, TimeSpan window) {
  ClientSum sum;
  for (const ClientState& state : run.client) {
    if (!window.contains(state.span.middle())) continue;
    sum.reads += static_cast<double>(state.reads);
    sum.late += static_cast<double>(state.reads_late);
    sum.coalesced += static_cast<double>(state.reads_coalesced);
    sum.span += to_seconds(state.span.length());
    sum.cpu += state.cpu;
    add(sum.wait, state.run_queue_wait);
    sum.queue_full += state.queue_full;
    add(sum.lag, state.lag_histogram);
    add(sum.loop, state.loop_histogram);
    add_threads(sum, state.threads);
    sum.user_stamps = sum.user_stamps || state.stamps != "kernel";
  }
  return sum;
}

Seconds bin_edge(std::size_t bin) { return Seconds(std::ldexp(1e-6, static_cast<int>(bin))); }

std::optional<Seconds> time_quantile(const TimeHistogram& counts, double p) {
  std::int64_t all = 0;
  for (const std::int64_t count : counts) all += count;
  if (all == 0) return std::nullopt;
  const double rank = p * static_cast<double>(all);
  double below = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    if (count > 0 && below + count >= rank) {
      const Seconds low = i == 0 ? Seconds() : bin_edge(i);
      return low + (rank - below) / count * (bin_edge(i + 1) - low);
    }
    below += count;
  }
  return std::nullopt;
}

std::optional<Seconds> seconds_at(const std::vector<double>& sorted, double p) {
  const auto value = quantile(sorted, p);
  return value ? std::optional(Seconds(*value)) : std::nullopt;
}

double seconds_between(MonoTime begin, MonoTime end) {
  return std::max(0.0, to_seconds(end - begin).value());
}

/// Until when a request was in the client's own hands: opening a connection is the server's time as
/// well. nullopt where that is not known: of a request that was sent twice, and of an older record
/// that does not say since when it waited for its connection.
std::optional<MonoTime> left_to_client_until(const RequestRecord& request) {
  if (request.retries > 0) return std::nullopt;
  if (request.connecting) return request.connecting;
  return request.reused_connection ? std::optional(request.sent) : std::nullopt;
}

/// How late requests went out: what the client is to blame for, and, apart from it, what opening
/// connections took, and what the cap on requests in flight did.
void fill_lateness(ClientQuality& quality, const Run& run, TimeSpan window) {
  std::vector<double> lateness, connects, waits;
  for (const RequestRecord& request : run.requests) {
    if (!window.contains(request.sent)) continue;
    const MonoTime ready = request.stream_free.value_or(request.planned);
    if (const auto until = left_to_client_until(request)) {
      lateness.push_back(seconds_between(ready, *until));
    }
    if (request.connecting) connects.push_back(seconds_between(*request.connecting, request.sent));
    if (request.stream_free) waits.push_back(seconds_between(request.planned, ready));
  }
  std::sort(lateness.begin(), lateness.end());
  std::sort(connects.begin(), connects.end());
  std::sort(waits.begin(), waits.end());
  quality.send_lateness_p50 = seconds_at(lateness, 0.50);
  quality.send_lateness_p99 = seconds_at(lateness, 0.99);
  quality.send_lateness_max = seconds_at(lateness, 1.0);
  quality.connect_p50 = seconds_at(connects, 0.50);
  quality.connect_p99 = seconds_at(connects, 0.99);
  quality.connect_max = seconds_at(connects, 1.0);
  quality.stream_wait_p50 = seconds_at(waits, 0.50);
  quality.stream_wait_p99 = seconds_at(waits, 0.99);
  quality.stream_wait_max = seconds_at(waits, 1.0);
}

std::optional<std::int64_t> most(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::max(a, b) : a ? a : b;
}

/// A port whose connection this side closed is kept by the kernel for a minute (Linux:
/// TCP_TIMEWAIT_LEN, 60 s). Those of the last minute are counted as if each were: not more can be.
void fill_budgets(ClientQuality& quality, const std::vector<ClientState>& states) {
  constexpr Nanoseconds kKept = whole_seconds(60);
  for (std::size_t i = 0; i < states.size(); ++i) {
    quality.descriptors_used = most(quality.descriptors_used, states[i].descriptors_open);
    quality.descriptors_allowed = most(quality.descriptors_allowed, states[i].descriptors_allowed);
    quality.ports_allowed = most(quality.ports_allowed, states[i].local_ports);
    if (!states[i].connections_open) continue;
    // Open at the begin of that minute, and opened since: what is open or was closed meanwhile.
    std::int64_t opened = 0;
    std::size_t first = i + 1;
    while (first > 0 && states[i].span.end - states[first - 1].span.begin <= kKept) {
      opened += states[--first].connections_opened;
    }
    const std::int64_t before = first > 0 ? states[first - 1].connections_open.value_or(0) : 0;
    quality.ports_used = most(quality.ports_used, before + opened);
  }
}

}  // namespace

ClientQuality client_quality(const Run& run, std::optional<TimeSpan> window) {
  ClientQuality quality;
  for (const ClientState& state : run.client)
    quality.connections_opened += state.connections_opened;
  for (const RequestRecord& request : run.requests) quality.retries += request.retries;
  fill_budgets(quality, run.client);
  if (!window) return quality;
  fill_lateness(quality, run, *window);
  const ClientSum sum = sum_in(run, *window);
  if (sum.span <= Seconds()) return quality;
  quality.stamps = sum.user_stamps ? "user" : "kernel";
  quality.lag_p50 = time_quantile(sum.lag, 0.50);
  quality.lag_p99 = time_quantile(sum.lag, 0.99);
  quality.lag_max = time_quantile(sum.lag, 1.0);
  if (sum.reads > 0) {
    quality.late_share = sum.late / sum.reads;
    quality.coalesced_share = sum.coalesced / sum.reads;
  }
  quality.queue_full_share = sum.queue_full / sum.span;
  quality.cpu_share = sum.cpu / sum.span;
  quality.loop_p50 = time_quantile(sum.loop, 0.50);
  quality.loop_p99 = time_quantile(sum.loop, 0.99);
  quality.loop_max = time_quantile(sum.loop, 1.0);
  quality.run_queue_wait = sum.wait;
  for (const LoadThreadState& thread : sum.threads) {
    quality.threads.push_back({thread.cpu / sum.span, thread.run_queue_wait});
  }
  return quality;
}

}  // namespace tokenjoule
