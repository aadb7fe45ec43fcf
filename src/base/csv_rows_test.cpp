#include "base/csv_rows.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

using Table = std::vector<std::vector<std::string>>;

Table table_of(std::string_view text, char separator = ',') {
  CsvRows rows(text, separator);
  Table table;
  while (const auto* cells = rows.next()) table.emplace_back(cells->begin(), cells->end());
  if (rows.fault()) table.push_back({"fault", rows.fault()->message});
  return table;
}

TEST(CsvRows, GivesTrimmedCellsAndLeavesOutCommentsAndBlankLines) {
  EXPECT_EQ(table_of("\xEF\xBB\xBF# note\na, b ,c\r\n\r\n1,,3\r\n"),
            (Table{{"a", "b", "c"}, {"1", "", "3"}}));
}

TEST(CsvRows, QuotesMayHoldSeparatorsAndQuotes) {
  EXPECT_EQ(table_of("\"a,b\",\"say \"\"x\"\" and \"\"y\"\"\",c"),
            (Table{{"a,b", "say \"x\" and \"y\"", "c"}}));
}

TEST(CsvRows, ATrailingSeparatorOpensAnEmptyCell) {
  EXPECT_EQ(table_of("a,b,\n"), (Table{{"a", "b", ""}}));
}

TEST(CsvRows, AnOpenQuoteAndAnEndlessLineAreFaults) {
  EXPECT_EQ(table_of("a\n\"b"), (Table{{"a"}, {"fault", "line 2 ends inside quotes"}}));
  EXPECT_EQ(table_of(std::string(1 << 21, 'x')),
            (Table{{"fault", "line 1 is longer than 1048576 bytes"}}));
}

TEST(CsvRows, KnowsTheLineOfARow) {
  CsvRows rows("# c\na\n\nb");
  rows.next();
  EXPECT_EQ(rows.line(), 2U);
  EXPECT_EQ(rows.row(), "a");
  rows.next();
  EXPECT_EQ(rows.line(), 4U);
}

}  // namespace
}  // namespace tokenjoule
