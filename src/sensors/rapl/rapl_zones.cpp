#include "sensors/rapl/rapl_zones.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::string called(const PowercapZone& zone) {
  return fmt::format("{} ({})", zone.name.empty() ? "a zone without a name" : quoted(zone.name),
                     quoted(zone.id));
}

std::optional<int> number_of(std::string_view text) {
  const auto number = integer_in(text);
  if (!number || *number < 0 || *number > 65535) return std::nullopt;
  return static_cast<int>(*number);
}

/// What a zone is, by its name and that of the zone around it; the reason where it is not read.
struct ZoneMeaning {
  std::optional<CpuPart> part;
  std::string why_not;
};

ZoneMeaning of_package(const PowercapZone& zone, const PowercapZone* around, CpuPartKind kind) {
  auto part = around == nullptr ? std::nullopt : package_in(around->name);
  if (!part) return {{}, fmt::format("{}: it lies in no package", called(zone))};
  part->kind = kind;
  return {part, ""};
}

ZoneMeaning meaning_of(const PowercapZone& zone, const PowercapZone* around,
                       std::string_view vendor) {
  if (const auto package = package_in(zone.name)) return {package, ""};
  if (zone.name == "psys" || starts_with(zone.name, "psys-")) {
    const int package = zone.name == "psys" ? 0 : number_of(zone.name.substr(5)).value_or(0);
    return {CpuPart{CpuPartKind::psys, package, {}}, ""};
  }
  if (zone.name == "dram") return of_package(zone, around, CpuPartKind::dram);
  if (zone.name == "uncore") return {{}, fmt::format("{}: part of its package", called(zone))};
  if (zone.name != "core") return {{}, fmt::format("{}: not known", called(zone))};
  if (vendor == "AuthenticAMD" || vendor == "HygonGenuine") {
    return {{}, fmt::format("{}: on AMD the register is one core's", called(zone))};
  }
  return of_package(zone, around, CpuPartKind::core);
}

const PowercapZone* zone_with(const std::vector<PowercapZone>& zones, const std::string& id) {
  const auto at = std::find_if(zones.begin(), zones.end(),
                               [&](const PowercapZone& zone) { return zone.id == id; });
  return id.empty() || at == zones.end() ? nullptr : &*at;
}

void leave_out_several_psys(RaplZones& found) {
  const auto is_psys = [](const RaplZone& zone) { return zone.part.kind == CpuPartKind::psys; };
  if (std::count_if(found.zones.begin(), found.zones.end(), is_psys) < 2) return;
  for (const RaplZone& zone : found.zones) {
    if (!is_psys(zone)) continue;
    found.left_out.push_back(fmt::format(
        "{}: one of several, which of them covers the platform is not known", called(zone.zone)));
  }
  std::erase_if(found.zones, is_psys);
}

}  // namespace

RaplZones zones_to_read(const std::vector<PowercapZone>& zones, std::string_view vendor) {
  // The register's own driver first: the same package by another way is then the repeat.
  std::vector<PowercapZone> sorted = zones;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return (a.control == "intel-rapl") > (b.control == "intel-rapl");
  });
  RaplZones found;
  for (const PowercapZone& zone : sorted) {
    const auto meaning = meaning_of(zone, zone_with(zones, zone.parent), vendor);
    if (!meaning.part) {
      found.left_out.push_back(meaning.why_not);
      continue;
    }
    const auto same =
        std::find_if(found.zones.begin(), found.zones.end(),
                     [&](const RaplZone& other) { return other.part == *meaning.part; });
    if (same == found.zones.end()) {
      found.zones.push_back({*meaning.part, zone});
    } else {
      found.left_out.push_back(fmt::format("{}: repeats {}", called(zone), quoted(same->zone.id)));
    }
  }
  leave_out_several_psys(found);
  std::vector<CpuPart*> parts;
  for (RaplZone& zone : found.zones) {
    if (zone.part.kind != CpuPartKind::psys) parts.push_back(&zone.part);
  }
  name_dies_only_where_several(parts);
  return found;
}

std::optional<CpuPart> package_in(std::string_view name) {
  constexpr std::string_view kPackage = "package-";
  constexpr std::string_view kDie = "-die-";
  if (!starts_with(name, kPackage)) return std::nullopt;
  name.remove_prefix(kPackage.size());
  const auto die_at = name.find(kDie);
  const auto package = number_of(name.substr(0, die_at));
  const auto die =
      die_at == name.npos ? std::nullopt : number_of(name.substr(die_at + kDie.size()));
  if (!package || (die_at != name.npos && !die)) return std::nullopt;
  return CpuPart{CpuPartKind::package, *package, die};
}

}  // namespace tokenjoule
