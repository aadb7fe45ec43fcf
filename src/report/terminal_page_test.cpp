#include "report/terminal_page.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "report/safe_text.hpp"

namespace tokenjoule {
namespace {

TEST(TerminalPage, AFieldBreaksItsValueUnderItself) {
  TerminalPage page({.width = 80});
  page.field("label", std::string(40, 'a') + " bb");
  EXPECT_EQ(page.text(), "  label" + std::string(31, ' ') + std::string(40, 'a') + "\n" +
                             std::string(38, ' ') + "bb\n");
}

TEST(TerminalPage, AWordWiderThanAPageIsCutIntoPieces) {
  TerminalPage page({.width = 80});
  page.paragraph(std::string(170, 'x'));
  EXPECT_EQ(page.text(), std::string(80, 'x') + "\n" + std::string(80, 'x') + "\n" +
                             std::string(10, 'x') + "\n");
}

TEST(TerminalPage, AnIndentedParagraphHangs) {
  TerminalPage page({.width = 80});
  page.paragraph(std::string(70, 'a') + " " + std::string(70, 'b'), Paint::plain, 2);
  EXPECT_EQ(page.text(), "  " + std::string(70, 'a') + "\n    " + std::string(70, 'b') + "\n");
}

TEST(TerminalPage, NumbersAreAlignedAtTheirEnd) {
  TerminalPage page({.width = 80});
  page.table({{"name", false}, {"J", true}}, {{"a", "5"}, {"bb", "100"}, {"short"}});
  EXPECT_EQ(page.text(), "  name     J\n  a        5\n  bb     100\n  short\n");
}

TEST(TerminalPage, ATableTooWideLosesTheEndOfItsWidestText) {
  TerminalPage page({.width = 80});
  page.table({{"name", false}, {"J", true}}, {{std::string(200, 'n'), "100"}});
  for (const auto line : split(page.text(), '\n')) EXPECT_LE(columns_of(line), 80);
  EXPECT_NE(page.text().find("~ 100"), std::string::npos);
}

TEST(TerminalPage, WithoutUtf8ThereIsAsciiAlone) {
  TerminalPage page({.utf8 = false});
  page.field("figure", "1 ± 2 µs, 日");
  EXPECT_NE(page.text().find("1 +- 2 us, ?"), std::string::npos);
}

TEST(TerminalPage, ForeignEscapeSequencesNeverReachTheTerminal) {
  TerminalPage page({.colour = false});
  page.paragraph("a\x1b]0;title\x07 b\nc");
  EXPECT_EQ(page.text().find('\x1b'), std::string::npos);
  EXPECT_EQ(split(page.text(), '\n').size(), 2U);
}

TEST(TerminalPage, ColourIsPutAroundWholeLinesOnlyWhereAskedFor) {
  TerminalPage page({.colour = true});
  page.paragraph("bad", Paint::bad);
  page.paragraph("plain");
  EXPECT_EQ(page.text(), "\x1b[1;31mbad\x1b[0m\nplain\n");
}

}  // namespace
}  // namespace tokenjoule
