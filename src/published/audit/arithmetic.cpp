#include <array>
#include <cmath>

#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

constexpr double kRounding = 1e-6;  ///< sums and reciprocals of values as printed
constexpr double kTotals = 1e-6;    ///< token totals of raw results
constexpr double kOrder = 1e-9;
constexpr double kFailuresWarned = 0.01;
constexpr double kFailuresRefused = 0.05;  ///< the load client itself refuses such a run
constexpr double kSecondsLikeMs = 1e4;     ///< no request takes so many seconds

struct NamedStatistic {
  Number PublishedStatistic::*of;
  std::string_view time;
  std::string_view rate;
};

constexpr std::array<NamedStatistic, 5> kStatistics = {{
    {&PublishedStatistic::mean, "mean_tpot_s", "mean_interactivity"},
    {&PublishedStatistic::median, "median_tpot_s", "median_interactivity"},
    {&PublishedStatistic::p90, "p90_tpot_s", "p90_interactivity"},
    {&PublishedStatistic::p99, "p99_tpot_s", "p99_interactivity"},
    {&PublishedStatistic::p999, "p99.9_tpot_s", "p99.9_interactivity"},
}};

/// The quantiles in their order, those that are there.
struct Quantiles {
  std::array<double, 4> values{};
  std::size_t count = 0;

  explicit Quantiles(const PublishedStatistic& statistic) {
    for (const auto& value : {statistic.median, statistic.p90, statistic.p99, statistic.p999}) {
      if (value) values[count++] = *value;
    }
  }
};

void check_rising(const AuditRow& row, const PublishedStatistic& statistic, bool rising,
                  std::string_view words, AuditReport& report) {
  const Quantiles quantiles(statistic);
  for (std::size_t i = 1; i < quantiles.count; ++i) {
    const double low = quantiles.values[rising ? i - 1 : i];
    const double high = quantiles.values[rising ? i : i - 1];
    if (low > high * (1 + kOrder))
      return report.add(row, error, words, {{"should_be_less", low}, {"should_be_more", high}});
  }
}

}  // namespace

void check_values(const AuditRow& row, AuditReport& report) {
  if (row->has(RowFlag::no_throughput) && row.is_inferencex() && row->completed != 0.0)
    report.add(row, error, "no throughput: every request failed, or it is a placeholder", {});
  if (row->completed == 0.0) report.add(row, error, "no request succeeded", {{"completed", 0}});
  const std::array<std::pair<std::string_view, Number>, 6> counted = {{
      {"concurrency", row->concurrency},
      {"input_len", row->nominal_input_len},
      {"output_len", row->nominal_output_len},
      {"gpus", row->gpus},
      {"duration_s", row->duration_s},
      {"output_tokens_per_s", row->completed == 0.0 ? Number() : row->system.output},
  }};
  for (const auto& [name, value] : counted) {
    if (value && *value <= 0) report.add(row, error, "not above zero", {{name, *value}});
  }
}

void check_unread(const AuditSet& set, AuditReport& report) {
  for (const ReadProblem& problem : set.set->problems) {
    if (!set.is_sidecar[problem.file]) report.add_unread(problem, error);
  }
}

void check_placeholders(const AuditRow& row, AuditReport& report) {
  if (row->has(RowFlag::no_throughput)) return;
  const std::array<std::pair<std::string_view, Number>, 4> latencies = {{
      {"median_ttft_s", row->ttft.median},
      {"median_e2e_s", row->e2e.median},
      {"mean_ttft_s", row->ttft.mean},
      {"mean_e2e_s", row->e2e.mean},
  }};
  for (const auto& [name, value] : latencies) {
    if (value == 0.0)
      return report.add(row, error, "a latency of zero with tokens flowing: a placeholder",
                        {{name, 0}});
  }
}

void check_sum(const AuditRow& row, AuditReport& report) {
  const auto& [total, input, output] = row->per_gpu;
  if (!total || !input || !output || !row.is_inferencex()) return;
  const auto together = deviation_of(*input + *output, total);
  if (together && *together <= kRounding) return;
  if (!row->disaggregated.value_or(false)) {
    return report.add(
        row, error, "input and output do not add up to the total",
        {{"input_per_gpu", *input}, {"output_per_gpu", *output}, {"total_per_gpu", *total}});
  }
  if (!row->prefill.gpus || !row->decode.gpus) return;
  const double in_all = *input * *row->prefill.gpus;
  const double out_all = *output * *row->decode.gpus;
  const double all = *row->prefill.gpus + *row->decode.gpus;
  if (deviation_of((in_all + out_all) / all, total).value_or(0) <= kRounding) return;
  report.add(row, error,
             "input of prefill GPUs and output of decode GPUs do not add up to the total",
             {{"input_per_gpu", *input},
              {"prefill_gpus", *row->prefill.gpus},
              {"output_per_gpu", *output},
              {"decode_gpus", *row->decode.gpus},
              {"total_per_gpu", *total}});
}

