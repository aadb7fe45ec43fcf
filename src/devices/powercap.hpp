#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tokenjoule {

/// A zone of Linux powercap.
struct PowercapZone {
  std::string id;       ///< its folder: "intel-rapl:0:1"; the numbers are hexadecimal
  std::string control;  ///< in front of the first colon: "intel-rapl", "intel-rapl-mmio"
  std::string parent;   ///< id of the zone around it; "" for an outermost one
  std::string name;     ///< its file `name`: "package-0", "dram"; "" if unreadable
  std::filesystem::path energy_file;
  std::optional<double> range_uj;  ///< max_energy_range_uj; absent if 0 or unreadable
};

/// What /sys/class/powercap lists under `root`.
struct PowercapTree {
  bool present = false;  ///< the folder exists
  std::vector<PowercapZone> zones;
  std::vector<std::string> masked;  ///< listed, but what they point to is hidden from this process
};
PowercapTree powercap_tree(const std::filesystem::path& root);

}  // namespace tokenjoule
