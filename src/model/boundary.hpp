#pragma once

#include <optional>
#include <string_view>

namespace tokenjoule {

/// What a power figure includes, from the inside out.
enum class Boundary {
  chip,
  gpu_board,   ///< GPU board with its memory
  gpu_module,  ///< superchip or OAM: may hold CPU and memory as well
  cpu_core,
  cpu_package,
  dram,
  psys,
  node_dc,
  node_ac,  ///< at the node's AC inlets
  rack,
  facility,
};

std::string_view name_of(Boundary boundary);
std::optional<Boundary> boundary_named(std::string_view name);

/// Whether all that `inner` covers lies inside `outer`, by kind: chip < gpu_board < gpu_module <
/// node_dc < node_ac < rack < facility; cpu_core < cpu_package < psys < node_dc; dram < node_dc.
/// Containment also depends on devices (a superchip's module holds its CPU); a sensor that knows
/// says so in its README. False for equal boundaries.
bool contains(Boundary outer, Boundary inner);

/// A number that grows with how much a boundary takes in: for "the widest boundary measured".
int width_of(Boundary boundary);

}  // namespace tokenjoule