void check_reciprocals(const AuditRow& row, AuditReport& report) {
  // Agents' rates are means of rates, not the reciprocals of mean times.
  if (!row.is_inferencex() || row->has(RowFlag::agentic)) return;
  for (const NamedStatistic& statistic : kStatistics) {
    const Number time = row->tpot.*statistic.of;
    const Number rate = row->interactivity.*statistic.of;
    if (!time || !rate || std::abs(*time * *rate - 1) <= kRounding) continue;
    return report.add(row, error, "a user's rate is not 1 / time per token",
                      {{statistic.time, *time}, {statistic.rate, *rate}});
  }
}

void check_rate_deviation(const AuditRow& row, AuditReport& report) {
  const Number time = row->tpot.deviation;
  const Number rate = row->interactivity.deviation;
  if (!time || !rate || std::abs(*time * *rate - 1) > kRounding) return;
  const Number mean = row->tpot.mean;
  if (!mean || *mean <= 0) {
    return report.add(row, note, "std_intvty is 1 / std_tpot, which is no deviation of anything",
                      {{"std_interactivity", *rate}});
  }
  report.add(row, note, "std_intvty is 1 / std_tpot, which is no deviation of anything",
             {{"std_interactivity", *rate}, {"about", *time / (*mean * *mean)}});
}

void check_order(const AuditRow& row, AuditReport& report) {
  for (const auto* times : {&row->ttft, &row->tpot, &row->itl, &row->e2e})
    check_rising(row, *times, true, "quantiles of a latency are out of order", report);
  check_rising(row, row->interactivity, false, "quantiles of the users' rates are out of order",
               report);
  for (const NamedStatistic& statistic : kStatistics) {
    const Number first = row->ttft.*statistic.of;
    const Number last = row->e2e.*statistic.of;
    if (!first || !last || *last == 0 || *first <= *last * (1 + kOrder)) continue;
    return report.add(row, error, "the first token comes after the last",
                      {{"ttft_s", *first}, {"e2e_s", *last}});
  }
}

void check_raw_totals(const AuditRow& row, AuditReport& report) {
  if (!row->duration_s || !row.is_inferencex()) return;
  const auto compare = [&](Number rate, Number count, std::string_view words) {
    const Number product = rate ? Number(*rate * *row->duration_s) : std::nullopt;
    if (deviation_of(product, count).value_or(0) > kTotals)
      report.add(row, error, words, {{"rate_times_duration", *product}, {"count", *count}});
  };
  compare(row->system.output, row->output_tokens,
          "output rate * duration is not the output tokens");
  if (row->input_tokens && row->output_tokens)
    compare(row->system.total, *row->input_tokens + *row->output_tokens,
            "total rate * duration is not the tokens");
  compare(row->requests_per_s, row->completed, "request rate * duration is not the requests");
  if (!row->completed || !row->prompts || *row->prompts <= 0) return;
  const double share = 1 - *row->completed / *row->prompts;
  if (share < 0)
    return report.add(row, error, "more requests succeeded than were sent",
                      {{"completed", *row->completed}, {"prompts", *row->prompts}});
  if (share == 0) return;
  const AuditSeverity severity = share > kFailuresRefused  ? error
                                 : share > kFailuresWarned ? warning
                                                           : note;
  report.add(row, severity, "requests failed; neither tokens nor latencies count them",
             {{"completed", *row->completed}, {"prompts", *row->prompts}, {"failed_share", share}});
}

void check_units(const AuditRow& row, AuditReport& report) {
  if (row->has(RowFlag::seconds_under_ms)) {
    return report.add(row, warning, "headers say ms, the values are seconds: taken as seconds",
                      {{"mean_tpot_s", row->tpot.mean.value_or(row->tpot.median.value_or(0))}});
  }
  const Number whole = row->e2e.mean ? row->e2e.mean : row->e2e.median;
  if (whole && *whole > kSecondsLikeMs && row.is_inferencex())
    report.add(row, error, "a latency that looks like milliseconds", {{"e2e_s", *whole}});
}

}  // namespace tokenjoule
