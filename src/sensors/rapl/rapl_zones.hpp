#pragma once

#include <string>
#include <vector>

#include "devices/powercap.hpp"
#include "sensors/cpu_energy.hpp"

namespace tokenjoule {

/// A zone that is read, as what.
struct RaplZone {
  CpuPart part;
  PowercapZone zone;
};
struct RaplZones {
  std::vector<RaplZone> zones;        ///< each part once
  std::vector<std::string> left_out;  ///< the others, each with its reason
};

/// Which zones to read. Left out are: repeats of a package (intel-rapl-mmio beside intel-rapl),
/// uncore (inside its package), the cores of AMD (the register is one core's), several psys (which
/// of them covers the platform is not known), and names that are not known.
/// @param vendor vendor_id of the CPU
RaplZones zones_to_read(const std::vector<PowercapZone>& zones, std::string_view vendor);

/// The package and die that a zone's name tells of: "package-1", "package-15", "package-0-die-1".
std::optional<CpuPart> package_in(std::string_view name);

}  // namespace tokenjoule
