#include <array>
#include <cmath>

#include "published/audit/checks.hpp"
#include "published/power_table.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

constexpr double kIdentity = 1e-3;
constexpr double kTokenSplit = 0.02;
constexpr double kRoleSumJ = 0.02;  ///< each part is rounded to 0.001 J, then some
constexpr double kLeastBoard = 0.1;
constexpr double kStalledBoard = 0.25;
constexpr double kMostBoard = 1.05;
constexpr double kManyStreams = 64;
constexpr double kStrictSchema = 2;

void check_query_energy(const AuditRow& row, AuditReport& report) {
  const PublishedEnergy& energy = row->energy;
  if (energy.j_per_query && row->completed) {
    const double all = *energy.j_per_query * *row->completed;
    if (deviation_of(all, energy.all_gpus_j).value_or(0) > kIdentity)
      report.add(row, error, "energy per query * queries is not the energy",
                 {{"product_j", all}, {"energy_j", *energy.all_gpus_j}});
  }
  if (energy.all_gpus_mean_w && row->duration_s) {
    const double all = *energy.all_gpus_mean_w * *row->duration_s;
    if (deviation_of(all, energy.all_gpus_j).value_or(0) > kIdentity)
      report.add(row, warning, "power * duration is not the energy",
                 {{"product_j", all}, {"energy_j", *energy.all_gpus_j}});
  }
}

void check_roles(const AuditRow& row, AuditReport& report) {
  const PublishedEnergy& energy = row->energy;
  if (!energy.prefill_j || !energy.decode_j || !energy.all_gpus_j) return;
  const double sum = *energy.prefill_j + *energy.decode_j;
  if (std::abs(sum - *energy.all_gpus_j) <= kRoleSumJ + 1e-9 * sum) return;
  report.add(row, error, "prefill and decode energy do not add up to all",
             {{"prefill_j", *energy.prefill_j},
              {"decode_j", *energy.decode_j},
              {"energy_j", *energy.all_gpus_j}});
}

/// Energy per output token over energy per token is tokens over output tokens, if one energy is
/// behind both.
void check_token_split(const AuditRow& row, AuditReport& report) {
  const PublishedEnergy& energy = row->energy;
  const Number split = ratio_of(energy.j_per_output_token, energy.j_per_total_token);
  Number expected = ratio_of(row->system.total, row->system.output);
  if (!expected && row->nominal_input_len && row->nominal_output_len)
    expected =
        ratio_of(*row->nominal_input_len + *row->nominal_output_len, row->nominal_output_len);
  const auto deviation = deviation_of(split, expected);
  if (!deviation || *deviation <= kTokenSplit) return;
  const bool role_local = row->disaggregated.value_or(false) && !energy.schema_version;
  report.add(row, role_local ? warning : error,
             role_local ? "energy per output token is of the decode GPUs alone: only the total is "
                          "of the whole server"
                        : "energies per output token and per token do not fit the tokens",
             {{"ratio", *split},
              {"expected", *expected},
              {"j_per_output_token", *energy.j_per_output_token},
              {"j_per_total_token", *energy.j_per_total_token}});
}

/// The latest all-in watts per GPU that planners set aside, over the board's measured mean.
constexpr double kLeastProvisioned = 1.2;
constexpr double kMostProvisioned = 12;

}  // namespace

void check_energy_identities(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex()) return;
  check_query_energy(row, report);
  check_roles(row, report);
  check_token_split(row, report);
}

void check_board_power(const AuditRow& row, AuditReport& report) {
  const Number power = row->energy.gpu_mean_w;
  if (!power || row.gpu == nullptr || !row.is_inferencex()) return;
  const double share = *power / row.gpu->limit_w;
  const AuditReport::Values values = {{"gpu_mean_w", *power}, {"limit_w", row.gpu->limit_w}};
  if (share > kMostBoard)
    return report.add(row, error, "more power than the board's limit", values);
  if (share < kLeastBoard)
    return report.add(row, error, "less power than an idle board takes", values);
  if (share < kStalledBoard && row->concurrency.value_or(0) >= kManyStreams)
    report.add(row, warning, "little power under many requests: a server that stalls", values);
}

void check_provisioned(const AuditRow& row, AuditReport& report) {
  const Number power = row->energy.gpu_mean_w;
  if (!power || *power <= 0 || !row.is_inferencex()) return;
  const AllInPower* const all_in = PowerTable::embedded().find(row->gpu, {});
  if (all_in == nullptr) return;
  const double ratio = all_in->watts / *power;
  if (ratio >= kLeastProvisioned && ratio <= kMostProvisioned) return;
  report.add(row, note, "provisioned watts are unusually far from the measured ones",
             {{"all_in_w", all_in->watts}, {"gpu_mean_w", *power}, {"ratio", ratio}});
}

void check_power_schema(const AuditRow& row, AuditReport& report) {
  const PublishedEnergy& energy = row->energy;
  const bool has_energy = energy.gpu_mean_w || energy.j_per_total_token || energy.all_gpus_j;
  if (!row.is_inferencex() || !has_energy) return;
  if (energy.valid == false)
    return report.add(row, warning, "the publisher holds its own power for not valid", {});
  if (row->has(RowFlag::raw_result)) return;
  const double schema = energy.schema_version.value_or(1);
  if (schema > kStrictSchema) {
    report.add(row, warning, "a schema of power metrics that is not known here",
               {{"schema", schema}});
  } else if (schema < kStrictSchema) {
    report.add(row, note, "power of before schema 2: whose energy is in it is not stated",
               {{"schema", schema}});
  }
}

void check_telemetry(const AuditSet& set, AuditReport& report) {
  for (const ReadProblem& problem : set.set->problems) {
    if (set.is_sidecar[problem.file]) report.add_unread(problem, warning);
  }
}

}  // namespace tokenjoule
