#include "analysis/order_statistics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "analysis/statistics.hpp"
#include "base/random.hpp"

namespace tokenjoule {
namespace {

EachValue each_of(const std::vector<double>& values) {
  return [values](const std::function<void(double)>& take) {
    for (const double value : values) take(value);
  };
}

void expect_as_by_sorting(const std::vector<double>& values) {
  const Summary many = summary_of_many(each_of(values), "s", "none");
  const Summary sorted = summary_of(values, "s", "none");
  EXPECT_EQ(many.n, sorted.n);
  EXPECT_EQ(many.p5, sorted.p5);
  EXPECT_EQ(many.p50, sorted.p50);
  EXPECT_EQ(many.p90, sorted.p90);
  EXPECT_EQ(many.p95, sorted.p95);
  EXPECT_EQ(many.p99, sorted.p99);
  ASSERT_EQ(many.mean.has_value(), sorted.mean.has_value());
  if (many.mean) {
    EXPECT_NEAR(*many.mean, *sorted.mean, 1e-12 * std::abs(*sorted.mean));
  }
}

TEST(OrderStatistics, AreTheValuesAtThosePlaces) {
  const std::vector<double> values = {3, -1, 2.5, 1e300, 0, -7e-300, 2.5};
  EXPECT_EQ(order_statistics(each_of(values), {0, 1, 2, 3, 4, 5, 6}),
            (std::vector<double>{-1, -7e-300, 0, 2.5, 2.5, 3, 1e300}));
}

TEST(OrderStatistics, TellValuesApartThatDifferInTheLastBit) {
  const double above = std::nextafter(0.040, 1.0);
  EXPECT_EQ(order_statistics(each_of({above, 0.040, above}), {0, 1}),
            (std::vector<double>{0.040, above}));
}

TEST(OrderStatistics, SummariesAreThoseOfSortedValues) {
  expect_as_by_sorting({});
  expect_as_by_sorting({0.25});
  expect_as_by_sorting({0.020, 0.020, 0.021});
  expect_as_by_sorting({0, 0, 0, 0.060});
  Random random(7);
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) values.push_back(0.040 + 1e-6 * random.uniform());
  expect_as_by_sorting(values);
  for (double& value : values) value = -value;
  expect_as_by_sorting(values);
}

TEST(OrderStatistics, TheMeanDoesNotLoseSmallValuesBesideLargeOnes) {
  const Summary summary = summary_of_many(each_of({1e16, 1, -1e16, 1}), "1", "");
  EXPECT_EQ(summary.mean, 0.5);
}

}  // namespace
}  // namespace tokenjoule
