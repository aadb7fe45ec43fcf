#include "analysis/statistics.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(Quantile, Type7LiesBetweenTheOrderStatistics) {
  const std::vector<double> values = {1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(*quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(*quantile(values, 0.25), 1.75);  // rank 0.75: 1 + 0.75 x (2 - 1)
  EXPECT_DOUBLE_EQ(*quantile(values, 0.9), 3.7);    // rank 2.7: 3 + 0.7
  EXPECT_DOUBLE_EQ(*quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(*quantile(values, 1), 4);
}

TEST(Quantile, NothingHasNoQuantileRatherThanZero) {
  EXPECT_EQ(quantile({}, 0.5), std::nullopt);
  EXPECT_EQ(median_of({}), std::nullopt);
  EXPECT_EQ(mean_of({}), std::nullopt);
}

TEST(Summary, OfOneToHundredAndOneHasThePercentilesAtTheirPlaces) {
  std::vector<double> values;
  for (int i = 101; i >= 1; --i) values.push_back(i);
  const Summary summary = summary_of(values, "s", "none");
  EXPECT_EQ(summary.n, 101);
  EXPECT_DOUBLE_EQ(*summary.mean, 51);
  EXPECT_DOUBLE_EQ(*summary.p5, 6);
  EXPECT_DOUBLE_EQ(*summary.p50, 51);
  EXPECT_DOUBLE_EQ(*summary.p99, 100);
  EXPECT_EQ(summary.reason, "");
}

TEST(Summary, OfNothingKeepsItsReason) {
  const Summary summary = summary_of({}, "s", "no requests");
  EXPECT_EQ(summary.n, 0);
  EXPECT_EQ(summary.p50, std::nullopt);
  EXPECT_EQ(summary.reason, "no requests");
}

}  // namespace
}  // namespace tokenjoule
