#include <cmath>

#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

constexpr double kIdentity = 1e-6;
constexpr double kSteadyShare = 0.85;  ///< of the batch limit, in the mean of the window
constexpr double kLeastBoard = 0.1;
constexpr double kMostBoard = 1.05;

bool is_mlenergy(const AuditRow& row) { return row->source == PublishedSource::mlenergy; }

}  // namespace

void check_token_energy(const AuditRow& row, AuditReport& report) {
  const Number energy = ratio_of(row->energy.all_gpus_mean_w, row->system.output);
  if (!is_mlenergy(row) ||
      deviation_of(energy, row->energy.j_per_output_token).value_or(0) <= kIdentity)
    return;
  report.add(row, error, "power / throughput is not the energy per token",
             {{"quotient_j", *energy}, {"j_per_output_token", *row->energy.j_per_output_token}});
}

void check_request_energy(const AuditRow& row, AuditReport& report) {
  if (!is_mlenergy(row) || !row->energy.j_per_output_token || !row->mean_output_len) return;
  const double energy = *row->energy.j_per_output_token * *row->mean_output_len;
  if (deviation_of(energy, row->energy.j_per_query).value_or(0) <= kIdentity) return;
  report.add(row, error, "energy per token * mean answer is not the energy per request",
             {{"product_j", energy}, {"j_per_query", *row->energy.j_per_query}});
}

void check_steady_batch(const AuditRow& row, AuditReport& report) {
  const Number share = ratio_of(row->mean_batch, row->batch_limit);
  if (!is_mlenergy(row) || !share || *share >= kSteadyShare) return;
  report.add(row, warning, "fewer requests ran than a steady run has",
             {{"mean_batch", *row->mean_batch}, {"batch_limit", *row->batch_limit}});
}

void check_board_share(const AuditRow& row, AuditReport& report) {
  Number power = row->energy.gpu_mean_w;
  if (!power) power = ratio_of(row->energy.all_gpus_mean_w, row->gpus);
  if (!is_mlenergy(row) || !power) return;
  const Number limit = catalogue_limit_w(row);
  if (!limit) return;
  const double share = *power / *limit;
  if (share >= kLeastBoard && share <= kMostBoard) return;
  report.add(row, error, "power per GPU that its board cannot take",
             {{"gpu_mean_w", *power}, {"limit_w", *limit}});
}

}  // namespace tokenjoule
