#include "analysis/device_energy.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "analysis/device_state.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

bool counter_is_sound(const DeviceMeasure& measure) {
  return measure.by_counter.joules.has_value() && !measure.counter_frozen;
}

/// Whether power was drawn, or may have been, while a counter stood still. A step's length is left
/// off at both ends: what flowed there belongs to the steps before and behind.
bool power_flowed(const SeriesTable& series, const Signal* power, TimeSpan flat,
                  std::optional<Seconds> step) {
  if (power == nullptr) return true;
  const Nanoseconds margin = to_nanoseconds(step.value_or(Seconds()));
  const auto readings = within(series.of(power->id), {flat.begin + margin, flat.end - margin});
  return readings.empty() || std::any_of(readings.begin(), readings.end(),
                                         [](const SeriesPoint& point) { return point.raw > 0; });
}

/// Whether the power stood still with the counter: a driver that hangs repeats all of its readings.
bool power_stands_still(const SeriesTable& series, const DeviceMeasure& measure) {
  if (measure.power == nullptr) return false;
  const auto& flats = measure.by_counter.flat;
  return std::any_of(flats.begin(), flats.end(), [&](TimeSpan flat) {
    const auto readings = within(series.of(measure.power->id), flat);
    return readings.size() >= thresholds::kEqualReadings &&
           std::all_of(readings.begin(), readings.end(),
                       [&](const SeriesPoint& point) { return point.raw == readings.front().raw; });
  });
}

bool is_frozen(const SeriesTable& series, const DeviceMeasure& measure) {
  const CounterEnergy& counter = measure.by_counter;
  return std::any_of(counter.flat.begin(), counter.flat.end(), [&](TimeSpan flat) {
    return power_flowed(series, measure.power, flat, counter.step);
  });
}

/// How the page of a power signal is refreshed, where that is slower than it is polled.
std::optional<Refresh> refresh_of(const SeriesTable& series, const DeviceSources& sources,
                                  const Signal& power) {
  const Series& readings = series.of(power.id);
  for (const Signal* counter : sources.counters) {
    if (counter->sensor != power.sensor || series.of(counter->id).empty()) continue;
    const CounterCurve curve = counter_curve(series.of(counter->id), *counter);
    return refresh_by_counter(readings, curve, power.period);
  }
  return refresh_by_values(readings, power.period);
}

/// At an edge power may have changed since the last refresh: nothing of it is known by then.
void widen_edges(IntegratedEnergy& energy, const PowerCurve& curve, TimeSpan span,
                 Seconds refresh) {
  if (!energy.joules) return;
  const auto at_edge = [&](MonoTime edge) { return *power_at(curve, edge) * refresh; };
  energy.start_bound = std::max(energy.start_bound, at_edge(span.begin));
  energy.end_bound = std::max(energy.end_bound, at_edge(span.end));
}

/// An average over tau misses nothing between the reads, an instant value does: averages first,
/// then the one that is read most often, then the first listed.
void choose_power(DeviceMeasure& measure, const SeriesTable& series, const DeviceSources& sources,
                  TimeSpan span) {
  constexpr double kUnknownPeriod = std::numeric_limits<double>::infinity();
  bool best_covers = false, best_averages = false;
  double best_period = kUnknownPeriod;
  for (const Signal* signal : sources.powers) {
    const Series& readings = series.of(signal->id);
    auto refresh = refresh_of(series, sources, *signal);
    auto period = signal->period ? signal->period : usual_period(readings, span);
    if (refresh) period = refresh->period;
    const PowerCurve curve = power_curve(refresh ? refresh->readings : readings, *signal);
    auto energy = integrated_energy(curve, span, period);
    if (refresh) widen_edges(energy, curve, span, refresh->period);
    const bool covers = energy.joules.has_value();
    const bool averages = signal->averaging && (!refresh || refresh->period <= *signal->averaging);
    const double length = period ? period->value() : kUnknownPeriod;
    const bool better = covers != best_covers       ? covers
                        : averages != best_averages ? averages
                                                    : length < best_period;
    if (measure.power != nullptr && !better) continue;
    measure.power = signal;
    measure.by_power = std::move(energy);
    measure.refresh = std::move(refresh);
    best_covers = covers;
    best_averages = averages;
    best_period = length;
  }
}

