#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "published/audit_rules.hpp"

namespace tokenjoule {
namespace {

/// Cells of the rows of the tables in docs/audit.md whose first cell is a code in backquotes.
std::vector<std::vector<std::string>> documented() {
  std::ifstream file(TOKENJOULE_SOURCE_DIR "/docs/audit.md", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view line : split(bytes, '\n')) {
    if (!starts_with(line, "| `") || starts_with(line, "| `--")) continue;
    std::vector<std::string> cells;
    for (const auto cell : split(line.substr(1, line.size() - 2), '|'))
      cells.emplace_back(trimmed(cell));
    rows.push_back(std::move(cells));
  }
  return rows;
}

TEST(AuditDocs, HaveARowForEachRuleWithItsThresholdAndSource) {
  const auto rows = documented();
  ASSERT_EQ(rows.size(), audit_rules().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const AuditRule& rule = audit_rules()[i];
    ASSERT_EQ(rows[i].size(), 6U) << rule.code;
    EXPECT_EQ(rows[i][0], "`" + std::string(rule.code) + "`");
    EXPECT_EQ(rows[i][1], "`" + std::string(rule.name) + "`");
    EXPECT_EQ(rows[i][2], rule.severities);
    EXPECT_EQ(rows[i][3], rule.what);
    EXPECT_EQ(rows[i][4], rule.threshold);
    EXPECT_EQ(rows[i][5], rule.source);
  }
}

}  // namespace
}  // namespace tokenjoule
