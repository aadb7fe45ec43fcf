#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// Board power of one GPU over time. Stamps are unix seconds where the log says so, else seconds of
/// a clock whose zone is not known.
struct PowerCurve {
  std::string gpu;  ///< index, with the host before it where the log has several
  std::vector<double> seconds;
  std::vector<double> watts;
};

struct PowerLog {
  std::vector<PowerCurve> gpus;
  bool zone_known = true;  ///< false: dates without a zone; `seconds` take them as UTC
};

/// Is this a log of GPU power: `nvidia-smi --query-gpu=timestamp,index,power.draw`, `amd-smi
/// metric` as CSV, or InferenceX's samples.csv of several nodes?
bool is_power_log(std::string_view bytes);
/// Samples without power ("N/A") are left out; the gap that they leave is seen later.
Result<PowerLog> power_log_in(std::string_view bytes);

/// Energy of each GPU of a log between two times: trapezoids, interpolated at both edges.
struct GpuEnergy {
  std::string gpu;
  double joules = 0;
  double mean_w = 0;
  double least_w = 0;  ///< over the whole log
  double most_w = 0;   ///< inside the window
};

/// By the rules of InferenceX's own aggregation (utils/aggregate_power.py): samples on both sides
/// of both edges, and no gap above 3 s.
Result<std::vector<GpuEnergy>> energy_between(const PowerLog& log, double start_unix_s,
                                              double end_unix_s);

}  // namespace tokenjoule
