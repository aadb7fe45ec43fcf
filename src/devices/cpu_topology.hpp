#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tokenjoule {

/// Where a logical CPU sits.
struct CpuPlace {
  int cpu = 0;
  int package = 0;         ///< physical_package_id: the socket
  std::optional<int> die;  ///< die_id, where the kernel tells
};

/// All CPUs of which sysfs under `root` tells the package; offline ones are left out by the kernel.
std::vector<CpuPlace> cpu_places(const std::filesystem::path& root);
/// "0-2,8" as 0, 1, 2, 8; nullopt for other text or more than 65536 CPUs.
std::optional<std::vector<int>> cpu_list_in(std::string_view text);

/// What /proc/cpuinfo says of the first CPU; "" where it does not say (not every architecture has
/// the lines).
struct CpuModel {
  std::string vendor;  ///< "GenuineIntel", "AuthenticAMD"
  std::string name;
  bool virtual_machine = false;  ///< flag "hypervisor": this is a guest
};
CpuModel cpu_model_in(const std::filesystem::path& proc);

}  // namespace tokenjoule
