#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/clock.hpp"
#include "sensors/value_sensor.hpp"

namespace tokenjoule {

/// AMD GPUs as the amdgpu driver's files show them, without any library.
struct AmdSysfs {
  std::vector<Device> devices;
  std::vector<SensorValue> values;
  std::vector<std::string> notes;  ///< GPUs that are there and not read, each with its reason
};

/// Each GPU once, by its PCI address, however it is partitioned. An energy counter is kept only if
/// it agrees with the power beside it over a quarter of a second. An error of kind missing where no
/// GPU gives energy or power.
Result<AmdSysfs> amd_gpus_in_sysfs(const std::filesystem::path& root, Clock& clock);

}  // namespace tokenjoule
