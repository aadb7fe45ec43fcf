#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "base/text.hpp"
#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

// Wall power over the sum of the GPUs' limits: 1.13 to 1.71 in the 18 measured rows of v5.1, v4.1.
constexpr double kLeastWall = 0.3;
constexpr double kMostWall = 2.5;

bool is_mlperf(const AuditRow& row) { return row->source == PublishedSource::mlperf; }

/// "AMD Instinct MI355X 288GB HBM3e (x87)": how many the name says; the sum where it says several.
Number count_in_name(std::string_view accelerator) {
  double count = 0;
  for (std::size_t at = accelerator.find("(x"); at != std::string_view::npos;
       at = accelerator.find("(x", at + 1)) {
    const std::string_view rest = accelerator.substr(at + 2);
    count += number_in(rest.substr(0, rest.find(')'))).value_or(0);
  }
  return count > 0 ? Number(count) : std::nullopt;
}

/// "llama2-70b-99.9" is the benchmark of "llama2-70b-99" with a higher accuracy target.
std::string_view benchmark_of(std::string_view model) {
  for (const std::string_view target : {"-99.9", "-99"}) {
    if (ends_with(model, target)) return model.substr(0, model.size() - target.size());
  }
  return model;
}

void check_limit(const AuditRow& row, Number seconds, Number limit, std::string_view words,
                 AuditReport& report) {
  if (seconds && limit && *seconds > *limit)
    report.add(row, warning, words, {{"p99_s", *seconds}, {"limit_s", *limit}});
}

}  // namespace

void check_inferred(const AuditRow& row, AuditReport& report) {
  if (is_mlperf(row) && row->has(RowFlag::inferred))
    report.add(row, note, "not run: taken over from another row, which counts already", {});
}

void check_accelerators(const AuditRow& row, AuditReport& report) {
  if (!is_mlperf(row)) return;
  if (row->has(RowFlag::mixed_accelerators))
    report.add(row, warning, "several kinds of accelerator: no one limit is theirs", {});
  if (!row->gpus) return report.add(row, note, "no count of accelerators: there is no ceiling", {});
  const Number named = count_in_name(row->hardware);
  if (named && *named != *row->gpus)
    report.add(row, warning, "the accelerator's name says another number of them",
               {{"in_name", *named}, {"gpus", *row->gpus}});
}

void check_token_unit(const AuditRow& row, AuditReport& report) {
  if (is_mlperf(row) && !row->system.output)
    report.add(row, note, "the result is not in tokens: no energy per token", {});
}

void check_stated_limit(const AuditRow& row, AuditReport& report) {
  if (!is_mlperf(row) || !row->system.output || !row->gpus || row->stated_gpu_limit_w) return;
  report.add(row, note, "the submission states no power limit: a ceiling rests on the catalogue",
             {});
}

void check_answer_tokens(const AuditRow& row, AuditReport& report) {
  const MlperfLimits* const limits = mlperf_limits(row->model);
  if (!is_mlperf(row) || limits == nullptr || !row->mean_output_len) return;
  const double tokens = *row->mean_output_len;
  // Loadgen counts the token that ends an answer too, and a mean of rounded rates is not exact.
  constexpr double kEndToken = 1.5;
  if (tokens > limits->most_tokens + kEndToken)
    report.add(row, error, "answers longer than the benchmark lets them be",
               {{"mean_output_len", tokens}, {"at_most", limits->most_tokens}});
  if (limits->least_mean_tokens && tokens < *limits->least_mean_tokens)
    report.add(row, warning, "answers shorter than the benchmark accepts",
               {{"mean_output_len", tokens}, {"at_least", *limits->least_mean_tokens}});
}

void check_latency_limits(const AuditRow& row, AuditReport& report) {
  const MlperfLimits* const limits = mlperf_limits(row->model);
  if (!is_mlperf(row) || limits == nullptr) return;
  const bool server = row->scenario == "Server";
  if (!server && row->scenario != "Interactive") return;
  check_limit(row, row->ttft.p99, server ? limits->server_ttft_s : limits->interactive_ttft_s,
              "time to first token above the scenario's limit", report);
  check_limit(row, row->tpot.p99, server ? limits->server_tpot_s : limits->interactive_tpot_s,
              "time per token above the scenario's limit", report);
}

void check_wall_power(const AuditRow& row, AuditReport& report) {
  if (!is_mlperf(row) || !row->energy.wall_mean_w || !row->gpus) return;
  Number limit = row->stated_gpu_limit_w;
  if (!limit) limit = catalogue_limit_w(row);
  if (!limit) return;
  const double limits = *limit * *row->gpus;
  const double ratio = *row->energy.wall_mean_w / limits;
  const AuditReport::Values values = {
      {"wall_w", *row->energy.wall_mean_w}, {"limits_of_gpus_w", limits}, {"ratio", ratio}};
  if (ratio < kLeastWall || ratio > kMostWall)
    return report.add(row, warning, "wall power that does not fit the GPUs' limits", values);
  if (ratio > 1)
    report.add(row, fact, "more at the wall than all GPUs' limits: their ceiling bounds no server",
               values);
}

void check_repeated_power(const AuditSet& set, AuditReport& report) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                         std::string_view, double>;
  std::map<Key, const AuditRow*> first;
  for (const AuditRow& row : set.rows) {
    const Number power =
        row->energy.wall_mean_w ? row->energy.wall_mean_w : row->energy.wall_j_per_query;
    if (!is_mlperf(row) || !power) continue;
    const auto [place, added] = first.try_emplace(
        Key{row->attribution.round, row->attribution.id, row->attribution.platform, row->scenario,
            benchmark_of(row->model), *power},
        &row);
    if (!added)
      report.add(row, note, "the power of another accuracy target's row again: count it once",
                 {{"other_row", row_in_file(*place->second)}, {"power", *power}});
  }
}

void check_submission(const AuditRow& row, AuditReport& report) {
  if (!is_mlperf(row)) return;
  if (row->attribution.division == "open")
    report.add(row, note, "open division: the model may differ from the benchmark's", {});
  for (const UnknownMember& member : row->unknown) {
    if (member.key != "errors" || member.text.empty() || member.text == "null") continue;
    const auto count = number_in(member.text);
    if (!count || *count != 0)
      report.add(row, warning, "the submission checker counts errors",
                 {{"errors", count.value_or(1)}});
  }
}

}  // namespace tokenjoule
