#pragma once

#include "devices/perf_energy.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// See README.md beside this file.
Result<std::unique_ptr<Sensor>> open_perf(const SensorSpec& spec, Clock& clock);
/// The same with events opened by something else than the kernel, for tests.
Result<std::unique_ptr<Sensor>> open_perf_with(const SensorSpec& spec, Clock& clock,
                                               const OpenPerfCounter& open);

}  // namespace tokenjoule
