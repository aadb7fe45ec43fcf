#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tokenjoule {

constexpr std::uint32_t kPciVendorAmd = 0x1002;
constexpr std::uint32_t kPciVendorIntel = 0x8086;

/// A graphics card of the kernel's drm class that sits on PCI.
struct DrmCard {
  std::string name;              ///< "card1"
  std::filesystem::path folder;  ///< its device's folder
  std::string pci_address;       ///< "0000:c1:00.0", lower case
  std::uint32_t vendor = 0;      ///< PCI numbers
  std::uint32_t device = 0;
};

/// What /sys/class/drm lists under `root`.
struct DrmCards {
  std::vector<DrmCard> cards;                ///< each PCI device once, by its address
  std::vector<std::string> without_address;  ///< cards of no PCI device: partitions, virtual ones
};
DrmCards drm_cards(const std::filesystem::path& root);

}  // namespace tokenjoule
