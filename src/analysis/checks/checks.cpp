#include "analysis/checks/checks.hpp"

#include <fmt/format.h>

namespace tokenjoule {

namespace {

constexpr CheckCode kCodes[] = {
    {"client_limited", "care, unusable"},
    {"clock_step", "care"},
    {"concurrency_capped", "note"},
    {"context_tuned", "note"},
    {"counter_backward", "care, unusable"},
    {"counter_coarse", "care, unusable"},
    {"counter_frozen", "care, unusable"},
    {"device_lost", "unusable"},
    {"engine_lost", "unusable"},
    {"failures", "note, care"},
    {"foreign_process", "note, care"},
    {"foreign_traffic", "care, unusable"},
    {"gpu_not_loaded", "care, unusable"},
    {"idle_contradiction", "care"},
    {"implausible_power", "unusable"},
    {"import_clock", "note, care"},
    {"import_limits", "note"},
    {"import_power_log", "care"},
    {"import_rows_skipped", "note, care"},
    {"interrupted", "care"},
    {"limit_changed", "care"},
    {"limit_unexpected", "care"},
    {"no_tokens", "unusable"},
    {"node_below_gpus", "unusable"},
    {"not_idle", "note"},
    {"partial_node", "care, unusable"},
    {"power_capped", "note"},
    {"prompt_cache_hits", "care"},
    {"prompt_length_differs", "care"},
    {"prompts_estimated", "note"},
    {"random_text", "note"},
    {"records_lost", "care, unusable"},
    {"scopes_overlap", "unusable"},
    {"sensor_gap", "care, unusable"},
    {"sensor_lost", "care, unusable"},
    {"sensors_disagree", "care, unusable"},
    {"throttled", "care"},
    {"tls_not_verified", "note"},
    {"tokens_disagree", "care, unusable"},
    {"tokens_estimated", "care"},
    {"window_not_covered", "care, unusable"},
    {"window_too_short", "care, unusable"},
};

using Check = void (*)(const Facts&, std::vector<CheckFinding>&);
constexpr Check kChecks[] = {check_coverage, check_counters, check_limits, check_idle,
                             check_nodes,    check_tokens,   check_engine, check_record,
                             check_client,   check_tenants,  check_import, check_engine_loss};

/// More names than this in one sentence help nobody.
constexpr std::size_t kDetailsShown = 4;

}  // namespace

std::span<const CheckCode> check_codes() { return kCodes; }

std::vector<CheckFinding> all_findings(const Facts& facts) {
  std::vector<CheckFinding> findings;
  for (const Check check : kChecks) check(facts, findings);
  return findings;
}

void Gathered::add(Severity severity, std::string detail) {
  details_[static_cast<std::size_t>(severity)].push_back(std::move(detail));
}

void Gathered::append_to(std::vector<CheckFinding>& findings) const {
  for (const Severity severity : {Severity::note, Severity::care, Severity::unusable}) {
    const auto& details = details_[static_cast<std::size_t>(severity)];
    if (details.empty()) continue;
    const std::size_t shown = std::min(details.size(), kDetailsShown);
    std::string message = fmt::format(
        "{}",
        fmt::join(details.begin(), details.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
    if (shown < details.size()) message += fmt::format("; and {} more", details.size() - shown);
    findings.push_back({code_, severity, message, advice_, boundary_});
  }
}

}  // namespace tokenjoule
