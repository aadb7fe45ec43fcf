#include "published/audit_table.hpp"

#include <gtest/gtest.h>

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {
namespace {

PublishedSet broken_set() {
  PublishedSet set;
  set.files.push_back({"rows, \"of\" all.json", "inferencex"});
  for (std::uint32_t i = 0; i < 3; ++i) {
    PublishedResult& row = set.rows.emplace_back();
    row.origin.row = i;
    row.hardware = row.gpu = "h200";
    row.model = "=dsr1|";
    row.per_gpu.total = 100;
    row.ttft.median = 0;
    row.nominal_input_len = 8192;
    row.nominal_output_len = 1024;
    row.concurrency = 64;
  }
  return set;
}

AuditTable table_of(const PublishedSet& set, std::optional<std::size_t> per_rule) {
  AuditTable table;
  table.set = &set;
  table.findings = audit(set, {{audit_rule_named("R02"), audit_rule_named("R48")}, {}});
  table.rows = set.rows.size();
  table.per_rule = per_rule;
  table.tool_version = "1.2.3";
  return table;
}

TEST(AuditTable, ListsTheFirstFindingsOfARuleAndHowManyMoreThereAre) {
  const PublishedSet set = broken_set();
  const std::string text = audit_terminal(table_of(set, 2));
  EXPECT_NE(text.find("audit of 3 rows of 1 files: 3 errors, 0 warnings, 0 notes, 1 fact"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("row 1 (h200 =dsr1| 8192/1024 c64): a latency of zero"), std::string::npos)
      << text;
  EXPECT_NE(text.find("(median_ttft_s 0)"), std::string::npos);
  EXPECT_NE(text.find("  1 more\n"), std::string::npos);
  EXPECT_EQ(text.find("row 3"), std::string::npos);
}

TEST(AuditTable, MarkdownKeepsForeignBarsOutOfItsTables) {
  const PublishedSet set = broken_set();
  const std::string text = audit_markdown(table_of(set, {}));
  EXPECT_NE(text.find("=dsr1\\|"), std::string::npos) << text;
  EXPECT_NE(text.find("| R02 placeholder\\_latency | 3 error |"), std::string::npos) << text;
}

TEST(AuditTable, CsvHasALineAFindingWithAsManyCellsAsItsHeader) {
  const PublishedSet set = broken_set();
  const std::string text = audit_csv(table_of(set, {}));
  const auto lines = split(text, '\n');
  ASSERT_EQ(lines.size(), 6U);  // header, three findings, one on all rows, the end
  EXPECT_EQ(split(lines[0], ',').size(), 19U);
  EXPECT_TRUE(starts_with(lines[1], "R02,placeholder_latency,error,\"rows, 'of' all.json\",1,"))
      << lines[1];
  EXPECT_NE(lines[1].find(",'=dsr1|,"), std::string_view::npos) << "no formula for a spreadsheet";
  EXPECT_EQ(split(lines[4].substr(0, lines[4].find("servers were")), ',').size(), 16U);
}

TEST(AuditTable, JsonHasRuleSeverityRowValuesThresholdAndSource) {
  const PublishedSet set = broken_set();
  const auto document = JsonDocument::parse(audit_json(table_of(set, {})));
  ASSERT_TRUE(document);
  const JsonView root = document->root();
  EXPECT_EQ(root["rows"].number(), 3);
  EXPECT_EQ(root["counts"]["error"].number(), 3);
  EXPECT_EQ(root["counts"]["warning"].number(), 0);
  ASSERT_EQ(root["findings"].size(), 4U);
  const JsonView first = root["findings"][0];
  EXPECT_EQ(first["rule"].string(), "R02");
  EXPECT_EQ(first["severity"].string(), "error");
  EXPECT_EQ(first["row"].number(), 1);
  EXPECT_EQ(first["about"]["model"].string(), "=dsr1|");
  EXPECT_EQ(first["values"]["median_ttft_s"].number(), 0);
  EXPECT_EQ(first["threshold"].string(), "> 0 s");
  EXPECT_TRUE(first["source"].present());
  EXPECT_FALSE(root["findings"][3]["row"].present());
}

TEST(AuditTable, AnAuditWithoutFindingsSaysSo) {
  PublishedSet set;
  set.files.push_back({"empty.json", "inferencex"});
  EXPECT_EQ(audit_terminal(table_of(set, {})),
            "audit of 0 rows of 1 files: 0 errors, 0 warnings, 0 notes, 0 facts\n");
}

}  // namespace
}  // namespace tokenjoule
