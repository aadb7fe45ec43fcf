#include "analysis/engine_requests.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "analysis/engine_counters.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// A scrape before an instant and one behind it, and how far between them it lies.
struct Between {
  const CounterScrape* before = nullptr;
  const CounterScrape* after = nullptr;
  double share = 0;

  double of(double early, double late) const { return early + share * (late - early); }
};

/// Around an instant, of the scrapes that have it.
template <typename Has>
std::optional<Between> around(const Run& run, MonoTime at, Has has) {
  Between between;
  for (const CounterScrape& scrape : run.scrapes) {
    if (!has(scrape)) continue;
    if (scrape.read.middle() <= at) between.before = &scrape;
    if (scrape.read.middle() < at) continue;
    between.after = &scrape;
    break;
  }
  if (between.before == nullptr || between.after == nullptr) return std::nullopt;
  const MonoTime from = between.before->read.middle(), to = between.after->read.middle();
  if (to > from) between.share = to_seconds(at - from) / to_seconds(to - from);
  return between;
}

LengthHistogram at_edge(const Between& between, RequestLength length) {
  const LengthHistogram& early = between.before->lengths.at(length);
  const LengthHistogram& late = between.after->lengths.at(length);
  LengthHistogram histogram = early;
  histogram.count = between.of(early.count, late.count);
  histogram.sum = between.of(early.sum, late.sum);
  for (std::size_t i = 0; i < early.buckets.size(); ++i) {
    histogram.buckets[i].second = between.of(early.buckets[i].second, late.buckets[i].second);
  }
  return histogram;
}

bool same_bounds(const LengthHistogram& a, const LengthHistogram& b) {
  return std::equal(a.buckets.begin(), a.buckets.end(), b.buckets.begin(), b.buckets.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

/// What was added between two histograms of one engine; nullopt where a count fell.
std::optional<LengthHistogram> growth(const LengthHistogram& from, const LengthHistogram& to) {
  LengthHistogram grown = to;
  grown.count -= from.count;
  grown.sum -= from.sum;
  bool falls = grown.count < 0 || grown.sum < 0;
  for (std::size_t i = 0; i < grown.buckets.size(); ++i) {
    grown.buckets[i].second -= from.buckets[i].second;
    falls = falls || grown.buckets[i].second < 0;
  }
  return falls ? std::nullopt : std::optional(std::move(grown));
}

std::optional<LengthHistogram> grown_in(const Run& run, RequestLength length, TimeSpan window) {
  const auto has = [&](const CounterScrape& scrape) { return scrape.lengths.count(length) != 0; };
  const auto begin = around(run, window.begin, has);
  const auto end = around(run, window.end, has);
  if (!begin || !end || restarted_in(run, window)) return std::nullopt;
  const LengthHistogram& first = begin->before->lengths.at(length);
  for (const CounterScrape& scrape : run.scrapes) {
    if (has(scrape) && !same_bounds(first, scrape.lengths.at(length))) return std::nullopt;
  }
  return growth(at_edge(*begin, length), at_edge(*end, length));
}

LengthSummary summary_in(const Run& run, RequestLength length, TimeSpan window) {
  LengthSummary summary;
  const auto& families = run.engine->requests.lengths;
  const auto family = families.find(length);
  if (family == families.end()) {
    summary.reason = "the engine's page has no histogram of it";
    return summary;
  }
  summary.family = family->second;
  const auto histogram = grown_in(run, length, window);
  if (!histogram) {
    summary.reason = "the histogram was not read on both sides of the window, or began anew in it";
    return summary;
  }
  summary.requests = histogram->count;
  if (!(histogram->count > 0)) {
    summary.reason = "no request finished in the window";
    return summary;
  }
  summary.mean = histogram->sum / histogram->count;
  summary.p50 = quantile_of(*histogram, 0.5);
  summary.p90 = quantile_of(*histogram, 0.9);
  return summary;
}

/// Finished requests by how they ended. A way that a page does not list yet has not occurred.
std::map<std::string, double> reasons_in(const Run& run, TimeSpan window) {
  std::map<std::string, double> reasons;
  const auto has = [](const CounterScrape& scrape) { return !scrape.finished.empty(); };
  const auto begin = around(run, window.begin, has);
  const auto end = around(run, window.end, has);
  if (!begin || !end || restarted_in(run, window)) return reasons;
  const auto count_at = [](const Between& between, const std::string& how) {
    const auto early = between.before->finished.find(how);
    const auto late = between.after->finished.find(how);
    return between.of(early == between.before->finished.end() ? 0 : early->second,
                      late == between.after->finished.end() ? 0 : late->second);
  };
  for (const auto& [how, last] : end->after->finished) {
    reasons[how] = count_at(*end, how) - count_at(*begin, how);
  }
  return reasons;
}

bool is_broken_off(const std::string& how) {
  constexpr std::string_view kBroken[] = {"abort", "error", "cancel"};
  const std::string word = lower_case(how);
  return std::any_of(std::begin(kBroken), std::end(kBroken),
                     [&](std::string_view part) { return word.find(part) != std::string::npos; });
}

std::optional<double> completed_of(const Run& run, const EngineRequests& requests) {
  const EngineCounter* counter = meaning_of(run, EngineMetric::requests_finished);
  // The engine's rule admits the good ends only, or nothing tells the ends apart.
  const bool good_only = counter != nullptr && !counter->where.empty();
  if (good_only || requests.by_reason.empty()) return requests.finished;
  double completed = 0;
  for (const auto& [how, count] : requests.by_reason) completed += is_broken_off(how) ? 0 : count;
  return completed;
}

}  // namespace

std::optional<BucketQuantile> quantile_of(const LengthHistogram& histogram, double share) {
  if (!(histogram.count > 0)) return std::nullopt;
  const double rank = share * histogram.count;
  BucketQuantile quantile;
  double below = 0;
  for (const auto& [bound, count] : histogram.buckets) {
    if (count >= rank) {
      const double inside = count > below ? (rank - below) / (count - below) : 1.0;
      quantile.value = quantile.low + inside * (bound - quantile.low);
      quantile.high = bound;
      return quantile;
    }
    below = count;
    quantile.low = bound;
  }
  return quantile;
}

std::optional<EngineRequests> engine_requests_in(const Run& run, TimeSpan window) {
  if (!run.engine || run.engine->counters.empty() || !run.requests.empty()) return std::nullopt;
  const RequestFamilies& families = run.engine->requests;
  if (families.finished.empty() && families.lengths.empty() &&
      meaning_of(run, EngineMetric::requests_finished) == nullptr) {
    return std::nullopt;
  }
  EngineRequests requests;
  if (const auto finished = growth_in(run, EngineMetric::requests_finished, window)) {
    requests.finished = finished->grown;
    requests.by_reason = reasons_in(run, window);
    requests.completed = completed_of(run, requests);
  } else {
    requests.reason = "finished requests were not counted on both sides of the window";
  }
  requests.prompt_tokens = summary_in(run, RequestLength::prompt_tokens, window);
  requests.output_tokens = summary_in(run, RequestLength::output_tokens, window);
  return requests;
}

}  // namespace tokenjoule
