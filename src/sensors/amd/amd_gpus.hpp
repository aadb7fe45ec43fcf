#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "sensors/value_sensor.hpp"

namespace tokenjoule {

/// AMD GPUs, whichever way they are read.
struct AmdGpus {
  std::vector<Device> devices;
  std::vector<SensorValue> values;
  std::vector<std::string> notes;  ///< GPUs that are there and not read, each with its reason
};

/// What the amdgpu driver's files say of a GPU that does not change: its serial number, by which
/// AMD's exporter knows it, its own number and its partitions.
/// @param folder of its PCI device
void add_amd_facts(Device& device, const std::filesystem::path& folder);

/// Why a counter that grew by `counted` beside that power is not used: it stands still, or is off
/// by more than a factor of 2; "" where it is.
std::string why_amd_energy_is_wrong(Joules counted, std::optional<Watts> power, Seconds elapsed);

/// Time between the two reads by which a counter is held against power.
constexpr Nanoseconds kAmdCheckTime = milliseconds(250);

}  // namespace tokenjoule
