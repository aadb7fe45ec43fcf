#include "analysis/idle.hpp"

#include <cmath>

#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

IdlePower from_counter(const CounterCurve& curve, TimeSpan phase) {
  const CounterLevel* first = nullptr;
  const CounterLevel* last = nullptr;
  for (const CounterLevel& level : curve.levels) {
    if (level.after_decrease && phase.contains(level.first_seen)) return {};
    if (!level.step_at || !phase.contains(*level.step_at)) continue;
    if (first == nullptr) first = &level;
    last = &level;
  }
  if (first == last || *last->step_at <= *first->step_at) return {};
  const Seconds length = to_seconds(*last->step_at - *first->step_at);
  const Seconds unsure = to_seconds(first->step_uncertainty + last->step_uncertainty);
  const Watts power = (last->energy - first->energy) / length;
  return {power, power * (unsure / length), true};
}

IdlePower from_readings(const PowerCurve& curve, TimeSpan phase) {
  const PowerPoint* first = nullptr;
  const PowerPoint* last = nullptr;
  for (const PowerPoint& point : curve) {
    if (!phase.contains(point.at)) continue;
    if (first == nullptr) first = &point;
    last = &point;
  }
  if (first == last) return {};
  const auto energy = integrated_energy(curve, {first->at, last->at}, std::nullopt);
  return {energy.mean, Watts(), true};
}

bool differ(const std::optional<Watts>& first, const std::optional<Watts>& second) {
  if (!first || !second) return false;
  const double change = std::abs((*second - *first).value());
  return change > thresholds::kIdleDrift.value() &&
         change > thresholds::kIdleDriftShare * std::min(*first, *second).value();
}

}  // namespace

IdlePhase idle_phase(const Run& run) {
  IdlePhase phase;
  const auto begin = start_of(run, Phase::idle);
  const auto end = start_of(run, Phase::warmup);
  if (!begin || !end || *end <= *begin) {
    phase.reason = "the record has no idle phase";
    return phase;
  }
  phase.span = TimeSpan{*begin, *end};
  for (const CounterScrape& scrape : run.scrapes) {
    const auto running = scrape.values.find(EngineMetric::requests_running);
    if (running == scrape.values.end() || !phase.span->contains(scrape.read.middle())) continue;
    ++phase.scrapes;
    if (running->second > 0) phase.engine_busy = true;
  }
  return phase;
}

IdlePower idle_power(const SeriesTable& series, const DeviceMeasure& measure, TimeSpan phase) {
  if (measure.used == nullptr) return {};
  const TimeSpan first_half{phase.begin, phase.middle()};
  const TimeSpan second_half{phase.middle(), phase.end};
  if (measure.used == measure.counter) {
    const CounterCurve curve = counter_curve(series.of(measure.used->id), *measure.used);
    IdlePower power = from_counter(curve, phase);
    power.flat =
        !differ(from_counter(curve, first_half).power, from_counter(curve, second_half).power);
    return power;
  }
  const PowerCurve curve = power_curve(power_readings(measure, series), *measure.used);
  IdlePower power = from_readings(curve, phase);
  power.flat =
      !differ(from_readings(curve, first_half).power, from_readings(curve, second_half).power);
  return power;
}

}  // namespace tokenjoule
