#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "published/published_set.hpp"

namespace tokenjoule {

/// How much a finding says against a row.
enum class AuditSeverity {
  fact,     ///< nothing against it: something that the row does not say but lets one conclude
  note,     ///< to be known by whoever uses the row
  warning,  ///< the row may be wrong, or is not what others take it for
  error,    ///< the row contradicts itself or cannot be: not to be used
};
std::string_view name_of(AuditSeverity severity);

struct AuditValue {
  std::string_view name;  ///< with its unit, where it has one: "median_e2e_s"
  double value = 0;
};

struct AuditRule;

/// Where something stands that is no row of the set: a row that could not be read; without a row: a
/// whole file.
struct UnreadRow {
  std::uint32_t file = 0;
  std::optional<std::uint32_t> row;
};

/// One thing that a rule has to say about a row, or about all rows together.
struct AuditFinding {
  const AuditRule* rule = nullptr;
  AuditSeverity severity = AuditSeverity::note;
  std::optional<std::uint32_t> row;  ///< index in PublishedSet::rows
  std::optional<UnreadRow> unread;   ///< then `row` is absent
  std::string_view words;            ///< what it is in this case; lives as long as the set
  std::array<AuditValue, 5> values;  ///< what was looked at
  std::size_t value_count = 0;

  std::span<const AuditValue> shown_values() const { return {values.data(), value_count}; }
};

struct AuditRow;
struct AuditSet;
class AuditReport;

/// A rule: one row in audit_rules.cpp, one in docs/audit.md, a sample that breaks it and one that
/// does not in audit_rules_test.cpp.
struct AuditRule {
  std::string_view code;        ///< "R03"; R: InferenceX, M: MLPerf, E: ML.ENERGY
  std::string_view name;        ///< "throughput_sum"
  std::string_view severities;  ///< that it may give, the mildest first: "note, error"
  std::string_view what;        ///< what it checks
  std::string_view threshold;
  std::string_view source;  ///< of the rule and its threshold
  /// Looks at one row; nullptr: at rows together only.
  void (*of_row)(const AuditRow& row, AuditReport& report) = nullptr;
  /// Looks at all rows together; nullptr: at one at a time only.
  void (*of_set)(const AuditSet& set, AuditReport& report) = nullptr;
};

/// All rules, in the order of their codes.
std::span<const AuditRule> audit_rules();
/// By code or name, in any case; nullptr: there is none.
const AuditRule* audit_rule_named(std::string_view word);

struct AuditOptions {
  std::vector<const AuditRule*> rules;  ///< empty: all
  std::vector<std::uint32_t> rows;      ///< rows whose findings are wanted; empty: all
  bool errors_only = false;             ///< only errors, and one of a rule and a row
};

/// Audits a set that has been read and finished. Rules that compare rows see all of them, whichever
/// are wanted. Findings stand rule by rule, then row by row. Pure; linear in the rows, but for a
/// sort of rows of one configuration.
std::vector<AuditFinding> audit(const PublishedSet& set, const AuditOptions& options);

/// For each row of the set the codes of the rules that call it an error: "R04;R05"; "" for none.
std::vector<PooledText> audit_errors(PublishedSet& set);

}  // namespace tokenjoule
