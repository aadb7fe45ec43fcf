#pragma once

#include <filesystem>

#include "io/clock.hpp"
#include "sensors/amd/amd_gpus.hpp"

namespace tokenjoule {

/// AMD GPUs as the amdgpu driver's files show them, without any library.
/// Each GPU once, by its PCI address, however it is partitioned. An energy counter is kept only if
/// it agrees with the power beside it over a quarter of a second. An error of kind missing where no
/// GPU gives energy or power.
Result<AmdGpus> amd_gpus_in_sysfs(const std::filesystem::path& root, Clock& clock);

}  // namespace tokenjoule
