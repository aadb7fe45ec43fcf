#include "load/length_spec.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(LengthSpec, APlainNumberIsThatLengthEachTime) {
  Random random(1);
  const LengthSpec spec = length_spec_in("1024").value();
  EXPECT_EQ(spec.draw(random), 1024);
  EXPECT_EQ(spec.draw(random), 1024);
  EXPECT_EQ(spec.text(), "1024");
}

TEST(LengthSpec, ARangeIncludesBothEnds) {
  Random random(1);
  const LengthSpec spec = length_spec_in("3-5").value();
  int seen[6] = {};
  for (int i = 0; i < 300; ++i) ++seen[spec.draw(random)];
  EXPECT_EQ(seen[3] + seen[4] + seen[5], 300);
  EXPECT_GT(seen[3], 60);
  EXPECT_GT(seen[5], 60);
  EXPECT_DOUBLE_EQ(spec.expected(), 4);
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};
Moments moments_of(const LengthSpec& spec) {
  Random random(7);
  constexpr int kDraws = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto length = static_cast<double>(spec.draw(random));
    sum += length;
    squares += length * length;
  }
  const double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean)};
}

TEST(LengthSpec, NormalHasTheMeanAndDeviationAskedFor) {
  const Moments found = moments_of(length_spec_in("normal:1024,128").value());
  EXPECT_NEAR(found.mean, 1024, 2);
  EXPECT_NEAR(found.deviation, 128, 1.5);
}

TEST(LengthSpec, LognormalMeansTheMomentsOfTheLengthsNotOfTheirLogarithms) {
  const Moments found = moments_of(length_spec_in("lognormal:1000,500").value());
  EXPECT_NEAR(found.mean, 1000, 8);
  EXPECT_NEAR(found.deviation, 500, 15);
}

TEST(LengthSpec, NoLengthIsBelowOneToken) {
  Random random(1);
  const LengthSpec spec = length_spec_in("normal:1,100").value();
  for (int i = 0; i < 100; ++i) EXPECT_GE(spec.draw(random), 1);
}

TEST(LengthSpec, TextIsReadBackToTheSameText) {
  for (const char* text : {"1", "512-1536", "normal:1024,128", "lognormal:12.5,3"}) {
    EXPECT_EQ(length_spec_in(text).value().text(), text);
  }
}

TEST(LengthSpec, WhatIsNoLengthIsAUsageErrorWithExamples) {
  for (const char* text : {"", "0", "-5", "5-", "5-3", "1e3", "normal:", "normal:5", "normal:5,-1",
                           "lognormal:0,1", "normal:nan,1", "99999999999999999999", "abc"}) {
    const auto spec = length_spec_in(text);
    ASSERT_FALSE(spec.has_value()) << text;
    EXPECT_EQ(spec.error().kind, ErrorKind::usage);
    EXPECT_NE(spec.error().hint.find("512-1536"), std::string::npos);
  }
}

TEST(LengthSpec, RangeRatioIsSymmetricAroundTheLength) {
  EXPECT_EQ(with_range_ratio(fixed_length(1024), 0.75).value().text(), "256-1792");
  EXPECT_EQ(with_range_ratio(fixed_length(10), 0.25).value().text(), "7-13");
  EXPECT_EQ(with_range_ratio(fixed_length(1), 0.9).value().text(), "1-2");
  EXPECT_EQ(with_range_ratio(fixed_length(1024), 0).value().text(), "1024");
}

TEST(LengthSpec, RangeRatioOfOneOrOfARangeIsRefused) {
  EXPECT_FALSE(with_range_ratio(fixed_length(1024), 1.0).has_value());
  EXPECT_FALSE(with_range_ratio(fixed_length(1024), -0.1).has_value());
  EXPECT_FALSE(with_range_ratio(fixed_length(1024), std::nan("")).has_value());
  EXPECT_FALSE(with_range_ratio(length_spec_in("5-9").value(), 0.5).has_value());
}

}  // namespace
}  // namespace tokenjoule
