#include "report/numbers.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(Significant, KeepsSoManyDigitsAndNoExponent) {
  EXPECT_EQ(significant(0.074612, 3), "0.0746");
  EXPECT_EQ(significant(586.84, 3), "587");
  EXPECT_EQ(significant(35210.5, 4), "35 210");
  EXPECT_EQ(significant(1234567, 4), "1 235 000");
  EXPECT_EQ(significant(0, 3), "0");
  EXPECT_EQ(significant(-1234.4, 4), "-1 234");
  EXPECT_EQ(significant(12, 4), "12.00");
}

TEST(Significant, RoundingUpToTheNextDecadeKeepsTheCountOfDigits) {
  EXPECT_EQ(significant(0.99996, 4), "1.000");
  EXPECT_EQ(significant(999.96, 4), "1 000");
}

TEST(Significant, ExtremesHaveAnExponentAndWhatIsNoNumberIsNotKnown) {
  EXPECT_EQ(significant(1e-9, 3), "1.00e-09");
  EXPECT_EQ(significant(1e18, 3), "1.00e+18");
  EXPECT_EQ(significant(std::numeric_limits<double>::quiet_NaN(), 3), "n/a");
}

TEST(WithBound, BothEndAtTheBoundsSecondDigit) {
  EXPECT_EQ(with_bound(0.07457, 0.00381), "0.0746 ± 0.0038");
  EXPECT_EQ(with_bound(35210.5, 1800), "35 200 ± 1 800");
  EXPECT_EQ(with_bound(20.7142, 1.0571), "20.7 ± 1.1");
  EXPECT_EQ(with_bound(587.2, 29.36), "587 ± 29");
}

TEST(WithBound, ABoundLargerThanTheValueIsShownAsItIs) {
  EXPECT_EQ(with_bound(0.5, 12), "0 ± 12");
  EXPECT_EQ(with_bound(-0.3, 12), "0 ± 12");
}

TEST(WithBound, ABoundOfZeroSaysNothingOfTheDigits) {
  EXPECT_EQ(with_bound(0.07457, 0), "0.07457");
}

TEST(Grouped, PutsABlankBeforeEachThirdDigit) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(640), "640");
  EXPECT_EQ(grouped(3012), "3 012");
  EXPECT_EQ(grouped(-1234567), "-1 234 567");
}

TEST(CountText, SharesHaveOneDecimalWhileTheyAreSmall) {
  EXPECT_EQ(count_text(512.43), "512.4");
  EXPECT_EQ(count_text(640), "640");
  EXPECT_EQ(count_text(472122.6), "472 123");
}

TEST(DurationText, TakesTheUnitThatFits) {
  EXPECT_EQ(duration_text(Seconds(0)), "0 s");
  EXPECT_EQ(duration_text(Seconds(0.000085)), "85.0 µs");
  EXPECT_EQ(duration_text(Seconds(0.1834)), "183 ms");
  EXPECT_EQ(duration_text(Seconds(0.99996)), "1.00 s");
  EXPECT_EQ(duration_text(Seconds(60)), "60.0 s");
  EXPECT_EQ(duration_text(Seconds(3661)), "3 661 s");
}

TEST(Percent, HasThreeDigitsAtMost) {
  EXPECT_EQ(percent(0.982), "98.2 %");
  EXPECT_EQ(percent(0.001), "0.10 %");
  EXPECT_EQ(percent(0), "0 %");
}

TEST(FigureText, HasBoundAndUnit) {
  Figure figure;
  figure.value = 0.07457;
  figure.systematic_bound = 0.00381;
  figure.unit = "J/token";
  EXPECT_EQ(figure_text(figure), "0.0746 ± 0.0038 J/token");
}

TEST(FigureText, AnUnknownValueIsShownWithItsReasonAndNeverAsZero) {
  Figure figure;
  figure.unit = "J/token";
  figure.reason = "no tokens";
  EXPECT_EQ(figure_text(figure), "n/a (no tokens)");
  EXPECT_EQ(figure_text(Figure{}), "n/a");
}

}  // namespace
}  // namespace tokenjoule
