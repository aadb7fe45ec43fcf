#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/measure_options.hpp"
#include "base/result.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// What an analysis may be told beyond the record. What is absent here is taken from the record, so
/// that analysing it again gives the same bytes.
struct AnalysisChoice {
  std::optional<bool> strict;
  std::optional<Boundary> boundary;
  std::optional<PeerTool> definitions;
};

/// "tokenjoule-20261130-120000": where files go if no folder is named.
std::string default_folder();

/// Reads a run file and judges it.
Result<Report> judged(const std::filesystem::path& record, const AnalysisChoice& choice);

/// Writes result.json, result.csv and report.md beside the record.
Status write_results(const Report& report, const std::filesystem::path& folder);

/// Writes result.csv and report.md of several points into their common folder.
Status write_points(const std::vector<Report>& reports, const std::filesystem::path& folder);

/// What goes to standard output.
std::string printed(const std::vector<Report>& reports, OutputFormat format);

}  // namespace tokenjoule
