#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/signal.hpp"

namespace tokenjoule {

/// The rails that NVIDIA's firmware names on Grace.
enum class GraceRail {
  module,  ///< CPU, GPU, memories and regulators
  total,   ///< all of Grace: cores, SysIO, its memory
  cores,
  sysio,
  dram,
};
struct GraceRailName {
  GraceRail rail = GraceRail::total;
  int socket = 0;
};
/// "Grace Power Socket 0", "CPU Rail Input Power in uW socket 1"; nullopt for other names, outputs
/// of regulators and energies among them.
std::optional<GraceRailName> grace_rail_in(std::string_view oem_info);

/// What a rail's power belongs to. `chosen` is false where the same power stands in another
/// device's figures.
Device grace_device(const GraceRailName& name);
Boundary boundary_of(GraceRail rail);

}  // namespace tokenjoule
