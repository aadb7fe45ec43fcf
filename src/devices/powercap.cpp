#include "devices/powercap.hpp"

#include "devices/sysfs.hpp"

namespace tokenjoule {

namespace {

PowercapZone zone_at(const std::filesystem::path& folder) {
  PowercapZone zone;
  zone.id = folder.filename().string();
  const auto first = zone.id.find(':');
  const auto last = zone.id.rfind(':');
  zone.control = zone.id.substr(0, first);
  if (last != first) zone.parent = zone.id.substr(0, last);
  zone.name = sysfs_text(folder / "name").value_or("");
  zone.energy_file = folder / "energy_uj";
  zone.range_uj = sysfs_number(folder / "max_energy_range_uj");
  if (zone.range_uj && *zone.range_uj <= 0) zone.range_uj.reset();
  return zone;
}

}  // namespace

PowercapTree powercap_tree(const std::filesystem::path& root) {
  PowercapTree tree;
  const std::filesystem::path folder = root / "sys/class/powercap";
  std::error_code error;
  tree.present = std::filesystem::is_directory(folder, error);
  for (const std::string& name : names_in(folder, "")) {
    if (name.find(':') == std::string::npos) continue;  // a control type, no zone
    if (!std::filesystem::exists(folder / name, error)) {
      tree.masked.push_back(name);
    } else if (std::filesystem::exists(folder / name / "energy_uj", error)) {
      tree.zones.push_back(zone_at(folder / name));
    }
  }
  return tree;
}

}  // namespace tokenjoule
