#pragma once

#include <memory>

#include "sensors/sensor.hpp"

namespace tokenjoule {

/// See README.md beside this file.
Result<std::unique_ptr<Sensor>> open_plug(const SensorSpec& spec, Clock& clock);

}  // namespace tokenjoule
