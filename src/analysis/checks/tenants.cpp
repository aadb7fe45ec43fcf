#include <fmt/core.h>

#include "analysis/checks/checks.hpp"

namespace tokenjoule {

/// Other programs that computed on the chosen GPUs when the run began, as the record tells.
void check_tenants(const Facts& facts, std::vector<CheckFinding>& findings) {
  Gathered foreign("foreign_process",
                   "the energy is shared with them: stop them, or measure another GPU");
  for (const Device& device : facts.run.devices) {
    const auto at = device.facts.find(kForeignProcessesFact);
    if (!device.chosen || at == device.facts.end() || at->second.empty()) continue;
    const bool unknown = at->second.rfind(kUnknownProcesses, 0) == 0;
    foreign.add(unknown ? Severity::note : Severity::care,
                unknown ? fmt::format("which processes compute on {} is {}", device.id, at->second)
                        : fmt::format("outside of the engine these compute on {}: {}", device.id,
                                      at->second));
  }
  foreign.append_to(findings);
}

}  // namespace tokenjoule
