#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/report.hpp"

namespace tokenjoule {

/// What the run's configuration says of its load. Absent: it does not say.
struct StatedLoad {
  std::optional<std::string> mode;          ///< closed, open
  bool by_others = false;                   ///< recorded while others drove it
  std::optional<std::string> program;       ///< the command that was recorded, without arguments
  std::optional<std::int64_t> concurrency;  ///< closed loop
  std::optional<std::int64_t> concurrency_cap;  ///< open loop
  std::optional<double> request_rate_per_s;
  std::optional<std::string> arrival;  ///< poisson, constant, gamma, trace
  std::optional<bool> ignore_eos;
  std::optional<std::string> dataset_name, dataset_sha256;
  std::optional<double> duration_s;
  std::optional<std::int64_t> num_requests;
};

/// Reads `Report::configuration_json`; text that is no JSON has no settings.
StatedLoad stated_load(const Report& report);
/// "closed loop, concurrency 64", "open loop, 4.000 requests/s", "not known".
std::string load_words(const StatedLoad& load);
/// The shortest that tells points of one table apart: "64", "4.000/s", "n/a".
std::string load_point(const StatedLoad& load);

/// How the energy in a figure came about (counter, integrated_power, modelled, mixed); "" for a
/// figure without energy in it.
std::string energy_method(const Report& report, const Figure& figure);
/// Known keys in the order of the metric table, then all others in the order of their keys.
std::vector<std::pair<std::string, const Figure*>> ordered(const Figures& figures);
std::vector<std::pair<std::string, const Summary*>> ordered(
    const std::map<std::string, Summary>& summaries);
const Figure* figure_of(const Figures& figures, std::string_view key);
const Summary* summary_of(const Report& report, std::string_view key);

/// One line each, for people: "2 × GPU board incl. memory", "cpu_package (permission), …".
std::string included_words(const Report& report);
std::string excluded_words(const Report& report);
/// Whether the run only metered: no request in it is ours.
bool is_driven_by_others(const Report& report);
/// "640 completed, 0 failed, 0 cancelled of 640 planned; 512.4 in the window".
std::string request_words(const Report& report);
std::string token_words(const TokenCounts& tokens);
/// "60.0 s, from 12.0 s to 72.0 s of the run, chosen by design", or why there is none.
std::string window_words(const Report& report);
/// "35 200 ± 1 800 J (counter), prefill 12 000 J", or why there is none.
std::string energy_words(const BoundaryEnergy& energy);
/// What the energy was read with: "nvml (energy counter nvmlDeviceGetFieldValues(83), power …)".
std::string instrument_words(const Report& report);
/// "12 finished (8 stop, 4 length); prompts mean 512, p50 256 to 512, …"; "" where none are
/// counted.
std::string engine_request_words(const Report& report);
std::string idle_words(const IdleReport& idle);
std::string client_words(const ClientQuality& client);
std::string full_run_words(const FullRun& full_run);
std::string engine_words(const Report& report);

/// "2026-11-30 10:15:00 UTC".
std::string utc_text(WallTime at);

}  // namespace tokenjoule
