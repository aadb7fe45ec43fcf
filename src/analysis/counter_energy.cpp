#include "analysis/counter_energy.hpp"

#include <algorithm>

#include "analysis/statistics.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

CounterLevel first_level(const SeriesPoint& point, Joules energy, bool after_decrease) {
  return {energy, point.read.end, point.read.end, std::nullopt, {}, after_decrease};
}

CounterLevel next_level(const SeriesPoint& before, const SeriesPoint& after, Joules energy) {
  const TimeSpan around{before.read.middle(), after.read.middle()};
  const Nanoseconds widest = after.read.end - before.read.begin;
  return {energy, after.read.end, after.read.end, around.middle(), widest / 2, false};
}

/// Mean power between a level's step and the next one; nullopt where one of them has no step.
std::optional<Watts> power_after(const CounterCurve& curve, std::size_t level) {
  if (level + 1 >= curve.levels.size()) return std::nullopt;
  const CounterLevel& from = curve.levels[level];
  const CounterLevel& to = curve.levels[level + 1];
  if (!from.step_at || !to.step_at || *to.step_at <= *from.step_at) return std::nullopt;
  return (to.energy - from.energy) / to_seconds(*to.step_at - *from.step_at);
}

bool was_read_around(const CounterLevel& level, Nanoseconds longest) {
  return level.step_at && level.step_uncertainty * 2 <= longest;
}

/// The longest time between two reads that is no gap.
Nanoseconds longest_pause(const Series& series, const Signal& signal) {
  constexpr TimeSpan kAlways{MonoTime{INT64_MIN}, MonoTime{INT64_MAX}};
  const auto period = signal.period ? signal.period : usual_period(series, kAlways);
  const Seconds usual = thresholds::kGapPeriods * period.value_or(Seconds());
  return to_nanoseconds(std::max(usual, thresholds::kGapLongest));
}

/// Twice the highest power between two steps with no gap before either.
Watts most_power(const CounterCurve& curve, Nanoseconds longest) {
  Watts most;
  for (std::size_t i = 0; i + 1 < curve.levels.size(); ++i) {
    if (!was_read_around(curve.levels[i], longest)) continue;
    if (!was_read_around(curve.levels[i + 1], longest)) continue;
    most = std::max(most, 2 * power_after(curve, i).value_or(Watts()));
  }
  return most;
}

/// Marks levels behind a gap that a counter started again could have reached.
void doubt_restarts(CounterCurve& curve, const Series& series, const Signal& signal,
                    const std::vector<double>& raw_of_level) {
  const Nanoseconds longest = longest_pause(series, signal);
  std::optional<Watts> most;
  for (std::size_t i = 1; i < curve.levels.size(); ++i) {
    CounterLevel& level = curve.levels[i];
    if (!level.step_at || was_read_around(level, longest)) continue;
    if (!most) most = most_power(curve, longest);
    const Joules since_zero(raw_of_level[i] * signal.to_si);
    if (since_zero > *most * to_seconds(level.step_uncertainty * 2)) continue;
    level.step_at.reset();
    level.after_decrease = true;
    curve.may_have_restarted = true;
  }
}

/// The least mean power that could have brought the counter from one step to the next.
Watts least_power_after(const CounterCurve& curve, std::size_t level) {
  const auto power = power_after(curve, level);
  if (!power) return Watts();
  const CounterLevel& from = curve.levels[level];
  const CounterLevel& to = curve.levels[level + 1];
  const Nanoseconds longest =
      (*to.step_at - *from.step_at) + from.step_uncertainty + to.step_uncertainty;
  return (to.energy - from.energy) / to_seconds(longest);
}

bool decrease_between(const CounterCurve& curve, std::size_t first, std::size_t last) {
  for (std::size_t i = first + 1; i <= last && i < curve.levels.size(); ++i) {
    if (curve.levels[i].after_decrease) return true;
  }
  return false;
}

std::optional<std::size_t> last_step_up_to(const CounterCurve& curve, MonoTime at) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < curve.levels.size(); ++i) {
    if (curve.levels[i].step_at && *curve.levels[i].step_at <= at) found = i;
  }
  return found;
}

std::optional<std::size_t> first_step_from(const CounterCurve& curve, MonoTime at) {
  for (std::size_t i = 0; i < curve.levels.size(); ++i) {
    if (curve.levels[i].step_at && *curve.levels[i].step_at >= at) return i;
  }
  return std::nullopt;
}

/// The highest mean power in the interval of the edge and in its two neighbours: a step whose time
/// is off makes the power of one interval too low and of the next one too high.
Joules edge_bound(const CounterCurve& curve, const EdgeEnergy& edge) {
  const CounterLevel& before = curve.levels[edge.level_before];
  const CounterLevel& after = curve.levels[edge.level_after];
  Watts power;
  const std::size_t first = edge.level_before == 0 ? 0 : edge.level_before - 1;
  for (std::size_t i = first; i <= edge.level_after; ++i) {
    power = std::max(power, power_after(curve, i).value_or(Watts()));
  }
  return power * to_seconds(std::max(before.step_uncertainty, after.step_uncertainty));
}

