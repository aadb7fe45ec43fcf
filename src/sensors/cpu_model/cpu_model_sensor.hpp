#pragma once

#include <filesystem>
#include <memory>

#include "sensors/sensor.hpp"

namespace tokenjoule {

/// See README.md beside this file.
Result<std::unique_ptr<Sensor>> open_cpu_model(const SensorSpec& spec, Clock& clock);
/// The same with procfs elsewhere, for tests.
Result<std::unique_ptr<Sensor>> open_cpu_model_at(const std::filesystem::path& proc,
                                                  const SensorSpec& spec, Clock& clock);

}  // namespace tokenjoule
