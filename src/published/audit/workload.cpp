#include <cmath>

#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

constexpr double kAnotherWorkload = 0.02;  ///< of the ratio of input to output tokens
constexpr double kSumWarned = 0.01;
constexpr double kSumRefused = 0.03;
constexpr double kSumByNominal = 0.03;  ///< where the lengths are not known to the last
constexpr double kWholeQueries = 0.01;
constexpr double kFailuresWarned = 0.01;
constexpr double kFailuresRefused = 0.05;
// Of the nominal answer. Lengths are uniform from 0.8 of it on.
constexpr double kShort = 0.75;
constexpr double kFarTooShort = 0.40;
constexpr double kLeastShare = 0.8;

/// Requests planned, where the row or its seed tells.
Number planned_requests(const AuditRow& row) {
  if (row->prompts) return row->prompts;
  if (row.seed && row.seed->fit == SeedFit::exact) return static_cast<double>(row.seed->requests);
  return std::nullopt;
}

}  // namespace

void check_seed(const AuditRow& row, AuditReport& report) {
  if (!row.seed || !row.is_fixed_workload()) return;
  const SeedMatch& seed = *row.seed;
  const double requests = seed.requests;
  switch (seed.fit) {
    case SeedFit::exact:
      return report.add(row, fact, "the workload of the seed, exactly: requests and lengths known",
                        {{"requests_per_stream", static_cast<double>(seed.per_stream)},
                         {"requests", requests},
                         {"mean_input_len", seed.mean_input_len},
                         {"mean_output_len", seed.mean_output_len}});
    case SeedFit::fixed:
      return report.add(
          row, fact, "every request had the nominal lengths",
          {{"mean_input_len", seed.mean_input_len}, {"mean_output_len", seed.mean_output_len}});
    case SeedFit::near:
      return report.add(row, fact, "nearly the workload of the seed with ten requests a stream",
                        {{"deviation", seed.deviation}, {"requests", requests}});
    case SeedFit::other: break;
  }
  if (std::abs(seed.deviation) < kAnotherWorkload) {
    return report.add(row, note, "not quite the workload of the seed: template, count or failures",
                      {{"deviation", seed.deviation}});
  }
  report.add(row, warning, "another workload than the seed's, or requests failed or were cut short",
             {{"deviation", seed.deviation}});
}

void check_latency_sum(const AuditRow& row, AuditReport& report) {
  const auto length = answer_length(row);
  if (!row.is_inferencex() || row->has(RowFlag::agentic) || !length || !row->ttft.mean ||
      !row->tpot.mean || !row->e2e.mean || *row->e2e.mean <= 0)
    return;
  const double sum = *row->ttft.mean + *row->tpot.mean * (length->tokens - 1);
  const double deviation = *row->e2e.mean / sum - 1;
  const double warned = length->exact ? kSumWarned : kSumByNominal;
  if (std::abs(deviation) <= warned) return;
  const bool refused = length->exact && std::abs(deviation) > kSumRefused;
  report.add(row, refused ? error : warning,
             "latency is not time to first token + time per token * (tokens - 1)",
             {{"mean_e2e_s", *row->e2e.mean}, {"sum_s", sum}, {"deviation", deviation}});
}

void check_charged_queries(const AuditRow& row, AuditReport& report) {
  const Number queries = ratio_of(row->energy.all_gpus_j, row->energy.j_per_query);
  if (!row.is_inferencex() || row->has(RowFlag::agentic) || !queries || !row->concurrency ||
      *row->concurrency <= 0)
    return;
  if (std::abs(*queries - std::round(*queries)) > kWholeQueries + 1e-6 * *queries) {
    return report.add(row, warning, "energy / energy per query is no whole number of queries",
                      {{"queries", *queries}});
  }
  const double charged = std::round(*queries);
  const double whole_rounds = std::ceil(charged / *row->concurrency) * *row->concurrency;
  const double planned = planned_requests(row).value_or(whole_rounds);
  const double share = 1 - charged / planned;
  if (share <= 0) return;
  const AuditSeverity severity = share > kFailuresRefused  ? error
                                 : share > kFailuresWarned ? warning
                                                           : note;
  report.add(row, severity, "fewer queries than whole rounds of the streams: the others failed",
             {{"queries", charged}, {"planned", planned}, {"failed_share", share}});
}

void check_early_stop(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex() || row->has(RowFlag::agentic) || !row->nominal_output_len) return;
  const double nominal = *row->nominal_output_len;
  Number length = row->mean_output_len;
  if (!length) length = ratio_of(row->system.output, row->requests_per_s);
  if (length && *length < kShort * nominal) {
    const bool far = *length < kFarTooShort * nominal;
    return report.add(row, far ? error : warning,
                      far ? "answers ended early: a query is not what the row says"
                          : "answers far shorter than nominal: lengths from 0 on, or cut short",
                      {{"mean_output_len", *length}, {"output_len", nominal}});
  }
  if (!row->e2e.median || !row->tpot.median || *row->e2e.median <= 0) return;
  const double least = kFarTooShort * *row->tpot.median * kLeastShare * nominal;
  if (*row->e2e.median >= least) return;
  report.add(row, error, "latency far below time per token * answer: answers ended early",
             {{"median_e2e_s", *row->e2e.median},
              {"median_tpot_s", *row->tpot.median},
              {"output_len", nominal}});
}

}  // namespace tokenjoule
