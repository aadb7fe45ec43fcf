#pragma once

#include <string_view>

#include "published/mlperf_logs.hpp"
#include "published/published_set.hpp"

namespace tokenjoule {

// Kinds of sidecars of the MLPerf importer.
constexpr std::string_view kMlperfSystems = "mlperf_systems";
constexpr std::string_view kMlperfLoadgenTable = "mlperf_loadgen_table";
constexpr std::string_view kMlperfSummaryLog = "mlperf_log_summary";
constexpr std::string_view kMlperfDetailLog = "mlperf_log_detail";
constexpr std::string_view kMlperfWallLog = "mlperf_wall_log";
constexpr std::string_view kMlperfSession = "mlperf_power_session";

/// Descriptions of systems: a submitter's systems/*.json, or lines of them with path and platform.
bool is_mlperf_systems(std::string_view bytes);
/// Gives rows the power limit and the cooling that the description of their system states.
void join_mlperf_systems(PublishedSet& set);

/// A CSV of loadgen's figures, a line a row of a summary (docs/published.md names its columns).
bool is_mlperf_loadgen_table(std::string_view bytes);
void join_mlperf_loadgen_table(PublishedSet& set);

/// Folders of logs of one run each: loadgen's, and of the meter where power was measured.
void join_mlperf_runs(PublishedSet& set);

/// What loadgen says beyond the summary: samples/s, tokens of an answer, latencies.
void take_loadgen_figures(PublishedResult& row, const LoadgenFigures& figures);
/// Does the run give the row's own throughput, within what the summary rounds?
bool same_throughput(const PublishedResult& row, const LoadgenFigures& figures);

/// The folder of a path, which may lead into an archive ("a.zip!b/c"); "" where there is none.
std::string_view folder_of(std::string_view path);

}  // namespace tokenjoule
