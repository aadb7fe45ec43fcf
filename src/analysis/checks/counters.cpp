#include <optional>
#include <utility>

#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

const char* what_is_used(const DeviceMeasure& device) {
  if (device.power_stood_still) return "its power stood still as well";
  return device.used != nullptr && device.used == device.power ? "integrated power is used"
                                                               : "no power was read instead";
}

void check_frozen(const BoundaryMeasure& measure, std::vector<CheckFinding>& findings) {
  Gathered frozen("counter_frozen", "read power as well, and update the driver",
                  measure.energy.boundary);
  for (const DeviceMeasure& device : measure.devices) {
    if (!device.counter_frozen) continue;
    const bool known = device.missing == NoEnergy::has_it;
    frozen.add(known ? Severity::care : Severity::unusable,
               fmt::format("the energy counter of {} stood still: {}", device.device->id,
                           what_is_used(device)));
  }
  frozen.append_to(findings);
}

/// A counter fell, or was not read for so long that it may have started again at 0 meanwhile.
const char* what_it_did(const DeviceMeasure& device) {
  return device.by_counter.may_have_restarted
             ? "went backward, or may have started again while it was not read,"
             : "went backward";
}

void check_backward(const BoundaryMeasure& measure, std::vector<CheckFinding>& findings) {
  Gathered backward("counter_backward", "see whether the driver was reloaded or the GPU reset",
                    measure.energy.boundary);
  for (const DeviceMeasure& device : measure.devices) {
    if (!device.by_counter.decreased) continue;
    if (device.by_counter.decreased_in_span) {
      const bool known = device.missing == NoEnergy::has_it;
      backward.add(known ? Severity::care : Severity::unusable,
                   fmt::format("the energy counter of {} {} in the window: {}", device.device->id,
                               what_it_did(device), what_is_used(device)));
    } else {
      backward.add(Severity::care, fmt::format("the energy counter of {} {} outside the window",
                                               device.device->id, what_it_did(device)));
    }
  }
  backward.append_to(findings);
}

void check_coarse(const BoundaryMeasure& measure, TimeSpan window,
                  std::vector<CheckFinding>& findings) {
  Gathered coarse("counter_coarse", "measure for longer: --duration", measure.energy.boundary);
  const Seconds length = to_seconds(window.length());
  for (const DeviceMeasure& device : measure.devices) {
    if (device.used == nullptr || device.used != device.counter || !device.by_counter.step)
      continue;
    const double share = *device.by_counter.step / length;
    if (share <= thresholds::kCoarseShare) continue;
    coarse.add(share > thresholds::kCoarseShareSpoils ? Severity::unusable : Severity::care,
               fmt::format("the energy counter of {} steps every {:.2f} s", device.device->id,
                           device.by_counter.step->value()));
  }
  coarse.append_to(findings);
}

/// A counter in joules that was taken for millijoules, or the other way round.
const char* thousand_words(double power_to_counter) {
  constexpr double kLow = 500, kHigh = 2000;
  if (power_to_counter > kLow && power_to_counter < kHigh)
    return ": the counter's unit is taken 1000 times too small (J for mJ?)";
  if (1 / power_to_counter > kLow && 1 / power_to_counter < kHigh)
    return ": the counter's unit is taken 1000 times too large (mJ for J?)";
  return "";
}

/// One device at one boundary, read by several sensors: their energies, each by its own signals.
void compare_sensors(const Facts& facts, const BoundaryMeasure& measure, TimeSpan window,
                     Gathered& apart) {
  for (const CountedDevice& device : measure.counted.counted) {
    std::optional<std::pair<std::string, Joules>> first;
    for (const auto& [sensor, sources] :
         sources_by_sensor(facts.run, device, measure.energy.boundary)) {
      const auto joules = measured_device(facts.run, facts.series, sources, window).line.joules;
      if (!joules || *joules <= Joules()) continue;
      if (!first) first = {sensor, *joules};
      const double ratio = *joules / first->second;
      if (ratio >= thresholds::kAgreeLow && ratio <= thresholds::kAgreeHigh) continue;
      const bool spoils = ratio < thresholds::kFactorLow || ratio > thresholds::kFactorHigh;
      apart.add(spoils ? Severity::unusable : Severity::care,
                fmt::format("{}: {:.0f} J by {}, {:.0f} J by {}", device.front()->id,
                            joules->value(), sensor, first->second.value(), first->first));
    }
  }
}

