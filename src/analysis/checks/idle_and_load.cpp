#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

/// The boundary at which the chosen GPUs' own power is known.
const BoundaryMeasure* gpu_measure(const Facts& facts) {
  if (facts.headline && is_gpu_boundary(*facts.headline)) return facts.at(*facts.headline);
  return facts.at(Boundary::gpu_board);
}

/// GPUs whose power is known idle and under load, and those of them that hardly rise.
void check_loaded(const Facts& facts, std::vector<CheckFinding>& findings) {
  const BoundaryMeasure* measure = gpu_measure(facts);
  if (measure == nullptr) return;
  std::size_t known = 0;
  std::vector<std::string> idling;
  for (const DeviceMeasure& device : measure->devices) {
    const auto& idle = device.line.idle_power;
    if (device.device->kind != DeviceKind::gpu || !idle || !device.line.mean_power) continue;
    ++known;
    if (*device.line.mean_power >= thresholds::kLoadedRise * *idle) continue;
    idling.push_back(fmt::format("{} draws {:.1f} W under load and {:.1f} W idle",
                                 device.device->id, device.line.mean_power->value(),
                                 idle->value()));
  }
  Gathered gathered("gpu_not_loaded", "name the GPUs that the engine uses: --gpus");
  for (std::string& words : idling) {
    gathered.add(idling.size() == known ? Severity::unusable : Severity::care, std::move(words));
  }
  gathered.append_to(findings);
}

void check_not_idle(const Facts& facts, std::vector<CheckFinding>& findings) {
  Gathered busy("not_idle", "stop other clients of the engine, or leave the phase out: --idle 0");
  if (facts.idle.engine_busy) {
    busy.add(Severity::note, "requests were running in the idle phase: idle power is unknown");
  }
  for (const auto& [boundary, split] : facts.idle_splits) {
    if (split.flat) continue;
    busy.add(Severity::note,
             fmt::format("power at {} was not steady in the idle phase", name_of(boundary)));
  }
  busy.append_to(findings);
}

}  // namespace

void check_idle(const Facts& facts, std::vector<CheckFinding>& findings) {
  check_not_idle(facts, findings);
  check_loaded(facts, findings);
  for (const auto& [boundary, split] : facts.idle_splits) {
    if (!split.contradiction) continue;
    Gathered contradiction("idle_contradiction",
                           "measure idle again, with the engine loaded and "
                           "nothing running",
                           boundary);
    contradiction.add(Severity::care,
                      fmt::format("the window has {:.1f} J less than idle power would have drawn "
                                  "(bound {:.1f} J)",
                                  -split.active.value(), split.bound.value()));
    contradiction.append_to(findings);
  }
}

}  // namespace tokenjoule
