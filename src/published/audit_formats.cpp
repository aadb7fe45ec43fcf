#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "published/audit_table.hpp"

namespace tokenjoule {

namespace {

constexpr AuditFormat kFormats[] = {
    {"table", audit_terminal},
    {"markdown", audit_markdown},
    {"csv", audit_csv},
    {"json", audit_json},
};

std::string short_number(double value) {
  return value == static_cast<double>(static_cast<std::int64_t>(value))
             ? fmt::format("{:.0f}", value)
             : fmt::format("{:.6g}", value);
}

}  // namespace

std::span<const AuditFormat> audit_formats() { return kFormats; }

const AuditFormat* audit_format_named(std::string_view name) {
  for (const AuditFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::map<AuditSeverity, std::size_t> counted(std::span<const AuditFinding> findings) {
  std::map<AuditSeverity, std::size_t> counts;
  for (const AuditFinding& finding : findings) ++counts[finding.severity];
  return counts;
}

std::string place_of(const PublishedSet& set, const AuditFinding& finding) {
  std::optional<std::uint32_t> file;
  std::optional<std::uint32_t> row;
  if (finding.row) {
    file = set.rows[*finding.row].origin.file;
    row = set.rows[*finding.row].origin.row;
  } else if (finding.unread) {
    file = finding.unread->file;
    row = finding.unread->row;
  }
  if (!file) return {};
  const std::string name = quoted(set.files[*file].name, 300);
  return row ? fmt::format("{} row {}", name, *row + 1) : name;
}

std::string short_words_of(const PublishedResult& row) {
  std::string words;
  const auto add = [&](std::string_view word) {
    if (!word.empty()) words += fmt::format("{}{}", words.empty() ? "" : " ", quoted(word, 60));
  };
  const PublishedAttribution& by = row.attribution;
  for (const PooledText word :
       {by.id, row.gpu.empty() ? row.hardware : row.gpu, row.framework, row.model, row.precision})
    add(word);
  if (row.scenario != "fixed") add(row.scenario);
  if (row.speculation != "none") add(row.speculation);
  if (row.nominal_input_len && row.nominal_output_len)
    add(fmt::format("{:.0f}/{:.0f}", *row.nominal_input_len, *row.nominal_output_len));
  if (row.concurrency) add(fmt::format("c{:.0f}", *row.concurrency));
  if (row.batch_limit) add(fmt::format("batch {:.0f}", *row.batch_limit));
  add(row.date);
  return words;
}

std::string words_of_values(const AuditFinding& finding) {
  std::string words;
  for (const AuditValue& value : finding.shown_values())
    words +=
        fmt::format("{}{} {}", words.empty() ? "" : ", ", value.name, short_number(value.value));
  return words;
}

std::vector<RuleFindings> by_rule(const AuditTable& audit) {
  std::vector<RuleFindings> rules;
  const std::span<const AuditFinding> all = audit.findings;
  for (std::size_t from = 0; from < all.size();) {
    std::size_t to = from;
    while (to < all.size() && all[to].rule == all[from].rule) ++to;
    rules.push_back({all[from].rule, all.subspan(from, to - from)});
    from = to;
  }
  return rules;
}

}  // namespace tokenjoule
