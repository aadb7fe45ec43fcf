#include "analysis/series.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics.hpp"

namespace tokenjoule {

namespace {

const Series kNoSeries;

}  // namespace

SeriesTable::SeriesTable(const Run& run) {
  for (const Signal& signal : run.signals) series_[signal.id];
  for (const Sample& sample : run.samples) {
    for (const Reading& reading : sample.readings) {
      const auto at = series_.find(reading.signal);
      if (at == series_.end() || !std::isfinite(reading.raw)) continue;
      at->second.push_back({sample.read, reading.raw});
    }
  }
  for (auto& [id, series] : series_) {
    std::stable_sort(series.begin(), series.end(), [](const SeriesPoint& a, const SeriesPoint& b) {
      return a.read.middle() < b.read.middle();
    });
  }
}

const Series& SeriesTable::of(std::uint32_t signal) const {
  const auto at = series_.find(signal);
  return at == series_.end() ? kNoSeries : at->second;
}

std::span<const SeriesPoint> within(const Series& series, TimeSpan span) {
  const auto before = [](const SeriesPoint& point, MonoTime at) {
    return point.read.middle() < at;
  };
  const auto begin = std::lower_bound(series.begin(), series.end(), span.begin, before);
  const auto end = std::lower_bound(begin, series.end(), span.end, before);
  return {begin, end};
}

std::optional<double> mean_within(const Series& series, TimeSpan span, double to_si) {
  const auto points = within(series, span);
  if (points.empty()) return std::nullopt;
  double sum = 0;
  for (const SeriesPoint& point : points) sum += point.raw * to_si;
  return sum / static_cast<double>(points.size());
}

std::optional<Seconds> longest_gap(const Series& series, TimeSpan span) {
  if (series.empty()) return std::nullopt;
  Nanoseconds longest{0};
  MonoTime previous = span.begin;
  for (const SeriesPoint& point : within(series, span)) {
    longest = std::max(longest, point.read.middle() - previous);
    previous = point.read.middle();
  }
  return to_seconds(std::max(longest, span.end - previous));
}

std::optional<Seconds> usual_period(const Series& series, TimeSpan span) {
  const auto points = within(series, span);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < points.size(); ++i) {
    gaps.push_back(to_seconds(points[i].read.middle() - points[i - 1].read.middle()).value());
  }
  const auto period = median_of(std::move(gaps));
  return period ? std::optional(Seconds(*period)) : std::nullopt;
}

}  // namespace tokenjoule
