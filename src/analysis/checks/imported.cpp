#include <algorithm>

#include "analysis/checks/checks.hpp"

namespace tokenjoule {

namespace {

struct ImportCode {
  std::string_view code;
  const char* advice;
};
/// Codes that an importer may give, with what to do.
constexpr ImportCode kImportCodes[] = {
    {"import_clock",
     "log power on the machine of the load generator, from before the load until after it, or "
     "state "
     "--clock-offset and --clock-bound"},
    {"import_limits", "see docs/import.md for what each format tells"},
    {"import_power_log", "log every GPU at 1 Hz or faster, from before the load until after it"},
    {"import_rows_skipped", "look at the rows named"},
    {"gpu_not_loaded", "name the GPUs that the engine uses: --gpus"},
};

}  // namespace

void check_import(const Facts& facts, std::vector<CheckFinding>& findings) {
  for (const ImportCode& known : kImportCodes) {
    Gathered gathered(std::string(known.code), known.advice);
    for (const CheckFinding& finding : facts.settings.imported) {
      if (finding.code == known.code) gathered.add(finding.severity, finding.message);
    }
    gathered.append_to(findings);
  }
}

}  // namespace tokenjoule
