#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {
using enum AuditSeverity;
}  // namespace

void check_scenario(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex()) return;
  if (row->has(RowFlag::agentic)) {
    return report.add(row, note,
                      "an agent's trace: cached prompt tokens count as input; kept apart", {});
  }
  if (!row->nominal_input_len || !row->nominal_output_len)
    report.add(row, note, "lengths are not stated: there is no energy per query", {});
}

void check_known_issues(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex() || row->attribution.url.empty()) return;
  const KnownIssue* const issue =
      known_issue(row->attribution.url, row->gpu, row->framework, row->speculation);
  if (issue != nullptr) report.add(row, warning, issue->what, {});
}

void check_context(const AuditSet& set, AuditReport& report) {
  double rows = 0;
  for (const AuditRow& row : set.rows) rows += row.wanted && row.is_fixed_workload() ? 1 : 0;
  if (rows > 0)
    report.add_on_all(fact,
                      "servers were started with the least context that the lengths need, which no "
                      "record shows",
                      {{"rows", rows}});
}

}  // namespace tokenjoule
