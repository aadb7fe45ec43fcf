#include <fmt/core.h>

#include "analysis/checks/checks.hpp"

namespace tokenjoule {

namespace {

void add_tenants(const Device& device, const char* fact, const char* when, Gathered& foreign) {
  const auto at = device.facts.find(fact);
  if (at == device.facts.end() || at->second.empty()) return;
  const bool unknown = at->second.rfind(kUnknownProcesses, 0) == 0;
  foreign.add(
      unknown ? Severity::note : Severity::care,
      unknown ? fmt::format("which processes compute on {}{} is {}", device.id, when, at->second)
              : fmt::format("outside of the engine these compute on {}{}: {}", device.id, when,
                            at->second));
}

}  // namespace

/// Other programs that computed on the chosen GPUs when the run began or ended, as the record
/// tells.
void check_tenants(const Facts& facts, std::vector<CheckFinding>& findings) {
  Gathered foreign("foreign_process",
                   "the energy is shared with them: stop them, or measure another GPU");
  for (const Device& device : facts.run.devices) {
    if (!device.chosen) continue;
    add_tenants(device, kForeignProcessesFact, "", foreign);
    add_tenants(device, kForeignProcessesAfterFact, " at the end", foreign);
  }
  foreign.append_to(findings);
}

}  // namespace tokenjoule
