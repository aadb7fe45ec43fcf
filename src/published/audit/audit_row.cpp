#include "published/audit/audit_row.hpp"

#include <algorithm>
#include <cmath>

#include "published/gpu_catalogue.hpp"

namespace tokenjoule {

bool AuditRow::is_fixed_workload() const {
  return is_inferencex() && !result->has(RowFlag::agentic) && !result->has(RowFlag::other_client) &&
         result->nominal_input_len && result->nominal_output_len;
}

AuditFinding& AuditReport::append(AuditSeverity severity, std::string_view words, Values values) {
  AuditFinding& finding = by_rule_[slot_].emplace_back();
  finding.rule = rule_;
  finding.severity = severity;
  finding.words = words;
  finding.value_count = std::min(values.size(), finding.values.size());
  std::copy_n(values.begin(), finding.value_count, finding.values.begin());
  return finding;
}

bool AuditReport::is_wanted(const AuditRow& row, AuditSeverity severity) const {
  if (!row.wanted || !errors_only_) return row.wanted;
  const auto& findings = by_rule_[slot_];
  const bool repeated = !findings.empty() && findings.back().row == row.index;
  return severity == AuditSeverity::error && !repeated;
}

void AuditReport::add(const AuditRow& row, AuditSeverity severity, std::string_view words,
                      Values values) {
  if (is_wanted(row, severity)) append(severity, words, values).row = row.index;
}

void AuditReport::add_unread(const ReadProblem& problem, AuditSeverity severity) {
  AuditFinding& finding = append(severity, problem.message, {});
  finding.unread = UnreadRow{problem.file, problem.row};
}

void AuditReport::add_on_file(std::uint32_t file, AuditSeverity severity, std::string_view words,
                              Values values) {
  append(severity, words, values).unread = UnreadRow{file, std::nullopt};
}

void AuditReport::add_on_all(AuditSeverity severity, std::string_view words, Values values) {
  append(severity, words, values);
}

std::vector<AuditFinding> AuditReport::take() {
  std::vector<AuditFinding> all;
  std::size_t count = 0;
  for (const auto& findings : by_rule_) count += findings.size();
  all.reserve(count);
  for (auto& findings : by_rule_) {
    all.insert(all.end(), findings.begin(), findings.end());
    std::vector<AuditFinding>().swap(findings);
  }
  return all;
}

Number ratio_of(Number a, Number b) { return a && b && *b > 0 ? Number(*a / *b) : std::nullopt; }

Number deviation_of(Number a, Number b) {
  return a && b && *b != 0 ? Number(std::abs(*a / *b - 1)) : std::nullopt;
}

Number catalogue_limit_w(const AuditRow& row) {
  const CatalogueGpu* const gpu =
      GpuCatalogue::embedded().find(row->hardware.empty() ? row->gpu : row->hardware);
  return gpu != nullptr ? gpu->limit_w : std::nullopt;
}

std::optional<AnswerLength> answer_length(const AuditRow& row) {
  if (row->mean_output_len) return AnswerLength{*row->mean_output_len, true};
  if (const Number length = ratio_of(row->system.output, row->requests_per_s))
    return AnswerLength{*length, true};
  if (row.seed && row.seed->fit != SeedFit::other)
    return AnswerLength{row.seed->mean_output_len, row.seed->fit != SeedFit::near};
  constexpr double kMeanShare = 0.9;
  if (!row->nominal_output_len) return std::nullopt;
  return AnswerLength{kMeanShare * *row->nominal_output_len, false};
}

}  // namespace tokenjoule
