#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/import/foreign_log.hpp"

namespace tokenjoule {

/// A power log and a benchmark as InferenceX looks at them.
struct ValidityQuestion {
  const PowerLog* log = nullptr;
  std::int64_t to_load_ns = 0;            ///< added to the log's stamps: difference of time zones
  std::int64_t begin_ns = 0, end_ns = 0;  ///< the window
  std::optional<BenchmarkContract> contract;
  std::optional<std::int64_t> expected_gpus;
};

/// The reasons for which InferenceX would call this power log invalid (power_valid 0), in the order
/// in which it finds them; none: valid. Its rules: utils/aggregate_power.py of
/// SemiAnalysisAI/InferenceX (power_metric_schema_version 2): both edges bracketed and no gap above
/// 3 s for each GPU, at least two readings, bad rows near the window, the GPU count, the counts of
/// the benchmark, and its duration within max(0.5 s, 1 %). Reasons that are about files (missing,
/// empty, unreadable, columns missing) are errors of the readers, which name them.
std::vector<std::string> inferencex_reasons(const ValidityQuestion& question);

}  // namespace tokenjoule
