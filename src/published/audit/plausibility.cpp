#include <algorithm>

#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

constexpr double kFlopsPerParameter = 2;  ///< one multiplication and one addition a token
constexpr double kMuchOfPeak = 0.4;       ///< highest seen: 0.145
constexpr double kTooMuchOfPeak = 0.7;
constexpr double kMostAccepted = 4;  ///< tokens a step that speculation may bring

}  // namespace

void check_flops(const AuditRow& row, AuditReport& report) {
  if (row.gpu == nullptr || row.model == nullptr || !row->per_gpu.total || !row.is_inferencex())
    return;
  const auto peak = row.gpu->flops_at(row->precision);
  if (!peak || row->has(RowFlag::agentic)) return;
  const double used = kFlopsPerParameter * row.model->active_parameters * *row->per_gpu.total;
  const double share = used / *peak;
  if (share <= kMuchOfPeak) return;
  report.add(row, share > kTooMuchOfPeak ? error : warning,
             "more arithmetic than such GPUs are known to do",
             {{"share_of_peak", share}, {"total_per_gpu", *row->per_gpu.total}});
}

void check_bandwidth(const AuditRow& row, AuditReport& report) {
  const auto bytes = bytes_of_weight(row->precision);
  const Number rate = row->interactivity.mean ? row->interactivity.mean : row->interactivity.median;
  const bool decode = row->disaggregated.value_or(false) && row->decode.gpus;
  const Number gpus = decode ? row->decode.gpus : row->gpus;
  if (row.gpu == nullptr || row.model == nullptr || !row.gpu->bytes_per_s || !bytes || !rate ||
      !gpus || !row.is_inferencex())
    return;
  const bool speculates = !row->speculation.empty() && row->speculation != "none";
  const double steps = *gpus * *row.gpu->bytes_per_s / (row.model->active_parameters * *bytes);
  const double most = steps * (speculates ? kMostAccepted : 1);
  if (*rate <= most) return;
  report.add(row, error, "a user's rate above what reading the active weights allows",
             {{"interactivity", *rate}, {"at_most", most}, {"gpus", *gpus}});
}

}  // namespace tokenjoule
