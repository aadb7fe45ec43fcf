#include "model/signal.hpp"

#include <iterator>

namespace tokenjoule {

namespace {

constexpr std::string_view kDeviceKinds[] = {"gpu", "cpu", "memory", "node", "other"};

struct MeasurandRow {
  std::string_view name;
  std::string_view si_unit;
};

constexpr MeasurandRow kMeasurands[] = {
    {"energy", "J"},
    {"power", "W"},
    {"power_limit_enforced", "W"},
    {"power_limit_default", "W"},
    {"power_limit_max", "W"},
    {"power_limit_min", "W"},
    {"power_limit_requested", "W"},
    {"temperature", "degC"},
    {"sm_clock", "MHz"},
    {"memory_clock", "MHz"},
    {"utilisation", "1"},
    {"memory_used", "B"},
    {"throttled_time", "s"},
    {"power_capped_time", "s"},
};

}  // namespace

std::string_view name_of(DeviceKind kind) { return kDeviceKinds[static_cast<std::size_t>(kind)]; }

std::optional<DeviceKind> device_kind_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kDeviceKinds); ++i) {
    if (kDeviceKinds[i] == name) return static_cast<DeviceKind>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Measurand measurand) {
  return kMeasurands[static_cast<std::size_t>(measurand)].name;
}

std::string_view si_unit_of(Measurand measurand) {
  return kMeasurands[static_cast<std::size_t>(measurand)].si_unit;
}

std::optional<Measurand> measurand_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kMeasurands); ++i) {
    if (kMeasurands[i].name == name) return static_cast<Measurand>(i);
  }
  return std::nullopt;
}

double si_factor(const Signal& signal) {
  return signal.calibration ? signal.to_si * signal.calibration->gain : signal.to_si;
}

Accuracy accuracy_of(const Signal& signal) {
  if (!signal.calibration) return signal.accuracy;
  const Calibration& calibration = *signal.calibration;
  return {calibration.half_width, "rectangular", "certificate",
          "calibration " + calibration.certificate + " of " + calibration.date};
}

std::string instrument_of(const Signal& signal) { return signal.sensor + ":" + signal.device; }

}  // namespace tokenjoule
