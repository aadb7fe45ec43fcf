#include "devices/hwmon.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.hpp"
#include "devices/sysfs.hpp"

namespace tokenjoule {

std::vector<HwmonChip> hwmon_chips(const std::filesystem::path& folder) {
  std::vector<HwmonChip> chips;
  for (const std::string& name : names_in(folder, "hwmon")) {
    chips.push_back({folder / name, sysfs_text(folder / name / "name").value_or("")});
  }
  return chips;
}

std::vector<int> hwmon_channels(const HwmonChip& chip, std::string_view kind,
                                std::string_view item) {
  std::vector<int> channels;
  const std::string end = fmt::format("_{}", item);
  for (const std::string& name : names_in(chip.folder, kind)) {
    if (!ends_with(name, end) || name.size() < kind.size() + end.size()) continue;
    const auto number =
        integer_in(name.substr(kind.size(), name.size() - kind.size() - end.size()));
    if (number) channels.push_back(static_cast<int>(*number));
  }
  std::sort(channels.begin(), channels.end());
  return channels;
}

}  // namespace tokenjoule
