#include "sensors/amd/amd_sensor.hpp"

#include <utility>

#include "sensors/amd/amd_sysfs.hpp"

namespace tokenjoule {

Result<std::unique_ptr<Sensor>> open_amd(const SensorSpec& spec, Clock& clock) {
  TRY(AmdSysfs found, amd_gpus_in_sysfs(root_of(spec), clock));
  return value_sensor(std::move(found.devices), std::move(found.values), std::move(found.notes),
                      setting_of(spec, "group"), clock.now());
}

}  // namespace tokenjoule