/// A sound counter first, then the one with the finest step, then the first listed.
void choose_counter(DeviceMeasure& measure, const SeriesTable& series, const DeviceSources& sources,
                    TimeSpan span) {
  for (const Signal* signal : sources.counters) {
    DeviceMeasure candidate = measure;
    candidate.counter = signal;
    candidate.by_counter = counter_energy(counter_curve(series.of(signal->id), *signal), span);
    candidate.counter_frozen = is_frozen(series, candidate);
    const bool sound = counter_is_sound(candidate), have_sound = counter_is_sound(measure);
    const auto& step = candidate.by_counter.step;
    const auto& best_step = measure.by_counter.step;
    const bool finer = step && (!best_step || *step < *best_step);
    if (measure.counter == nullptr || (sound != have_sound ? sound : finer)) measure = candidate;
  }
}

std::optional<MonoTime> last_reading(const SeriesTable& series, const DeviceSources& sources) {
  std::optional<MonoTime> last;
  const auto take = [&](const Signal* signal) {
    const Series& readings = series.of(signal->id);
    if (readings.empty()) return;
    last = std::max(last.value_or(readings.back().read.end), readings.back().read.end);
  };
  std::for_each(sources.counters.begin(), sources.counters.end(), take);
  std::for_each(sources.powers.begin(), sources.powers.end(), take);
  return last;
}

bool sensor_stopped(const Run& run, const DeviceSources& sources, TimeSpan span) {
  const auto reads_it = [&](const Loss& loss) {
    const auto from_it = [&](const Signal* signal) { return signal->sensor == loss.source; };
    return std::any_of(sources.counters.begin(), sources.counters.end(), from_it) ||
           std::any_of(sources.powers.begin(), sources.powers.end(), from_it);
  };
  return std::any_of(run.losses.begin(), run.losses.end(), [&](const Loss& loss) {
    return loss.what == "sensor" && loss.span.begin <= span.end && reads_it(loss);
  });
}

NoEnergy why_missing(const Run& run, const SeriesTable& series, const DeviceSources& sources,
                     const DeviceMeasure& measure, TimeSpan span) {
  const auto last = last_reading(series, sources);
  if (last && *last < span.end) {
    if (sensor_stopped(run, sources, span)) return NoEnergy::sensor_lost;
    const bool others_go_on = !run.samples.empty() && run.samples.back().read.begin >= span.end;
    if (*last > span.begin && others_go_on) return NoEnergy::device_lost;
  }
  if (measure.counter != nullptr && measure.by_counter.decreased_in_span) {
    return NoEnergy::counter_backward;
  }
  if (measure.counter != nullptr && measure.counter_frozen) return NoEnergy::counter_frozen;
  return sensor_stopped(run, sources, span) ? NoEnergy::sensor_lost : NoEnergy::not_covered;
}

std::string words_for(NoEnergy missing, const Device& device) {
  switch (missing) {
    case NoEnergy::has_it: return "";
    case NoEnergy::no_signal: return fmt::format("{} has no power or energy reading", device.id);
    case NoEnergy::not_covered:
      return fmt::format("{} has no new reading beyond an edge of the window", device.id);
    case NoEnergy::counter_backward:
      return fmt::format("the energy counter of {} went backward", device.id);
    case NoEnergy::counter_frozen:
      return fmt::format("the energy counter of {} stood still", device.id);
    case NoEnergy::sensor_lost: return fmt::format("the sensor of {} stopped", device.id);
    case NoEnergy::device_lost: return fmt::format("the readings of {} stop", device.id);
  }
  return "";
}

