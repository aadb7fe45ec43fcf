#include "analysis/client_quality.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics.hpp"

namespace tokenjoule {

namespace {

/// All client states of the window added up.
struct ClientSum {
  double reads = 0, late = 0, coalesced = 0;
  Seconds span, cpu, wait, queue_full;
  std::array<std::int64_t, 32> lag{};
  bool user_stamps = false;
};

ClientSum sum_in(const Run& run, TimeSpan window) {
  ClientSum sum;
  for (const ClientState& state : run.client) {
    if (!window.contains(state.span.middle())) continue;
    sum.reads += static_cast<double>(state.reads);
    sum.late += static_cast<double>(state.reads_late);
    sum.coalesced += static_cast<double>(state.reads_coalesced);
    sum.span += to_seconds(state.span.length());
    sum.cpu += state.cpu;
    sum.wait += state.run_queue_wait;
    sum.queue_full += state.queue_full;
    for (std::size_t i = 0; i < sum.lag.size(); ++i) sum.lag[i] += state.lag_histogram[i];
    sum.user_stamps = sum.user_stamps || state.stamps != "kernel";
  }
  return sum;
}

Seconds bin_edge(std::size_t bin) { return Seconds(std::ldexp(1e-6, static_cast<int>(bin))); }

std::optional<Seconds> lag_quantile(const std::array<std::int64_t, 32>& lag, double p) {
  std::int64_t all = 0;
  for (const std::int64_t count : lag) all += count;
  if (all == 0) return std::nullopt;
  const double rank = p * static_cast<double>(all);
  double below = 0;
  for (std::size_t i = 0; i < lag.size(); ++i) {
    const auto count = static_cast<double>(lag[i]);
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

/// How late requests went out: what the client is to blame for, and, apart from it, what the cap
/// on requests in flight is.
void fill_lateness(ClientQuality& quality, const Run& run, TimeSpan window) {
  std::vector<double> lateness, waits;
  for (const RequestRecord& request : run.requests) {
    if (!window.contains(request.sent)) continue;
    const MonoTime ready = request.stream_free.value_or(request.planned);
    lateness.push_back(std::max(0.0, to_seconds(request.sent - ready).value()));
    if (!request.stream_free) continue;
    waits.push_back(std::max(0.0, to_seconds(ready - request.planned).value()));
  }
  std::sort(lateness.begin(), lateness.end());
  std::sort(waits.begin(), waits.end());
  quality.send_lateness_p50 = seconds_at(lateness, 0.50);
  quality.send_lateness_p99 = seconds_at(lateness, 0.99);
  quality.send_lateness_max = seconds_at(lateness, 1.0);
  quality.stream_wait_p50 = seconds_at(waits, 0.50);
  quality.stream_wait_p99 = seconds_at(waits, 0.99);
  quality.stream_wait_max = seconds_at(waits, 1.0);
}

}  // namespace

ClientQuality client_quality(const Run& run, std::optional<TimeSpan> window) {
  ClientQuality quality;
  for (const ClientState& state : run.client)
    quality.connections_opened += state.connections_opened;
  for (const RequestRecord& request : run.requests) quality.retries += request.retries;
  if (!window) return quality;
  fill_lateness(quality, run, *window);
  const ClientSum sum = sum_in(run, *window);
  if (sum.span <= Seconds()) return quality;
  quality.stamps = sum.user_stamps ? "user" : "kernel";
  quality.lag_p50 = lag_quantile(sum.lag, 0.50);
  quality.lag_p99 = lag_quantile(sum.lag, 0.99);
  quality.lag_max = lag_quantile(sum.lag, 1.0);
  if (sum.reads > 0) {
    quality.late_share = sum.late / sum.reads;
    quality.coalesced_share = sum.coalesced / sum.reads;
  }
  quality.queue_full_share = sum.queue_full / sum.span;
  quality.cpu_share = sum.cpu / sum.span;
  quality.run_queue_wait = sum.wait;
  return quality;
}

}  // namespace tokenjoule
