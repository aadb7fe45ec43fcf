#pragma once

#include <set>
#include <string>
#include <vector>

#include "record/import/imported_run.hpp"

/// What an import has to say against itself; used by imported_run alone.
namespace tokenjoule {

struct ImportFinding {
  std::string code;      ///< of docs/checks.md
  std::string severity;  ///< note, care
  std::string message;
};

/// One power log with what was found out of it.
struct JoinedPower {
  const PowerLog* log = nullptr;
  std::set<std::size_t> chosen;  ///< indexes of devices that count
  ClockJoin clock;
  std::vector<std::string> inferencex_reasons;
  std::optional<Watts> mlperf_average;
};

std::vector<ImportFinding> import_findings(const LoadLog& load,
                                           const std::vector<JoinedPower>& powers);

/// The header's configuration: what was read, how the clocks were joined, what is doubtful.
std::string import_configuration(const LoadLog& load, const std::vector<JoinedPower>& powers,
                                 const std::vector<ImportedFile>& files, const ImportChoice& choice,
                                 const std::vector<ImportFinding>& findings);

}  // namespace tokenjoule
