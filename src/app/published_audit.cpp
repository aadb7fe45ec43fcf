#include <algorithm>

#include <fmt/core.h>

#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "app/published_command.hpp"
#include "app/version.hpp"
#include "base/text.hpp"
#include "published/audit_table.hpp"
#include "published/selection.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kShownOfARule = 5;

struct AuditChoice {
  AuditOptions audit;
  std::vector<Condition> conditions;
  const AuditFormat* format = nullptr;
  std::optional<std::size_t> per_rule;
};

Result<std::vector<const AuditRule*>> rules_asked_for(const ParsedOptions& options) {
  std::vector<const AuditRule*> rules;
  std::vector<std::string> names;
  for (const AuditRule& rule : audit_rules()) {
    names.emplace_back(rule.code);
    names.emplace_back(rule.name);
  }
  for (const auto& text : options.texts("rule")) {
    for (const auto& word : comma_list(text)) {
      const AuditRule* const rule = audit_rule_named(word);
      if (rule == nullptr) {
        return failure(ErrorKind::usage,
                       fmt::format("--rule {} is none{}", quoted(word), did_you_mean(word, names)),
                       "docs/audit.md lists all rules");
      }
      rules.push_back(rule);
    }
  }
  return rules;
}

Result<AuditChoice> choice_of(const ParsedOptions& options) {
  AuditChoice choice;
  TRY(choice.audit.rules, rules_asked_for(options));
  for (const auto& text : options.texts("where")) {
    TRY(auto conditions, conditions_in(text, {}));
    for (Condition& condition : conditions) {
      if (condition.column.about_energy || condition.column.name == "flags") {
        return failure(ErrorKind::usage,
                       fmt::format("an audit knows no {}: it is of a table", condition.column.name),
                       "take columns about the row itself: model, gpu, isl, conc …");
      }
      choice.conditions.push_back(std::move(condition));
    }
  }
  const std::string format = options.text("format").value_or("table");
  choice.format = audit_format_named(format);
  if (choice.format == nullptr) {
    return failure(ErrorKind::usage, fmt::format("--format {} is none", quoted(format)),
                   "give table, markdown, csv or json");
  }
  TRY(const auto rows, options.integer("rows", 1, 1'000'000'000));
  const bool for_reading = format == "table" || format == "markdown";
  if (rows) {
    choice.per_rule = static_cast<std::size_t>(*rows);
  } else if (for_reading) {
    choice.per_rule = kShownOfARule;
  }
  return choice;
}

std::vector<std::uint32_t> rows_that_meet(const std::vector<Condition>& conditions,
                                          const PublishedSet& set) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) {
    const TableLine line{&set.rows[i], nullptr};
    const bool meets = std::all_of(conditions.begin(), conditions.end(),
                                   [&](const Condition& term) { return term.holds(line); });
    if (meets) rows.push_back(i);
  }
  return rows;
}

bool is_doubtful(const AuditFinding& finding) { return finding.severity >= AuditSeverity::warning; }

}  // namespace

Result<int> run_published_audit(const ParsedOptions& options,
                                const std::vector<std::string>& files) {
  TRY(AuditChoice choice, choice_of(options));
  TRY(const PublishedSet set, published_set_of(files));
  if (!choice.conditions.empty()) {
    choice.audit.rows = rows_that_meet(choice.conditions, set);
    if (choice.audit.rows.empty())
      return failure(ErrorKind::missing, "no row meets --where", "loosen it");
  }
  const std::size_t rows = choice.conditions.empty() ? set.rows.size() : choice.audit.rows.size();
  const AuditTable table{&set,
                         audit(set, choice.audit),
                         rows,
                         choice.per_rule,
                         !choice.audit.rules.empty(),
                         std::string(version())};
  put_out(choice.format->render(table));
  const bool doubtful = std::any_of(table.findings.begin(), table.findings.end(), is_doubtful);
  return options.flag("strict") && doubtful ? kExitUnusable : kExitUsable;
}

}  // namespace tokenjoule
