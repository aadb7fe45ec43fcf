#pragma once

#include <filesystem>
#include <memory>

#include "devices/amd_smi.hpp"
#include "io/clock.hpp"
#include "sensors/amd/amd_gpus.hpp"

namespace tokenjoule {

/// AMD GPUs as AMD's management library shows them. Each GPU once, by its PCI address: of its
/// partitions, the first. An energy counter is kept only if it agrees with the power beside it over
/// a quarter of a second. An error of kind missing where no GPU gives energy or power.
/// @param root the folder in which `sys` lies: names and serial numbers come from there
/// @param smi shared: each of the values reads by it, and the last one closes it
Result<AmdGpus> amd_gpus_in_library(std::shared_ptr<const AmdSmi> smi,
                                    const std::filesystem::path& root, Clock& clock);

}  // namespace tokenjoule
