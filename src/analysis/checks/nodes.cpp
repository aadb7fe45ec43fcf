#include <fmt/core.h>

#include "analysis/checks/checks.hpp"

namespace tokenjoule {

void check_nodes(const Facts& facts, std::vector<CheckFinding>& findings) {
  for (const BoundaryMeasure& outer : facts.boundaries) {
    for (const BoundaryMeasure& inner : facts.boundaries) {
      const Boundary wide = outer.energy.boundary, narrow = inner.energy.boundary;
      if (!is_gpu_boundary(narrow) || is_gpu_boundary(wide) || !contains(wide, narrow)) continue;
      if (!outer.energy.joules || !inner.energy.joules) continue;
      if (*outer.energy.joules >= *inner.energy.joules) continue;
      Gathered below("node_below_gpus", "list every feed of the node: one outlet is a share of it",
                     wide);
      below.add(Severity::unusable,
                fmt::format("{} has {:.1f} J, its GPUs alone {:.1f} J", name_of(wide),
                            outer.energy.joules->value(), inner.energy.joules->value()));
      below.append_to(findings);
    }
  }
}

}  // namespace tokenjoule
