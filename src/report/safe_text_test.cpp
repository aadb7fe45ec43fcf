#include "report/safe_text.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(OneLine, ControlCharactersAndLineEndsBecomeBlanks) {
  EXPECT_EQ(one_line("a\nb\r\tc\x1b[31md\x7f"), "a b  c [31md ");
  EXPECT_EQ(one_line(std::string_view("nul\0here", 8)), "nul here");
  EXPECT_EQ(one_line("\xC2\x9B"), " ");      // U+009B starts an escape sequence as ESC [ does
  EXPECT_EQ(one_line("\xE2\x80\xA8"), " ");  // U+2028, line separator
  EXPECT_EQ(one_line("\xE2\x80\xAE"
                     "exe"),
            " exe");  // U+202E, right-to-left override
}

TEST(OneLine, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(one_line("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(one_line("\xC3"), "\xEF\xBF\xBD");                          // cut off
  EXPECT_EQ(one_line("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");          // overlong NUL
  EXPECT_EQ(one_line("\xED\xA0\x80").find("\xED"), std::string::npos);  // a surrogate
}

TEST(OneLine, LeavesOtherTextAsItIs) { EXPECT_EQ(one_line("Zürich ± 日本"), "Zürich ± 日本"); }

TEST(AsciiLine, SpellsOutOurSignsAndMarksTheRest) {
  EXPECT_EQ(ascii_line("2 × 3 ± 1 µs"), "2 x 3 +- 1 us");
  EXPECT_EQ(ascii_line("日本"), "??");
}

TEST(ColumnsOf, CountsWhatATerminalShows) {
  EXPECT_EQ(columns_of("abc"), 3);
  EXPECT_EQ(columns_of("±×"), 2);
  EXPECT_EQ(columns_of("日本"), 4);
  EXPECT_EQ(columns_of("e\xCC\x81"), 1);  // e with a combining acute accent
}

TEST(CutTo, EndsInATildeAndNeverInsideACharacter) {
  EXPECT_EQ(cut_to("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to("abcdefg", 6), "abcde~");
  EXPECT_EQ(cut_to("日本語", 4), "日~");
  EXPECT_EQ(cut_to("abc", 0), "");
}

}  // namespace
}  // namespace tokenjoule
