#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "io/testing_tree.hpp"

namespace tokenjoule {

/// A gpu_metrics table of format 1 in which everything but header and energy is unknown, as the
/// driver fills it (all ones).
inline std::string metrics_table(std::uint8_t content, std::uint16_t size, std::size_t energy_at,
                                 std::uint64_t energy) {
  std::string table(size, '\xff');
  std::memcpy(table.data(), &size, sizeof size);
  table[2] = 1;
  table[3] = static_cast<char>(content);
  std::memcpy(table.data() + energy_at, &energy, sizeof energy);
  return table;
}

inline void write_amd_card(const TestTree& tree, const std::string& card,
                           const std::string& address, const std::string& pci_device) {
  const std::string device = "sys/class/drm/" + card + "/device/";
  tree.write(device + "uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=" + address + "\n");
  tree.write(device + "vendor", "0x1002\n");
  tree.write(device + "device", pci_device + "\n");
  tree.write(device + "hwmon/hwmon2/name", "amdgpu\n");
}

}  // namespace tokenjoule
