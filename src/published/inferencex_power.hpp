#pragma once

#include <string>
#include <string_view>

#include "published/importers.hpp"

namespace tokenjoule {

constexpr std::string_view kPowerLog = "power_log";
constexpr std::string_view kPowerValidation = "power_validation";

/// power_validation_*.json: InferenceX's own account of a run's power.
bool is_power_validation(std::string_view bytes);

/// Gives raw results the energy that the power logs and validations beside them hold. A validation
/// belongs to the result with its window and counts; a log to the result of its name, else to the
/// one whose window it covers. What belongs to no result becomes a problem of its file.
void join_inferencex(PublishedSet& set);

/// The name that files of one run share: "agg_R.json", "R.gpu_metrics.csv" and
/// "gpu_metrics_R/gpu_metrics.csv" are all "R".
std::string run_name_of(std::string_view file_name);

}  // namespace tokenjoule
