#pragma once

#include <memory>

#include "sensors/sensor.hpp"

namespace tokenjoule {

/// See README.md beside this file. Settings: library (path; default: the driver's), group.
Result<std::unique_ptr<Sensor>> open_nvml(const SensorSpec& spec, Clock& clock);

}  // namespace tokenjoule
