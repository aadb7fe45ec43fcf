#pragma once

#include <string_view>

#include "base/result.hpp"
#include "record/import/foreign_log.hpp"

/// Readers of power logs, one a format. All take the whole text, keep every row that can be read,
/// and give one error (missing) where the text is something else.
namespace tokenjoule {

/// nvidia-smi --query-gpu=timestamp,index,power.draw,… --format=csv[,nounits], and InferenceX's
/// gpu_metrics.csv (of nvidia-smi or amd-smi): columns in any order. Where a known name is missing,
/// InferenceX's own rule applies: the first column with "time" or "power" (no limit) in its name.
Result<PowerLog> read_nvidia_smi(std::string_view text, const ReadOptions& options);

/// Any CSV, by --columns time=…,watts=…[,joules=…][,device=…]; needs options.boundary.
Result<PowerLog> read_named_columns(std::string_view text, const ReadOptions& options);

/// dcgmi dmon -e 155[,156,…]: columns POWER (W), TOTEC (mJ), TMPTR, SMCLK, MMCLK, GPUTL. It writes
/// no times: what stands in front of "GPU 0" is taken as one (`dcgmi dmon … | ts`), else rounds are
/// options.period apart from options.begin_ns on, or from 0 of a clock of its own.
Result<PowerLog> read_dcgmi_dmon(std::string_view text, const ReadOptions& options);

/// AIPerf's gpu_telemetry_export.jsonl: one object a GPU and scrape; power in W, energy in MJ
/// (src/aiperf/gpu_telemetry/constants.py).
Result<PowerLog> read_aiperf_telemetry(std::string_view text, const ReadOptions& options);

/// MLPerf's run_1/spl.txt: "Time,MM-DD-YYYY HH:MM:SS.mmm,Watts,…,Mark,…": AC power of the whole
/// system under test.
Result<PowerLog> read_mlperf_power(std::string_view text, const ReadOptions& options);

/// MLPerf's own mean: of all watts above 0 with begin < time < end, both strict. nullopt where no
/// row is.
std::optional<Watts> mlperf_average(const PowerLog& log, std::int64_t begin_ns,
                                    std::int64_t end_ns);

}  // namespace tokenjoule
