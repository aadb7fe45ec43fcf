#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "analysis/checks/checks.hpp"
#include "analysis/test_run.hpp"
#include "base/text.hpp"
#include "io/file.hpp"
#include "model/metrics.hpp"

namespace tokenjoule {
namespace {

/// One row of a table of Markdown: the texts of its cells.
using Row = std::vector<std::string>;

/// Rows whose first cell is `code` in backquotes.
std::vector<Row> rows_of(const std::string& name) {
  std::vector<Row> rows;
  const auto bytes = file_bytes(std::string(TOKENJOULE_SOURCE_DIR "/docs/") + name);
  if (!bytes) return rows;
  for (const std::string_view line : split(*bytes, '\n')) {
    if (!starts_with(line, "| `")) continue;
    Row row;
    for (const std::string_view cell : split(line.substr(1, line.size() - 2), '|')) {
      row.emplace_back(trimmed(cell));
    }
    row[0] = row[0].substr(1, row[0].size() - 2);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(MetricDocs, HaveARowForEachFigureWithItsUnitAndFormula) {
  const auto rows = rows_of("metrics.md");
  ASSERT_EQ(rows.size(), metrics().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Metric& metric = metrics()[i];
    ASSERT_EQ(rows[i].size(), 4u) << metric.key;
    EXPECT_EQ(rows[i][0], metric.key);
    EXPECT_EQ(rows[i][1], metric.unit);
    EXPECT_EQ(rows[i][2], metric.definition);
    EXPECT_EQ(rows[i][3], metric.formula);
  }
}

TEST(MetricDocs, NameFormulasThatMethodsHas) {
  const auto bytes = file_bytes(TOKENJOULE_SOURCE_DIR "/docs/methods.md");
  ASSERT_TRUE(bytes);
  for (const Metric& metric : metrics()) {
    const std::string heading = "**" + std::string(metric.formula) + "**";
    EXPECT_NE(bytes->find(heading), std::string::npos) << metric.formula;
  }
}

TEST(Metrics, AreTheFiguresThatARunHas) {
  test::TestRun run = test::sound_run();
  run.run.requests[0].token_times = TokenTimes::in("1000000x1 1000000x1 0x1~")
                                        .value();  // so that every summary has its reason to be
  run.run.requests[0].first_visible = *run.run.requests[0].end;
  run.run.header.configuration_json = R"({"slo": {"ttft_s": 1}})";
  const Report report = run.analysed();
  std::set<std::string> given, listed;
  for (const auto& [key, figure] : report.figures) {
    given.insert(key);
    EXPECT_EQ(figure.unit, metric_named(key)->unit) << key;
  }
  for (const auto& [key, summary] : report.latency) {
    given.insert(key);
    EXPECT_EQ(summary.unit, metric_named(key)->unit) << key;
    EXPECT_TRUE(metric_named(key)->distribution) << key;
  }
  for (const Metric& metric : metrics()) listed.insert(std::string(metric.key));
  EXPECT_EQ(given, listed);
}

TEST(CheckDocs, HaveARowForEachCodeWithItsSeverities) {
  const auto rows = rows_of("checks.md");
  ASSERT_EQ(rows.size(), check_codes().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], check_codes()[i].code);
    EXPECT_EQ(rows[i][2], check_codes()[i].severities) << rows[i][0];
  }
}

TEST(CheckCodes, StandInTheirOrder) {
  const auto codes = check_codes();
  EXPECT_TRUE(
      std::is_sorted(codes.begin(), codes.end(),
                     [](const CheckCode& a, const CheckCode& b) { return a.code < b.code; }));
}

}  // namespace
}  // namespace tokenjoule
