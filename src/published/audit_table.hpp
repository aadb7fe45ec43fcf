#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "published/audit_rules.hpp"

namespace tokenjoule {

/// All that an audit says, ready to be written down.
struct AuditTable {
  const PublishedSet* set = nullptr;
  std::vector<AuditFinding> findings;   ///< as `audit` gives them
  std::size_t rows = 0;                 ///< rows that were looked at
  std::optional<std::size_t> per_rule;  ///< findings of a rule that are shown at most
  bool facts = false;                   ///< tables list facts too, not their number only
  std::string tool_version;
};

/// Findings of each severity.
std::map<AuditSeverity, std::size_t> counted(std::span<const AuditFinding> findings);

/// A way to write an audit down. A new one is one row in audit_formats.cpp.
struct AuditFormat {
  std::string_view name;
  std::string (*render)(const AuditTable&);
};
std::span<const AuditFormat> audit_formats();
/// nullptr: there is none of that name.
const AuditFormat* audit_format_named(std::string_view name);

std::string audit_terminal(const AuditTable& audit);
std::string audit_markdown(const AuditTable& audit);
std::string audit_csv(const AuditTable& audit);
std::string audit_json(const AuditTable& audit);

/// Where the finding stands: "benchmarks.json row 12", or the file alone; empty for all rows.
std::string place_of(const PublishedSet& set, const AuditFinding& finding);
/// What the row is, in short: "h200 sglang dsr1 fp8 8192/1024 c64 2026-05-13".
std::string short_words_of(const PublishedResult& row);
/// "occupied_share 0.02438, concurrency 512"
std::string words_of_values(const AuditFinding& finding);

/// Findings rule by rule, each rule once, in order.
struct RuleFindings {
  const AuditRule* rule = nullptr;
  std::span<const AuditFinding> findings;
};
std::vector<RuleFindings> by_rule(const AuditTable& audit);

}  // namespace tokenjoule
