#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

constexpr const char* kKeepReading =
    "let the sensors run before and after the window: they do by "
    "default; see --cooldown and --power-interval";

/// The page of counter and power is known to repeat itself: at an edge without a step its power is
/// as old as its counter.
bool may_be_stale(const DeviceMeasure& device) {
  return device.refresh && device.power != nullptr &&
         device.power->sensor == device.counter->sensor;
}

void check_missing(const BoundaryMeasure& measure, std::vector<CheckFinding>& findings) {
  const Boundary boundary = measure.energy.boundary;
  Gathered uncovered("window_not_covered", kKeepReading, boundary);
  Gathered device_lost("device_lost",
                       "see the kernel's log for a GPU that fell off the bus, then "
                       "measure again",
                       boundary);
  Gathered sensor_lost("sensor_lost",
                       "see why the sensor stopped (tokenjoule sensors), then "
                       "measure again",
                       boundary);
  for (const DeviceMeasure& device : measure.devices) {
    switch (device.missing) {
      case NoEnergy::no_signal:
      case NoEnergy::not_covered: uncovered.add(Severity::unusable, device.reason); break;
      case NoEnergy::device_lost: device_lost.add(Severity::unusable, device.reason); break;
      case NoEnergy::sensor_lost: sensor_lost.add(Severity::unusable, device.reason); break;
      case NoEnergy::has_it:
        if (device.counter == nullptr || device.used == device.counter) break;
        if (device.by_counter.joules || device.counter_frozen) break;
        if (device.by_counter.decreased_in_span) break;
        uncovered.add(may_be_stale(device) ? Severity::unusable : Severity::care,
                      fmt::format("the counter of {} has no step beyond an edge: integrated power "
                                  "is used",
                                  device.device->id));
        break;
      case NoEnergy::counter_backward:
      case NoEnergy::counter_frozen: break;  // said by check_counters
    }
  }
  uncovered.append_to(findings);
  device_lost.append_to(findings);
  sensor_lost.append_to(findings);
}

void check_gaps(const Facts& facts, const BoundaryMeasure& measure, TimeSpan window,
                std::vector<CheckFinding>& findings) {
  Gathered gaps("sensor_gap", "poll less often, or free the machine that polls",
                measure.energy.boundary);
  const Seconds length = to_seconds(window.length());
  for (const DeviceMeasure& device : measure.devices) {
    if (device.used == nullptr || !device.line.max_gap) continue;
    const Seconds gap = *device.line.max_gap;
    const Series& readings = facts.series.of(device.used->id);
    auto period = device.used->period ? device.used->period : usual_period(readings, window);
    const bool repeats = device.used == device.power && device.refresh;
    if (repeats) period = device.refresh->period;
    const bool long_gap =
        gap > thresholds::kGapLongest || (period && gap > thresholds::kGapPeriods * *period);
    if (!long_gap) continue;
    const bool spoils = gap > thresholds::kGapShareSpoils * length;
    gaps.add(spoils ? Severity::unusable : Severity::care,
             fmt::format("{} {} for {:.2f} s of the window", device.device->id,
                         repeats ? "gave nothing but repeats" : "was not read", gap.value()));
  }
  gaps.append_to(findings);
}

/// A sensor that stopped although what it read is known from another one.
void check_spare_sensors(const Facts& facts, TimeSpan window, std::vector<CheckFinding>& findings) {
  Gathered lost("sensor_lost", "see why the sensor stopped (tokenjoule sensors)");
  for (const Loss& loss : facts.run.losses) {
    if (loss.what != "sensor" || loss.span.begin >= window.end) continue;
    bool said = false;
    for (const BoundaryMeasure& measure : facts.boundaries) {
      for (const DeviceMeasure& device : measure.devices) {
        said = said || device.missing == NoEnergy::sensor_lost;
      }
    }
    if (said) continue;
    lost.add(Severity::care, fmt::format("the sensor {} stopped ({}); the energy is known from "
                                         "another",
                                         loss.source, loss.reason));
  }
  lost.append_to(findings);
}

void check_steps(const BoundaryMeasure& measure, std::vector<CheckFinding>& findings) {
  Gathered few("window_too_short", "measure for longer: --duration", measure.energy.boundary);
  for (const DeviceMeasure& device : measure.devices) {
    if (device.used == nullptr) continue;
    const bool counted = device.used == device.counter;
    const int count = counted ? device.by_counter.steps : device.by_power.readings;
    if (count >= thresholds::kStepsFew) continue;
    few.add(count < thresholds::kStepsTooFew ? Severity::unusable : Severity::care,
            fmt::format("{} {} of {} in the window", count,
                        counted ? "counter steps" : "power readings", device.device->id));
  }
  few.append_to(findings);
}

void check_anything_read(const Facts& facts, std::vector<CheckFinding>& findings) {
  Gathered nothing("window_not_covered", kKeepReading);
  if (!facts.window.span) nothing.add(Severity::unusable, facts.window.reason);
  if (!facts.headline) {
    nothing.add(Severity::unusable, "no power and no energy of a chosen device was read");
  } else if (facts.window.span && facts.at(*facts.headline) == nullptr) {
    nothing.add(Severity::unusable,
                fmt::format("nothing was read at the boundary {}", name_of(*facts.headline)));
  }
  nothing.append_to(findings);
}

}  // namespace

void check_coverage(const Facts& facts, std::vector<CheckFinding>& findings) {
  check_anything_read(facts, findings);
  if (!facts.window.span) return;
  for (const BoundaryMeasure& measure : facts.boundaries) {
    check_missing(measure, findings);
    check_gaps(facts, measure, *facts.window.span, findings);
    check_steps(measure, findings);
  }
  check_spare_sensors(facts, *facts.window.span, findings);
}

}  // namespace tokenjoule
