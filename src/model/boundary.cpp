#include "model/boundary.hpp"

namespace tokenjoule {

namespace {

struct Row {
  Boundary boundary;
  std::string_view name;
  std::optional<Boundary> parent;  ///< the next wider one
};

constexpr Row kBoundaries[] = {
    {Boundary::chip, "chip", Boundary::gpu_board},
    {Boundary::gpu_board, "gpu_board", Boundary::gpu_module},
    {Boundary::gpu_module, "gpu_module", Boundary::node_dc},
    {Boundary::cpu_core, "cpu_core", Boundary::cpu_package},
    {Boundary::cpu_package, "cpu_package", Boundary::psys},
    {Boundary::dram, "dram", Boundary::node_dc},
    {Boundary::psys, "psys", Boundary::node_dc},
    {Boundary::node_dc, "node_dc", Boundary::node_ac},
    {Boundary::node_ac, "node_ac", Boundary::rack},
    {Boundary::rack, "rack", Boundary::facility},
    {Boundary::facility, "facility", std::nullopt},
};

const Row& row_of(Boundary boundary) { return kBoundaries[static_cast<std::size_t>(boundary)]; }

}  // namespace

std::string_view name_of(Boundary boundary) { return row_of(boundary).name; }

std::optional<Boundary> boundary_named(std::string_view name) {
  for (const Row& row : kBoundaries) {
    if (row.name == name) return row.boundary;
  }
  return std::nullopt;
}

bool contains(Boundary outer, Boundary inner) {
  for (auto wider = row_of(inner).parent; wider; wider = row_of(*wider).parent) {
    if (*wider == outer) return true;
  }
  return false;
}

int width_of(Boundary boundary) { return static_cast<int>(boundary); }

}  // namespace tokenjoule
