#include "record/import/csv_line.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(CsvFields, HandlesQuotesAndBlanks) {
  EXPECT_EQ(*csv_fields("a, b ,\"c, \"\"d\"\"\",,"),
            (std::vector<std::string>{"a", "b", "c, \"d\"", "", ""}));
  EXPECT_FALSE(csv_fields("a,\"never closed"));
}

TEST(LineWalk, NumbersLinesAndTakesBothLineEnds) {
  LineWalk lines("a\r\n\nb");
  EXPECT_EQ(*lines.next(), "a");
  EXPECT_EQ(*lines.next(), "");
  EXPECT_EQ(*lines.next(), "b");
  EXPECT_EQ(lines.number(), 3);
  EXPECT_FALSE(lines.next());
}

}  // namespace
}  // namespace tokenjoule
