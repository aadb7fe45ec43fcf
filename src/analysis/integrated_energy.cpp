#include "analysis/integrated_energy.hpp"

#include <algorithm>

namespace tokenjoule {

namespace {

/// A reading may be late by half a period without a gap: the next one then is that much earlier.
constexpr double kGapFromPeriods = 1.5;

PowerCurve::const_iterator first_from(const PowerCurve& curve, MonoTime at) {
  return std::lower_bound(curve.begin(), curve.end(), at,
                          [](const PowerPoint& point, MonoTime time) { return point.at < time; });
}

/// The curve cut at the span's edges, both interpolated. Both edges are covered.
PowerCurve cut(const PowerCurve& curve, TimeSpan span) {
  PowerCurve inside;
  inside.push_back({span.begin, *power_at(curve, span.begin), {}});
  for (auto at = first_from(curve, span.begin); at != curve.end() && at->at < span.end; ++at) {
    if (at->at > span.begin) inside.push_back(*at);
  }
  inside.push_back({span.end, *power_at(curve, span.end), {}});
  return inside;
}

Joules energy_under(const PowerCurve& curve) {
  Joules sum;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    sum += 0.5 * (curve[i - 1].power + curve[i].power) * to_seconds(curve[i].at - curve[i - 1].at);
  }
  return sum;
}

Joules bound_of_gaps(const PowerCurve& curve, std::optional<Seconds> period) {
  if (!period) return Joules();
  const auto [low, high] = std::minmax_element(
      curve.begin(), curve.end(),
      [](const PowerPoint& a, const PowerPoint& b) { return a.power < b.power; });
  Joules sum;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const Seconds length = to_seconds(curve[i].at - curve[i - 1].at);
    if (length <= kGapFromPeriods * *period) continue;
    const Watts taken = 0.5 * (curve[i - 1].power + curve[i].power);
    sum += std::max(high->power - taken, taken - low->power) * length;
  }
  return sum;
}

Joules bound_at(const PowerCurve& curve, MonoTime edge) {
  auto after = first_from(curve, edge);
  if (after == curve.end()) return Joules();
  const auto before = after == curve.begin() ? after : std::prev(after);
  return *power_at(curve, edge) * to_seconds(std::max(before->uncertainty, after->uncertainty));
}

}  // namespace

PowerCurve power_curve(const Series& series, const Signal& signal) {
  const Nanoseconds shift = to_nanoseconds(0.5 * signal.averaging.value_or(Seconds()));
  PowerCurve curve;
  curve.reserve(series.size());
  for (const SeriesPoint& point : series) {
    const MonoTime at = point.read.middle() - shift;
    // Two reads with one middle cannot both be a point of a function of time: the later one stands.
    if (!curve.empty() && curve.back().at == at) curve.pop_back();
    curve.push_back({at, Watts(point.raw * si_factor(signal)), point.read.length() / 2});
  }
  return curve;
}

std::optional<Watts> power_at(const PowerCurve& curve, MonoTime at) {
  const auto after = first_from(curve, at);
  if (after == curve.end()) return std::nullopt;
  if (after->at == at) return after->power;
  if (after == curve.begin()) return std::nullopt;
  const auto before = std::prev(after);
  const double share = to_seconds(at - before->at) / to_seconds(after->at - before->at);
  return before->power + share * (after->power - before->power);
}

IntegratedEnergy integrated_energy(const PowerCurve& curve, TimeSpan span,
                                   std::optional<Seconds> period) {
  IntegratedEnergy result;
  for (const PowerPoint& point : curve) result.readings += span.contains(point.at) ? 1 : 0;
  result.covers_start = !curve.empty() && curve.front().at <= span.begin;
  result.covers_end = !curve.empty() && curve.back().at >= span.end;
  if (!result.covers_start || !result.covers_end || span.begin >= span.end) return result;
  const PowerCurve inside = cut(curve, span);
  result.joules = energy_under(inside);
  result.mean = *result.joules / to_seconds(span.length());
  result.start_bound = bound_at(curve, span.begin);
  result.end_bound = bound_at(curve, span.end);
  result.gap_bound = bound_of_gaps(inside, period);
  return result;
}

}  // namespace tokenjoule
