#include "base/random.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/quantity.hpp"

namespace tokenjoule {
namespace {

TEST(Random, SameSeedGivesTheSameNumbers) {
  Random a(1);
  Random b(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.bits(), b.bits());
  EXPECT_NE(Random(1, 0).bits(), Random(1, 1).bits());
  EXPECT_NE(Random(1).bits(), Random(2).bits());
}

TEST(Random, IntegersStayInTheirBoundsAndReachThem) {
  Random random(3);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const auto drawn = random.integer(-2, 2);
    EXPECT_TRUE(drawn >= -2 && drawn <= 2);
    low = low || drawn == -2;
    high = high || drawn == 2;
  }
  EXPECT_TRUE(low && high);
}

TEST(Random, NormalHasItsMeanAndDeviation) {
  Random random(4);
  double sum = 0;
  double squares = 0;
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal(10, 2);
    sum += x;
    squares += (x - 10) * (x - 10);
  }
  EXPECT_NEAR(sum / n, 10, 0.04);  // 6 standard errors of 2 / sqrt(n)
  EXPECT_NEAR(std::sqrt(squares / n), 2, 0.03);
}

TEST(Quantity, DimensionsFollowFromProducts) {
  const Joules energy = Watts(100) * Seconds(2);
  EXPECT_DOUBLE_EQ(energy.value(), 200);
  const JoulesPerToken each = energy / Tokens(50);
  EXPECT_DOUBLE_EQ(each.value(), 4);
  EXPECT_DOUBLE_EQ(energy / Joules(100), 2);
}

TEST(Random, GammaHasItsMeanAndItsSpread) {
  for (const double shape : {0.25, 1.0, 4.0}) {
    Random random(6);
    double sum = 0;
    double squares = 0;
    constexpr int n = 100'000;
    for (int i = 0; i < n; ++i) {
      const double x = random.gamma(shape, 2);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / n;
    const double variance = squares / n - mean * mean;
    EXPECT_NEAR(mean, 2, 0.05) << shape;                            // its error: 2 / sqrt(shape n)
    EXPECT_NEAR(variance / (mean * mean), 1 / shape, 0.1 / shape);  // CV^2 = 1 / shape
  }
}

}  // namespace
}  // namespace tokenjoule
