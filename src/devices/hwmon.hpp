#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tokenjoule {

/// One chip of the kernel's hwmon class.
struct HwmonChip {
  std::filesystem::path folder;  ///< …/hwmon/hwmon3
  std::string name;              ///< its file `name`: "amdgpu", "power_meter"; "" if unreadable
};

/// The chips in a folder that holds hwmonN folders: /sys/class/hwmon, or a device's own hwmon.
std::vector<HwmonChip> hwmon_chips(const std::filesystem::path& folder);
/// Numbers N for which the chip has a file KINDn_ITEM, in order: channels("energy", "input").
std::vector<int> hwmon_channels(const HwmonChip& chip, std::string_view kind,
                                std::string_view item);

}  // namespace tokenjoule
