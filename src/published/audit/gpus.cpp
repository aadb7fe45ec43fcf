#include <cmath>

#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

constexpr double kWhole = 0.01;      ///< how far a count of GPUs may be from a whole number
constexpr double kSameCount = 0.01;  ///< GPUs by power against GPUs by layout
// Little's law. Seen in 580 rows with mean latency: 0.913 to 1.000 (first to 99th per cent).
constexpr double kLeastOccupied = 0.85;
constexpr double kMostOccupied = 1.02;
constexpr double kHardlyOccupied = 0.5;
constexpr double kOverOccupied = 1.1;
// With the median latency only: 0.46 to 1.04.
constexpr double kLeastByMedian = 0.60;
constexpr double kMostByMedian = 1.05;

/// GPUs whose power was read, over those that the row's rates are divided by.
Number powered_share(const AuditRow& row) {
  const PublishedEnergy& energy = row->energy;
  const Number by_sum = ratio_of(energy.all_gpus_mean_w, energy.gpu_mean_w);
  if (by_sum) return ratio_of(by_sum, row->gpus);
  if (!energy.j_per_total_token || !row->per_gpu.total) return std::nullopt;
  return ratio_of(*energy.j_per_total_token * *row->per_gpu.total, energy.gpu_mean_w);
}

bool is_whole(double number) { return std::abs(number - std::round(number)) <= kWhole; }

/// The rates of a row with twice or thrice its GPUs powered are inflated by as much.
bool is_data_parallel(double share) { return share > 1.5 && is_whole(share); }

}  // namespace

void check_stated_gpus(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex() || row->disaggregated.value_or(false) || row->multinode.value_or(false))
    return;
  const Number stated = row->prefill.gpus;
  if (!stated || !row->gpus || *stated == *row->gpus) return;
  const double by_alias = row->whole.tensor.value_or(0) * row->whole.expert.value_or(1);
  if (*stated == by_alias) {
    return report.add(row, note, "the stated GPUs are tensor * expert parallelism: tensor is used",
                      {{"stated_gpus", *stated}, {"gpus", *row->gpus}});
  }
  report.add(row, warning, "the stated GPUs are not those of the layout",
             {{"stated_gpus", *stated}, {"gpus", *row->gpus}});
}

void check_first_split(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex() || !row->disaggregated.value_or(false) || !row->gpus) return;
  if (row->prefill.tensor != row->gpus && row->whole.tensor != row->gpus) return;
  if (row->prefill.gpus && row->decode.gpus) {
    return report.add(row, note,
                      "prefill and decode GPUs both stated as all: parted by the three throughputs",
                      {{"gpus", *row->gpus},
                       {"prefill_gpus", *row->prefill.gpus},
                       {"decode_gpus", *row->decode.gpus}});
  }
  report.add(row, warning,
             "prefill and decode GPUs both stated as all, and no throughput parts them",
             {{"gpus", *row->gpus}});
}

void check_powered_gpus(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex()) return;
  const PublishedEnergy& energy = row->energy;
  const Number boards = ratio_of(energy.all_gpus_mean_w, energy.gpu_mean_w);
  if (boards && !is_whole(*boards)) {
    return report.add(row, warning, "power of all GPUs / power of one is no whole number",
                      {{"boards", *boards}});
  }
  const Number share = powered_share(row);
  if (!share || std::abs(*share - 1) <= kSameCount || is_data_parallel(*share)) return;
  report.add(row, warning, "power was read of more or fewer GPUs than the rates are divided by",
             {{"boards_by_gpus", *share}, {"gpus", row->gpus.value_or(0)}});
}

void check_idle_gpus(const AuditRow& row, AuditReport& report) {
  const Number idle = row->energy.idle_gpus;
  if (idle && *idle > 0) {
    return report.add(row, warning, "GPUs of the node stayed idle: with and without them differ",
                      {{"idle_gpus", *idle}, {"idle_gpus_w", row->energy.idle_gpus_w.value_or(0)}});
  }
  const bool other_client = row->has(RowFlag::other_client) && row->energy.gpu_mean_w;
  if (!other_client || !row->gpus || !row->whole.tensor || *row->whole.tensor >= *row->gpus) return;
  report.add(row, warning, "power is the mean of more GPUs than the model runs on",
             {{"gpus_read", *row->gpus}, {"tensor", *row->whole.tensor}});
}

void check_data_parallel(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex()) return;
  const Number share = powered_share(row);
  if (!share || !is_data_parallel(*share)) return;
  report.add(row, warning, "several times its GPUs were powered: data parallelism was not counted",
             {{"boards_by_gpus", *share}, {"gpus", row->gpus.value_or(0)}});
}

void check_occupancy(const AuditRow& row, AuditReport& report) {
  const auto length = answer_length(row);
  const bool closed = !row->request_rate && row->concurrency && *row->concurrency > 0;
  const Number seconds = row->e2e.mean ? row->e2e.mean : row->e2e.median;
  if (!row.is_inferencex() || row->has(RowFlag::agentic) || !closed || !length || !seconds ||
      !row->system.output || length->tokens <= 0 || *seconds <= 0)
    return;
  const double occupied = *row->system.output / length->tokens * *seconds / *row->concurrency;
  const AuditReport::Values values = {{"occupied_share", occupied},
                                      {"concurrency", *row->concurrency},
                                      {"mean_output_len", length->tokens},
                                      {row->e2e.mean ? "mean_e2e_s" : "median_e2e_s", *seconds}};
  constexpr std::string_view kFew = "fewer requests in flight than its concurrency (Little's law)";
  constexpr std::string_view kMany = "more requests in flight than its concurrency (Little's law)";
  if (!row->e2e.mean) {
    if (occupied < kLeastByMedian) report.add(row, warning, kFew, values);
    if (occupied > kMostByMedian) report.add(row, warning, kMany, values);
    return;
  }
  if (occupied < kLeastOccupied)
    report.add(row, occupied < kHardlyOccupied ? error : warning, kFew, values);
  if (occupied > kMostOccupied)
    report.add(row, occupied > kOverOccupied ? error : warning, kMany, values);
}

}  // namespace tokenjoule
