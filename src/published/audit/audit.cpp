#include <algorithm>
#include <cmath>

#include "published/audit/audit_row.hpp"

namespace tokenjoule {

namespace {

/// Words of the generator that one audit may draw: some seconds. A set of so many different lengths
/// and loads is no publication; its last rows stay without a match.
constexpr std::size_t kMostWords = std::size_t{1} << 26U;
constexpr double kLongest = 1 << 24;  ///< tokens of one request

std::optional<std::uint32_t> whole(Number number, double most) {
  if (!number || *number < 1 || *number > most || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

/// What a row needs for its seed to be looked for.
struct SeedQuestion {
  AuditRow* row = nullptr;
  SeededWorkload workload;
  double input_by_output = 0;
  std::uint32_t concurrency = 0;
};

std::optional<SeedQuestion> question_of(AuditRow& row) {
  const auto input_len = whole(row->nominal_input_len, kLongest);
  const auto output_len = whole(row->nominal_output_len, kLongest);
  const auto concurrency = whole(row->concurrency, kMostRequests);
  const bool raw = row->input_tokens && row->output_tokens;
  const Number ratio = raw ? ratio_of(row->input_tokens, row->output_tokens)
                           : ratio_of(row->system.input, row->system.output);
  if (!row.is_fixed_workload() || !input_len || !output_len || !concurrency || !ratio)
    return std::nullopt;
  return SeedQuestion{&row, {*input_len, *output_len}, *ratio, *concurrency};
}

/// Rows of the same lengths share their draws, so they are looked at together.
void match_seeds(std::vector<AuditRow>& rows) {
  std::vector<SeedQuestion> questions;
  for (AuditRow& row : rows) {
    if (const auto question = question_of(row)) questions.push_back(*question);
  }
  const auto lengths = [](const SeedQuestion& question) {
    return std::pair(question.workload.input_len, question.workload.output_len);
  };
  std::stable_sort(
      questions.begin(), questions.end(),
      [&](const SeedQuestion& a, const SeedQuestion& b) { return lengths(a) < lengths(b); });
  std::size_t drawn = 0;
  for (auto from = questions.begin(); from != questions.end() && drawn < kMostWords;) {
    SeededTotals totals(from->workload);
    const auto shared = lengths(*from);
    for (; from != questions.end() && lengths(*from) == shared; ++from) {
      if (drawn + totals.words() < kMostWords)
        from->row->seed =
            match_seed(totals, from->workload, from->input_by_output, from->concurrency);
    }
    drawn += totals.words();
  }
}

std::vector<bool> sidecar_files(const PublishedSet& set) {
  std::vector<bool> is_sidecar(set.files.size());
  for (const Sidecar& sidecar : set.sidecars) is_sidecar[sidecar.file] = true;
  return is_sidecar;
}

AuditSet audited(const PublishedSet& set, const AuditOptions& options) {
  AuditSet audited{&set, {}, 0, sidecar_files(set)};
  std::vector<std::uint32_t> rows_of_file(set.files.size());
  for (const PublishedResult& result : set.rows) ++rows_of_file[result.origin.file];
  audited.rows.reserve(set.rows.size());
  for (const PublishedResult& result : set.rows) {
    AuditRow& row = audited.rows.emplace_back();
    row.set = &set;
    row.result = &result;
    row.index = static_cast<std::uint32_t>(audited.rows.size() - 1);
    row.rows_of_file = rows_of_file[result.origin.file];
    row.gpu = gpu_reference(result.gpu);
    row.model = model_reference(result.model);
    row.wanted = options.rows.empty();
  }
  for (const std::uint32_t index : options.rows) audited.rows[index].wanted = true;
  match_seeds(audited.rows);
  audited.configurations = number_configurations(audited.rows);
  return audited;
}

std::vector<const AuditRule*> rules_of(const AuditOptions& options) {
  std::vector<const AuditRule*> rules;
  for (const AuditRule& rule : audit_rules()) {
    const bool asked_for =
        options.rules.empty() ||
        std::find(options.rules.begin(), options.rules.end(), &rule) != options.rules.end();
    const bool can_be_error = rule.severities.find("error") != std::string_view::npos;
    if (asked_for && (can_be_error || !options.errors_only)) rules.push_back(&rule);
  }
  return rules;
}

}  // namespace

std::vector<AuditFinding> audit(const PublishedSet& set, const AuditOptions& options) {
  const AuditSet all = audited(set, options);
  const auto rules = rules_of(options);
  AuditReport report(rules.size(), options.errors_only);
  // Row by row, not rule by rule: a row is large, and so it is fetched from memory once.
  for (const AuditRow& row : all.rows) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i]->of_row == nullptr) continue;
      report.start(*rules[i], i);
      rules[i]->of_row(row, report);
    }
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i]->of_set == nullptr) continue;
    report.start(*rules[i], i);
    rules[i]->of_set(all, report);
  }
  return report.take();
}

std::vector<PooledText> audit_errors(PublishedSet& set) {
  AuditOptions options;
  options.errors_only = true;
  std::vector<PooledText> marks(set.rows.size());
  for (const AuditFinding& finding : audit(set, options)) {
    if (!finding.row) continue;
    PooledText& mark = marks[*finding.row];
    mark = mark.empty() ? PooledText(finding.rule->code)
                        : set.keep(std::string(mark) + ';' + std::string(finding.rule->code));
  }
  return marks;
}

}  // namespace tokenjoule
