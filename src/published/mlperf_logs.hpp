#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/published.hpp"

namespace tokenjoule {

/// What loadgen says about one run.
struct LoadgenFigures {
  std::string scenario;  ///< effective: a run of the scenario "Interactive" says "Server"
  std::string mode;      ///< "PerformanceOnly"
  std::optional<bool> valid;
  std::optional<double> tokens_per_s;  ///< output tokens; of Server runs the completed ones
  std::optional<double> samples_per_s;
  std::optional<double> target_qps;
  PublishedStatistic latency;  ///< seconds
  PublishedStatistic ttft;
  PublishedStatistic tpot;
};

/// mlperf_log_summary.txt
bool is_loadgen_summary(std::string_view bytes);
LoadgenFigures loadgen_summary_in(std::string_view bytes);

/// mlperf_log_detail.txt: the same, and the window over which power is averaged.
struct LoadgenDetail {
  LoadgenFigures figures;
  std::optional<double> power_begin_s;  ///< unix, or of a clock whose zone is not known
  std::optional<double> power_end_s;
};
bool is_loadgen_detail(std::string_view bytes);
LoadgenDetail loadgen_detail_in(std::string_view bytes);

/// spl.txt: power at the wall, summed over the meter's channels, once a second.
struct WallLog {
  std::vector<double> seconds;  ///< of the clock of the machine that has the meter
  std::vector<double> watts;
  std::size_t unread = 0;  ///< lines that are none
};
bool is_wall_log(std::string_view bytes);
WallLog wall_log_in(std::string_view bytes);

/// client.json or server.json of the power measurement.
struct PowerSession {
  bool is_client = false;
  double zone_s = 0;                      ///< of the stamps that this machine writes without a zone
  std::optional<double> testing_begin_s;  ///< unix: phases[1] and [2] of the test
  std::optional<double> testing_end_s;
  std::optional<double> clock_gap_s;  ///< largest difference of the two machines' clocks
};
bool is_power_session(std::string_view bytes);
Result<PowerSession> power_session_in(std::string_view bytes);

/// Mean of the positive watts strictly inside of the window, as the submission checker takes it
/// (tools/submission/submission_checker of mlcommons/inference). An error where there are none.
Result<double> mean_wall_watts(const WallLog& log, double begin_s, double end_s);

}  // namespace tokenjoule