void itemise(DeviceMeasure& measure) {
  const bool counted = measure.used == measure.counter;
  const Signal& used = *measure.used;
  DeviceEnergy& line = measure.line;
  const Joules start = counted ? measure.by_counter.start_bound : measure.by_power.start_bound;
  const Joules end = counted ? measure.by_counter.end_bound : measure.by_power.end_bound;
  line.edge_bound = start + end;
  const Accuracy accuracy = accuracy_of(used);
  line.gain_bound = *line.joules * accuracy.half_width_relative;
  const std::string what = counted ? "counter step" : "power reading";
  const std::string source = counted           ? "reads around the steps of the counter"
                             : measure.refresh ? "time between refreshes of the reading"
                                               : "width of the reads beside the edge";
  measure.bounds = {
      {"sensor gain", line.gain_bound->value(), accuracy.distribution, true, accuracy.source},
      {what + " at the window's start", start.value(), "rectangular", false, source},
      {what + " at the window's end", end.value(), "rectangular", false, source},
  };
  if (counted) return;
  measure.bounds.push_back({"integration gaps", measure.by_power.gap_bound.value(), "rectangular",
                            false, "range of the power read in the window"});
}

void believe(DeviceMeasure& measure, bool modelled, TimeSpan span) {
  DeviceEnergy& line = measure.line;
  const bool counted = counter_is_sound(measure);
  measure.used = counted ? measure.counter : measure.power;
  line.joules = counted ? line.counter_joules : line.integrated_joules;
  line.method = modelled ? "modelled" : counted ? "counter" : "integrated_power";
  line.instrument = instrument_of(*measure.used);
  line.mean_power = *line.joules / to_seconds(span.length());
  itemise(measure);
}

}  // namespace

DeviceMeasure measured_device(const Run& run, const SeriesTable& series,
                              const DeviceSources& sources, TimeSpan span) {
  DeviceMeasure measure;
  measure.device = sources.device;
  measure.boundary = sources.boundary;
  choose_power(measure, series, sources, span);
  choose_counter(measure, series, sources, span);
  if (measure.counter_frozen && power_stands_still(series, measure)) {
    measure.power_stood_still = true;
    measure.power = nullptr;
    measure.by_power = {};
    measure.refresh.reset();
  }
  measure.line = state_of_device(run, series, *sources.device, span);
  measure.line.counter_joules = measure.by_counter.joules;
  measure.line.integrated_joules = measure.by_power.joules;
  measure.line.step = measure.by_counter.step;
  if (counter_is_sound(measure) || measure.by_power.joules) {
    believe(measure, sources.modelled, span);
    const bool counted = measure.used == measure.counter;
    measure.line.max_gap =
        longest_gap(counted ? series.of(measure.used->id) : power_readings(measure, series), span);
  } else {
    const bool none = sources.counters.empty() && sources.powers.empty();
    measure.missing = none ? NoEnergy::no_signal : why_missing(run, series, sources, measure, span);
    measure.reason = words_for(measure.missing, *sources.device);
  }
  if (measure.line.mean_power && measure.line.limits_after.enforced > Watts(0) &&
      is_gpu_boundary(measure.boundary)) {
    measure.line.share_of_limit = *measure.line.mean_power / *measure.line.limits_after.enforced;
  }
  return measure;
}

const Series& power_readings(const DeviceMeasure& measure, const SeriesTable& series) {
  return measure.refresh ? measure.refresh->readings : series.of(measure.power->id);
}

std::optional<double> sensor_ratio(const DeviceMeasure& measure) {
  const auto& counted = measure.by_counter.joules;
  const auto& integrated = measure.by_power.joules;
  if (!counted || !integrated || *counted <= Joules(0)) return std::nullopt;
  return *integrated / *counted;
}

}  // namespace tokenjoule
