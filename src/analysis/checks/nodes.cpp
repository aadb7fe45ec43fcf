#include <fmt/core.h>

#include "analysis/checks/checks.hpp"

namespace tokenjoule {

namespace {

/// Energy of the GPUs, of those of a boundary, that lie inside what `outer` reads, in whole or in
/// part; nullopt where one of them is unknown.
std::optional<Joules> energy_of_gpus_in(const Facts& facts, const BoundaryMeasure& outer,
                                        const BoundaryMeasure& gpus) {
  std::optional<Joules> sum;
  for (const DeviceMeasure& gpu : gpus.devices) {
    const Scope inner = scope_of(facts.run, *gpu.device, gpus.energy.boundary);
    bool held = false;
    for (const DeviceMeasure& device : outer.devices) {
      const Scope scope = scope_of(facts.run, *device.device, outer.energy.boundary);
      const Containment how = containment_of(scope, inner);
      held = held || how == Containment::contains || how == Containment::overlaps;
    }
    if (!held) continue;
    if (!gpu.line.joules) return std::nullopt;
    sum = sum.value_or(Joules()) + *gpu.line.joules;
  }
  return sum;
}

void check_below(const Facts& facts, const BoundaryMeasure& outer,
                 std::vector<CheckFinding>& findings) {
  const Boundary wide = outer.energy.boundary;
  if (is_gpu_boundary(wide) || !outer.energy.joules) return;
  for (const BoundaryMeasure& inner : facts.boundaries) {
    const Boundary narrow = inner.energy.boundary;
    if (!is_gpu_boundary(narrow) || !contains(wide, narrow)) continue;
    const auto gpus = energy_of_gpus_in(facts, outer, inner);
    if (!gpus || *outer.energy.joules >= *gpus) continue;
    Gathered below("node_below_gpus", "list every feed of the node: one outlet is a share of it",
                   wide);
    below.add(Severity::unusable,
              fmt::format("{} has {:.1f} J, its GPUs alone {:.1f} J", name_of(wide),
                          outer.energy.joules->value(), gpus->value()));
    below.append_to(findings);
  }
}

void check_feeds(const BoundaryMeasure& measure, std::vector<CheckFinding>& findings) {
  Gathered partial("partial_node",
                   "read every feed of the node, and list them: feeds of [node.NAME] in the "
                   "configuration file",
                   measure.energy.boundary);
  for (const std::string& node : measure.counted.missing_feeds) {
    partial.add(Severity::unusable, fmt::format("the node {}: its energy is a part of it", node));
  }
  for (const std::string& outlet : measure.counted.lone_outlets) {
    partial.add(Severity::care, fmt::format("{} is one outlet, and nothing says which others feed "
                                            "the node",
                                            outlet));
  }
  partial.append_to(findings);
}

void check_overlap(const BoundaryMeasure& measure, std::vector<CheckFinding>& findings) {
  if (measure.counted.ambiguous.empty()) return;
  Gathered overlap("scopes_overlap",
                   "say what they feed or read: [node.NAME] in the configuration file "
                   "(docs/configuration.md), or leave one out",
                   measure.energy.boundary);
  overlap.add(Severity::unusable, measure.counted.ambiguous + ": they are not added");
  overlap.append_to(findings);
}

}  // namespace

void check_nodes(const Facts& facts, std::vector<CheckFinding>& findings) {
  for (const BoundaryMeasure& measure : facts.boundaries) {
    check_below(facts, measure, findings);
    check_feeds(measure, findings);
    check_overlap(measure, findings);
  }
}

}  // namespace tokenjoule
