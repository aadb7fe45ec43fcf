#include "selftest/delay_histogram.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(DelayHistogram, KnowsNothingOfNothing) {
  EXPECT_EQ(DelayHistogram().quantile(0.5), std::nullopt);
}

TEST(DelayHistogram, IsExactBelow128Nanoseconds) {
  DelayHistogram delays;
  for (std::int64_t ns = 1; ns <= 100; ++ns) delays.add({ns});
  EXPECT_EQ(delays.quantile(0.50)->count, 50);  // rank 50 of 1, 2, …
  EXPECT_EQ(delays.quantile(0.99)->count, 99);
  EXPECT_EQ(delays.quantile(1.0)->count, 100);
}

TEST(DelayHistogram, StaysWithinOnePartIn64Above) {
  for (const std::int64_t ns : {128L, 129L, 1'000L, 12'345L, 999'999'999L, INT64_MAX}) {
    DelayHistogram delays;
    delays.add({ns});
    const auto found = static_cast<double>(delays.quantile(0.5)->count);
    EXPECT_NEAR(found / static_cast<double>(ns), 1.0, 1.0 / 64) << ns;
  }
}

TEST(DelayHistogram, CountsWhatCameBeforeItWasSentAsNone) {
  DelayHistogram delays;
  delays.add({-5});
  EXPECT_EQ(delays.quantile(0.5)->count, 0);
}

}  // namespace
}  // namespace tokenjoule
