#include "devices/drm_cards.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "devices/sysfs.hpp"

namespace tokenjoule {

namespace {

std::uint32_t hex_number(const std::filesystem::path& file) {
  const std::string text = sysfs_text(file).value_or("");
  std::uint32_t number = 0;
  if (starts_with(text, "0x"))
    std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  return number;
}

/// PCI_SLOT_NAME of a device's uevent file; "" where it has none.
std::string pci_address_of(const std::filesystem::path& device) {
  constexpr std::string_view kKey = "PCI_SLOT_NAME=";
  const std::string uevent = sysfs_text(device / "uevent").value_or("");
  for (const std::string_view line : split(uevent, '\n')) {
    if (starts_with(line, kKey)) return lower_case(trimmed(line.substr(kKey.size())));
  }
  return "";
}

}  // namespace

DrmCards drm_cards(const std::filesystem::path& root) {
  DrmCards found;
  const std::filesystem::path drm = root / "sys/class/drm";
  for (const std::string& name : names_in(drm, "card")) {
    if (name.find('-') != std::string::npos) continue;  // card0-DP-1: a connector of card0
    const std::filesystem::path device = drm / name / "device";
    DrmCard card{name, device, pci_address_of(device), hex_number(device / "vendor"),
                 hex_number(device / "device")};
    if (card.pci_address.empty()) {
      found.without_address.push_back(name);
      continue;
    }
    const bool listed =
        std::any_of(found.cards.begin(), found.cards.end(),
                    [&](const DrmCard& other) { return other.pci_address == card.pci_address; });
    if (!listed) found.cards.push_back(std::move(card));
  }
  return found;
}

}  // namespace tokenjoule
