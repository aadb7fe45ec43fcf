#include "report/formats.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include <gtest/gtest.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/safe_text.hpp"
#include "report/terminal.hpp"
#include "sample_reports.hpp"

namespace tokenjoule {
namespace {

/// Cells of one line of RFC 4180.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && in_quotes && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      in_quotes = !in_quotes;
    } else if (line[i] == ',' && !in_quotes) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  EXPECT_FALSE(in_quotes);
  return cells;
}

/// How many bars in a line of Markdown divide cells: those that no backslash stands before.
int dividing_bars(std::string_view line) {
  int bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++bars;
    }
  }
  return bars;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

TEST(EachFormat, EndsInALineFeedAndHasNoOtherControlCharacter) {
  for (const ReportFormat& format : report_formats()) {
    for (const SampleReport& sample : sample_reports()) {
      const std::string text = format.render(sample.report);
      ASSERT_FALSE(text.empty()) << format.name << ' ' << sample.name;
      EXPECT_EQ(text.back(), '\n') << format.name << ' ' << sample.name;
      for (const std::string_view line : split(text, '\n')) {
        EXPECT_TRUE(std::none_of(line.begin(), line.end(), is_control))
            << format.name << ": " << line;
      }
    }
  }
}

TEST(EachFormat, ForPeopleIsUtf8AndNeverTurnsTheDirectionOfWriting) {
  for (const std::string_view name : {"table", "markdown", "csv"}) {
    for (const SampleReport& sample : sample_reports()) {
      const std::string text = report_format_named(name)->render(sample.report);
      for (const std::string_view line : split(text, '\n')) {
        EXPECT_EQ(one_line(line), line) << name << ' ' << sample.name;
      }
    }
  }
}

TEST(EachFormat, GivesTheSameBytesForTheSameReport) {
  for (const ReportFormat& format : report_formats()) {
    for (const SampleReport& sample : sample_reports()) {
      EXPECT_EQ(format.render(sample.report), format.render(sample.report)) << format.name;
    }
  }
}

TEST(EachFormat, SaysSimulatedAndModelledWhereTheReportDoes) {
  for (const ReportFormat& format : report_formats()) {
    const std::string simulated = lower_case(format.render(simulated_report()));
    EXPECT_NE(simulated.find("simulated"), std::string::npos) << format.name;
    const std::string modelled = lower_case(format.render(modelled_report()));
    EXPECT_NE(modelled.find("modelled"), std::string::npos) << format.name;
  }
}

TEST(EachFormat, IsFoundByItsNameAndNoOtherIs) {
  for (const ReportFormat& format : report_formats()) {
    EXPECT_EQ(report_format_named(format.name), &format);
  }
  EXPECT_EQ(report_format_named("xml"), nullptr);
}

TEST(TableFormat, TheEmptyReportHasNoNumberMadeUp) {
  const std::string text = report_format_named("table")->render(Report{});
  EXPECT_NE(text.find("energy per output token"), std::string::npos);
  EXPECT_NE(text.find("n/a (no energy was measured)"), std::string::npos);
  EXPECT_EQ(text.find("J/token"), std::string::npos);
}

TEST(TableFormat, NoLineIsWiderThanThePage) {
  for (const SampleReport& sample : sample_reports()) {
    for (const int width : {80, 100, 120}) {
      const std::string text = terminal_table(sample.report, {.width = width});
      for (const std::string_view line : split(text, '\n')) {
        EXPECT_LE(columns_of(line), width) << sample.name << ": " << line;
      }
      const Report reports[] = {sample.report, sample.report};
      const std::string points = points_table(reports, {.width = width});
      for (const std::string_view line : split(points, '\n')) {
        EXPECT_LE(columns_of(line), width) << sample.name << ": " << line;
      }
    }
  }
}

TEST(TableFormat, AsciiStyleHasNoByteBeyondAscii) {
  for (const SampleReport& sample : sample_reports()) {
    const std::string text = terminal_table(sample.report, {.utf8 = false});
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x80;
    })) << sample.name;
  }
}

TEST(JsonFormat, IsJsonWhateverStandsInTheReport) {
  for (const SampleReport& sample : sample_reports()) {
    const auto document = JsonDocument::parse(report_format_named("json")->render(sample.report));
    ASSERT_TRUE(document) << sample.name << ": " << document.error().message;
    EXPECT_EQ(document->root()["schema"].string(), "tokenjoule.result/1");
    EXPECT_EQ(document->not_numbers(), 0);
  }
}

