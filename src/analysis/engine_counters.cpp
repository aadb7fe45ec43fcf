#include "analysis/engine_counters.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics.hpp"

namespace tokenjoule {

namespace {

struct CounterPoint {
  TimeSpan read;
  double value;
};

std::vector<CounterPoint> points_of(const Run& run, EngineMetric metric) {
  std::vector<CounterPoint> points;
  for (const CounterScrape& scrape : run.scrapes) {
    const auto at = scrape.values.find(metric);
    if (at != scrape.values.end()) points.push_back({scrape.read, at->second});
  }
  return points;
}

/// Half a unit of the last digit shown.
double rounding_of(double value, std::optional<int> digits) {
  if (!digits || value <= 0) return 0;
  return 0.5 * std::pow(10.0, std::floor(std::log10(value)) - *digits + 1);
}

/// Points from the last one at or before the begin to the first one at or after the end.
std::vector<CounterPoint> enclosing(const std::vector<CounterPoint>& points, TimeSpan span) {
  std::optional<std::size_t> first, last;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].read.middle() <= span.begin) first = i;
    if (!last && points[i].read.middle() >= span.end) last = i;
  }
  if (!first || !last || *first >= *last) return {};
  return {points.begin() + static_cast<std::ptrdiff_t>(*first),
          points.begin() + static_cast<std::ptrdiff_t>(*last) + 1};
}

bool falls(const std::vector<CounterPoint>& points) {
  return std::adjacent_find(points.begin(), points.end(),
                            [](const CounterPoint& a, const CounterPoint& b) {
                              return b.value < a.value;
                            }) != points.end();
}

double value_at(const std::vector<CounterPoint>& points, MonoTime at) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const MonoTime from = points[i - 1].read.middle(), to = points[i].read.middle();
    if (at > to || to == from) continue;
    const double share = to_seconds(at - from) / to_seconds(to - from);
    return points[i - 1].value + share * (points[i].value - points[i - 1].value);
  }
  return points.back().value;
}

std::optional<double> mean_gauge(const Run& run, EngineMetric metric, TimeSpan window) {
  std::vector<double> values;
  for (const CounterPoint& point : points_of(run, metric)) {
    if (window.contains(point.read.middle())) values.push_back(point.value);
  }
  return mean_of(values);
}

/// How much the counter grew between the points on both sides of an instant; 0 at a point.
double grown_around(const std::vector<CounterPoint>& points, MonoTime at) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].read.middle() <= at) continue;
    const bool at_point = points[i - 1].read.middle() == at;
    return at_point ? 0 : points[i].value - points[i - 1].value;
  }
  return 0;
}

/// Both reads of a growth are rounded.
double rounding_in(const Run& run, EngineMetric metric, const std::vector<CounterPoint>& points) {
  const EngineCounter* meaning = meaning_of(run, metric);
  if (meaning == nullptr) return 0;
  return rounding_of(points.front().value, meaning->significant_digits) +
         rounding_of(points.back().value, meaning->significant_digits);
}

}  // namespace

const EngineCounter* meaning_of(const Run& run, EngineMetric metric) {
  if (!run.engine) return nullptr;
  const auto& counters = run.engine->counters;
  const auto at = std::find_if(counters.begin(), counters.end(), [&](const EngineCounter& counter) {
    return counter.metric == metric;
  });
  return at == counters.end() ? nullptr : &*at;
}

std::optional<CounterGrowth> growth_in(const Run& run, EngineMetric metric, TimeSpan span) {
  const auto points = enclosing(points_of(run, metric), span);
  if (points.size() < 2 || falls(points) || restarted_in(run, span)) return std::nullopt;
  return CounterGrowth{value_at(points, span.end) - value_at(points, span.begin),
                       rounding_in(run, metric, points), grown_around(points, span.begin),
                       grown_around(points, span.end)};
}

std::optional<TimeSpan> load_span(const Run& run) {
  if (run.requests.empty()) return std::nullopt;
  TimeSpan span{run.requests.front().sent, run.requests.front().sent};
  for (const RequestRecord& request : run.requests) {
    span.begin = std::min(span.begin, request.sent);
    span.end = std::max(span.end, request.end.value_or(request.sent));
  }
  return span;
}

std::optional<CounterGrowth> growth_over_load(const Run& run, EngineMetric metric) {
  const auto load = load_span(run);
  if (!load || restarted_in(run, *load)) return std::nullopt;
  const auto points = enclosing(points_of(run, metric), *load);
  if (points.size() < 2 || falls(points)) return std::nullopt;
  return CounterGrowth{points.back().value - points.front().value, rounding_in(run, metric, points),
                       0, 0};
}

bool restarted_in(const Run& run, TimeSpan span) {
  // An engine of a group that came or went takes its counts with it.
  for (const EngineMetric metric : {EngineMetric::process_start, EngineMetric::engines}) {
    const auto points = enclosing(points_of(run, metric), span);
    for (const CounterPoint& point : points) {
      if (point.value != points.front().value) return true;
    }
  }
  return falls(enclosing(points_of(run, EngineMetric::output_tokens), span));
}

EngineState engine_state_in(const Run& run, TimeSpan window) {
  EngineState state;
  state.running_mean = mean_gauge(run, EngineMetric::requests_running, window);
  state.waiting_mean = mean_gauge(run, EngineMetric::requests_waiting, window);
  state.cache_use_mean = mean_gauge(run, EngineMetric::cache_use, window);
  if (const auto preemptions = growth_in(run, EngineMetric::preemptions, window)) {
    // Whole preemptions happen; a share of one is an artefact of the interpolation.
    state.preemptions = std::round(preemptions->grown);
  }
  return state;
}

}  // namespace tokenjoule
