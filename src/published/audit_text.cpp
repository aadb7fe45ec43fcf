#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "published/audit_table.hpp"

namespace tokenjoule {

namespace {

constexpr AuditSeverity kSeverities[] = {AuditSeverity::error, AuditSeverity::warning,
                                         AuditSeverity::note, AuditSeverity::fact};

std::string headline(const AuditTable& audit) {
  const auto counts = counted(audit.findings);
  std::string words =
      fmt::format("audit of {} rows of {} files:", audit.rows, audit.set->files.size());
  const char* separator = " ";
  for (const AuditSeverity severity : kSeverities) {
    const auto count = counts.find(severity);
    const std::size_t number = count == counts.end() ? 0 : count->second;
    words += fmt::format("{}{} {}{}", separator, number, name_of(severity), number == 1 ? "" : "s");
    separator = ", ";
  }
  if (audit.set->duplicates > 0)
    words += fmt::format("; {} rows that stood there twice count once", audit.set->duplicates);
  return words;
}

/// "2 error, 5 note": how many of each severity a rule found.
std::string counts_of(std::span<const AuditFinding> findings) {
  const auto counts = counted(findings);
  std::string words;
  for (const AuditSeverity severity : kSeverities) {
    const auto count = counts.find(severity);
    if (count != counts.end())
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count->second, name_of(severity));
  }
  return words;
}

/// The gravest first, else in their order; facts only where they are asked for.
std::vector<const AuditFinding*> listed(const AuditTable& audit, const RuleFindings& rule) {
  std::vector<const AuditFinding*> findings;
  for (const AuditFinding& finding : rule.findings) {
    const bool on_all = !finding.row && !finding.unread;
    if (finding.severity != AuditSeverity::fact || audit.facts || on_all)
      findings.push_back(&finding);
  }
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const AuditFinding* a, const AuditFinding* b) { return a->severity > b->severity; });
  if (audit.per_rule && findings.size() > *audit.per_rule) findings.resize(*audit.per_rule);
  return findings;
}

std::string line_of(const AuditTable& audit, const AuditFinding& finding) {
  std::string line = fmt::format("{}: ", name_of(finding.severity));
  if (const std::string place = place_of(*audit.set, finding); !place.empty())
    line += place + (finding.row ? " " : ": ");
  if (finding.row) line += fmt::format("({}): ", short_words_of(audit.set->rows[*finding.row]));
  line += quoted(finding.words, 400);
  if (const std::string values = words_of_values(finding); !values.empty())
    line += fmt::format(" ({})", values);
  return line;
}

std::string rule_words(const AuditRule& rule) {
  std::string words = fmt::format("{}", rule.what);
  if (!rule.threshold.empty()) words += fmt::format("; threshold: {}", rule.threshold);
  return words + fmt::format("; source: {}", rule.source);
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("|<`*_[\\").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace

std::string audit_terminal(const AuditTable& audit) {
  std::string text = headline(audit) + '\n';
  for (const RuleFindings& rule : by_rule(audit)) {
    text += fmt::format("\n{} {}: {}\n    {}\n", rule.rule->code, rule.rule->name,
                        counts_of(rule.findings), rule_words(*rule.rule));
    const auto findings = listed(audit, rule);
    for (const AuditFinding* finding : findings)
      text += fmt::format("  {}\n", line_of(audit, *finding));
    if (!findings.empty() && findings.size() < rule.findings.size())
      text += fmt::format("  {} more\n", rule.findings.size() - findings.size());
  }
  return text;
}

std::string audit_markdown(const AuditTable& audit) {
  std::string text = headline(audit) + "\n";
  const auto rules = by_rule(audit);
  if (rules.empty()) return text;
  text += "\n| rule | found | what it checks |\n| --- | --- | --- |\n";
  for (const RuleFindings& rule : rules)
    text += fmt::format("| {} {} | {} | {} |\n", rule.rule->code, escaped(rule.rule->name),
                        counts_of(rule.findings), escaped(rule_words(*rule.rule)));
  for (const RuleFindings& rule : rules) {
    const auto findings = listed(audit, rule);
    if (findings.empty()) continue;
    text += fmt::format("\n{} {}\n\n", rule.rule->code, escaped(rule.rule->name));
    for (const AuditFinding* finding : findings)
      text += fmt::format("- {}\n", escaped(line_of(audit, *finding)));
    if (findings.size() < rule.findings.size())
      text += fmt::format("- {} more\n", rule.findings.size() - findings.size());
  }
  return text;
}

}  // namespace tokenjoule