TEST(JsonFormat, KeepsNumbersToTheLastBitAndTimesToTheMicrosecond) {
  const std::string text = report_format_named("json")->render(simulated_report());
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document);
  const JsonView root = document->root();
  EXPECT_EQ(root["figures"]["joules_per_output_token"]["value"].number(), 0.07457908);
  EXPECT_EQ(root["window"]["duration_s"].number(), 60.0);
  EXPECT_NE(text.find("\"start_unix_s\": 1796000012.000001"), std::string::npos);
}

TEST(JsonFormat, ANumberThatIsNotFiniteIsNullWithAReason) {
  Report report;
  report.figures["x"].value = std::numeric_limits<double>::infinity();
  const auto document = JsonDocument::parse(report_format_named("json")->render(report));
  ASSERT_TRUE(document);
  EXPECT_FALSE(document->root()["figures"]["x"]["value"].present());
  EXPECT_TRUE(document->root()["figures"]["x"]["reason"].string());
}

TEST(JsonFormat, DeeplyNestedConfigurationStaysText) {
  const std::string text = report_format_named("json")->render(hostile_report());
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->root()["host"].string());
  EXPECT_TRUE(document->root()["configuration"].string());
}

TEST(CsvFormat, EachRowHasACellForEachColumn) {
  for (const SampleReport& sample : sample_reports()) {
    const std::string text = report_format_named("csv")->render(sample.report);
    const auto lines = split(text, '\n');
    ASSERT_EQ(lines.size(), 3U) << sample.name;  // header, row, nothing after the last line feed
    EXPECT_EQ(cells_of(lines[0]).size(), csv_columns().size());
    EXPECT_EQ(cells_of(lines[1]).size(), csv_columns().size()) << sample.name;
  }
}

TEST(CsvFormat, NoTextCellCanBeTakenForAFormula) {
  const std::string row = csv_row(hostile_report());
  for (const std::string& cell : cells_of(row)) {
    const bool number = number_in(trimmed(cell)).has_value();
    const bool formula = !cell.empty() && std::string("=+-@").find(cell[0]) != std::string::npos;
    EXPECT_FALSE(formula && !number) << cell;
  }
}

TEST(CsvFormat, EachColumnStandsInItsPage) {
  std::ifstream file(TOKENJOULE_CSV_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const std::string_view column : csv_columns()) {
    EXPECT_NE(page.find("`" + std::string(column) + "`"), std::string::npos) << column;
  }
}

TEST(CsvFormat, AColumnHoldsWhatItsPathNames) {
  const std::string text = report_format_named("csv")->render(simulated_report());
  const auto lines = split(text, '\n');
  const auto names = cells_of(lines[0]);
  const auto cells = cells_of(lines[1]);
  const auto cell = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? "no such column"
                             : cells[static_cast<std::size_t>(at - names.begin())];
  };
  EXPECT_EQ(cell("energy.joules"), "35210.5");
  EXPECT_EQ(cell("load.concurrency"), "64");
  EXPECT_EQ(cell("verdict.reasons"), "failures limit_below_catalogue");
  EXPECT_EQ(cell("figures.ttft_seconds.p50"), "0.1875");
  EXPECT_EQ(cell("load.request_rate_per_s"), "");
}

TEST(MarkdownFormat, EachRowOfATableHasAsManyCellsAsItsHeading) {
  for (const SampleReport& sample : sample_reports()) {
    int expected = 0;
    const std::string text = report_format_named("markdown")->render(sample.report);
    for (const std::string_view line : split(text, '\n')) {
      const bool row = starts_with(line, "|");
      if (row && expected == 0) expected = dividing_bars(line);
      if (!row) expected = 0;
      EXPECT_EQ(dividing_bars(line), expected) << sample.name << ": " << line;
    }
  }
}

TEST(MarkdownFormat, ForeignHtmlIsText) {
  std::string text = report_format_named("markdown")->render(hostile_report());
  for (std::size_t at = text.find("\\`"); at != std::string::npos; at = text.find("\\`", at)) {
    text.erase(at, 2);
  }
  for (const std::string_view line : split(text, '\n')) {
    // Outside of code spans, where HTML is text anyway: every second piece between backticks.
    const auto pieces = split(line, '`');
    for (std::size_t i = 0; i < pieces.size(); i += 2) {
      EXPECT_EQ(pieces[i].find("<script"), std::string::npos) << line;
    }
  }
}

}  // namespace
}  // namespace tokenjoule