std::vector<TimeSpan> long_flats(const CounterCurve& curve, TimeSpan span,
                                 std::optional<Seconds> step) {
  std::vector<TimeSpan> flats;
  for (const CounterLevel& level : curve.levels) {
    const TimeSpan flat{level.first_seen, level.last_seen};
    if (flat.end <= span.begin || flat.begin >= span.end) continue;
    // A counter that never stepped has no step to compare with: flat over the whole span is flat.
    const bool long_flat = step ? to_seconds(flat.length()) > thresholds::kFrozenSteps * *step
                                : flat.begin <= span.begin && flat.end >= span.end;
    if (long_flat) flats.push_back(flat);
  }
  return flats;
}

Watts highest_power_in(const CounterCurve& curve, TimeSpan span) {
  Watts highest;
  for (std::size_t i = 0; i + 1 < curve.levels.size(); ++i) {
    const auto& from = curve.levels[i].step_at;
    const auto& to = curve.levels[i + 1].step_at;
    if (!from || !to || *to <= span.begin || *from >= span.end) continue;
    highest = std::max(highest, least_power_after(curve, i));
  }
  return highest;
}

}  // namespace

std::optional<Seconds> median_step(const CounterCurve& curve, std::optional<TimeSpan> span) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < curve.levels.size(); ++i) {
    const auto& before = curve.levels[i - 1].step_at;
    const auto& after = curve.levels[i].step_at;
    if (!before || !after) continue;
    if (span && (*before < span->begin || *after > span->end)) continue;
    steps.push_back(to_seconds(*after - *before).value());
  }
  const auto step = median_of(std::move(steps));
  return step ? std::optional(Seconds(*step)) : std::nullopt;
}

CounterCurve counter_curve(const Series& series, const Signal& signal) {
  CounterCurve curve;
  std::vector<double> raw_of_level;
  // Differences of raw values first: a count of millijoules since boot has no digit to spare.
  double raw_since_first = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (i == 0) {
      curve.levels.push_back(first_level(series[i], Joules(), false));
      raw_of_level.push_back(series[i].raw);
      continue;
    }
    double change = series[i].raw - series[i - 1].raw;
    if (change < 0 && signal.modulus) change += *signal.modulus;
    if (change > 0) {
      raw_since_first += change;
      const Joules energy(raw_since_first * si_factor(signal));
      curve.levels.push_back(next_level(series[i - 1], series[i], energy));
    } else if (change < 0) {
      curve.levels.push_back(first_level(series[i], curve.levels.back().energy, true));
    } else {
      CounterLevel& level = curve.levels.back();
      level.last_seen = std::max(level.first_seen, series[i].read.begin);
    }
    if (change != 0) raw_of_level.push_back(series[i].raw);
  }
  // With a modulus its sensor tells a wrap from a reset, and a small value may be behind a wrap.
  if (!signal.modulus) doubt_restarts(curve, series, signal, raw_of_level);
  return curve;
}

std::optional<EdgeEnergy> energy_at(const CounterCurve& curve, MonoTime at) {
  const auto before = last_step_up_to(curve, at);
  const auto after = first_step_from(curve, at);
  if (!before || !after || decrease_between(curve, *before, *after)) return std::nullopt;
  EdgeEnergy edge{curve.levels[*before].energy, Joules(), *before, *after};
  const MonoTime from = *curve.levels[*before].step_at;
  const MonoTime to = *curve.levels[*after].step_at;
  if (to > from) {
    const double share = to_seconds(at - from) / to_seconds(to - from);
    edge.energy += share * (curve.levels[*after].energy - curve.levels[*before].energy);
  }
  edge.bound = edge_bound(curve, edge);
  return edge;
}

CounterEnergy counter_energy(const CounterCurve& curve, TimeSpan span) {
  CounterEnergy result;
  result.step = median_step(curve, span);
  if (!result.step) result.step = median_step(curve, std::nullopt);
  for (const CounterLevel& level : curve.levels) {
    if (level.step_at && span.contains(*level.step_at)) ++result.steps;
    if (level.after_decrease) result.decreased = true;
  }
  result.may_have_restarted = curve.may_have_restarted;
  const auto before = last_step_up_to(curve, span.begin);
  const auto after = first_step_from(curve, span.end);
  result.covers_start = before.has_value();
  result.covers_end = after.has_value();
  result.flat = long_flats(curve, span, result.step);
  result.highest_power = highest_power_in(curve, span);
  const std::size_t last = curve.levels.empty() ? 0 : curve.levels.size() - 1;
  result.decreased_in_span = decrease_between(curve, before.value_or(0), after.value_or(last));
  const auto start = energy_at(curve, span.begin);
  const auto end = energy_at(curve, span.end);
  if (!start || !end || result.decreased_in_span) return result;
  result.joules = end->energy - start->energy;
  result.start_bound = start->bound;
  result.end_bound = end->bound;
  return result;
}

}  // namespace tokenjoule