void check_agreement(const Facts& facts, const BoundaryMeasure& measure,
                     std::vector<CheckFinding>& findings) {
  Gathered apart("sensors_disagree", "find out which is wrong: docs/checks.md, sensors_disagree",
                 measure.energy.boundary);
  compare_sensors(facts, measure, *facts.window.span, apart);
  for (const DeviceMeasure& device : measure.devices) {
    const auto r = sensor_ratio(device);
    if (!r || (*r >= thresholds::kAgreeLow && *r <= thresholds::kAgreeHigh)) continue;
    const bool spoils = *r < thresholds::kFactorLow || *r > thresholds::kFactorHigh;
    apart.add(spoils ? Severity::unusable : Severity::care,
              fmt::format("{}: integrated power is {:.3g} of the counter's energy{}",
                          device.device->id, *r, thousand_words(*r)));
  }
  apart.append_to(findings);
}

std::optional<Watts> limit_of(const DeviceMeasure& device) {
  const PowerLimits& limits = device.line.limits_after;
  if (limits.enforced) return limits.enforced;
  return limits.by_default ? limits.by_default : limits.highest;
}

struct PowerRange {
  Watts least, most;
};
/// What any device of such a boundary draws, whatever its maker; nullopt: not known. A chip, a
/// socket or its memory may sleep.
std::optional<PowerRange> range_at(Boundary boundary) {
  namespace t = thresholds;
  switch (boundary) {
    case Boundary::chip: return PowerRange{Watts(), Watts(t::kMostBoardWatts)};
    case Boundary::gpu_board: return PowerRange{Watts(t::kLeastWatts), Watts(t::kMostBoardWatts)};
    case Boundary::gpu_module: return PowerRange{Watts(t::kLeastWatts), Watts(t::kMostModuleWatts)};
    case Boundary::cpu_core:
    case Boundary::cpu_package:
    case Boundary::dram: return PowerRange{Watts(), Watts(t::kMostSocketWatts)};
    case Boundary::psys: return PowerRange{Watts(), Watts(t::kMostNodeWatts)};
    case Boundary::node_dc:
    case Boundary::node_ac: return PowerRange{Watts(t::kLeastWatts), Watts(t::kMostNodeWatts)};
    case Boundary::rack:
    case Boundary::facility: break;
  }
  return std::nullopt;
}

/// More than its board's limit: a module that holds a CPU as well may draw more.
std::string words_above_limit(const DeviceMeasure& device) {
  const auto limit = limit_of(device);
  const bool of_board = device.boundary == Boundary::gpu_board || device.boundary == Boundary::chip;
  if (!of_board || !limit || *limit <= Watts(0)) return "";
  const bool counted = device.used == device.counter;
  const Watts highest = counted ? device.by_counter.highest_power : device.by_power.mean;
  if (highest <= thresholds::kImplausibleFactor * *limit) return "";
  return fmt::format("{} would have drawn {:.0f} W with a limit of {:.0f} W", device.device->id,
                     highest.value(), limit->value());
}

/// A unit that is off by a thousand shows even where no limit is known: between 1 W and what no
/// such device draws lies every GPU board, module and machine.
std::string words_beyond_any(const DeviceMeasure& device) {
  const auto range = range_at(device.boundary);
  const auto mean = device.line.mean_power;
  if (!range || !mean || device.used->modelled) return "";
  const bool low = *mean < range->least;
  const bool high = *mean > range->most && !is_sum_of_gpus(*device.device);
  if (!low && !high) return "";
  return fmt::format("{} would have drawn {:.3g} W, which no {} does", device.device->id,
                     mean->value(), name_of(device.boundary));
}

void check_plausible(const BoundaryMeasure& measure, std::vector<CheckFinding>& findings) {
  Gathered implausible("implausible_power", "compare the sensor's unit with its documentation",
                       measure.energy.boundary);
  for (const DeviceMeasure& device : measure.devices) {
    if (device.used == nullptr) continue;
    std::string words = words_above_limit(device);
    if (words.empty()) words = words_beyond_any(device);
    if (!words.empty()) implausible.add(Severity::unusable, std::move(words));
  }
  implausible.append_to(findings);
}

}  // namespace

void check_counters(const Facts& facts, std::vector<CheckFinding>& findings) {
  if (!facts.window.span) return;
  for (const BoundaryMeasure& measure : facts.boundaries) {
    check_frozen(measure, findings);
    check_backward(measure, findings);
    check_coarse(measure, *facts.window.span, findings);
    check_agreement(facts, measure, findings);
    check_plausible(measure, findings);
  }
}

}  // namespace tokenjoule
