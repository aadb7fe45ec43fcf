#include "load/shapes/arrival_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

std::vector<double> first_times(const ArrivalRate& rate, int count, std::uint64_t stream = 0) {
  ArrivalSchedule schedule(rate, stream);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(to_seconds(schedule.next()).value());
  return times;
}

std::vector<double> gaps_of(const std::vector<double>& times) {
  std::vector<double> gaps;
  for (std::size_t i = 0; i < times.size(); ++i) {
    gaps.push_back(times[i] - (i == 0 ? 0 : times[i - 1]));
  }
  return gaps;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double variation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size())) / mean;
}

TEST(ArrivalSchedule, ConstantArrivalsStandAtWholeMultiplesOfTheGapWithoutDrift) {  // L30
  ArrivalSchedule schedule({.per_second = 1000, .process = ArrivalProcess::constant}, 0);
  for (std::int64_t i = 1; i <= 60'000; ++i) ASSERT_EQ(schedule.next(), milliseconds(i));
}

TEST(ArrivalSchedule, PoissonGapsAreThoseOfTheSeededGenerator) {
  Random random(7, 3);
  double sum = 0;
  for (const double time : first_times({.per_second = 4, .seed = 7}, 100, 3)) {
    sum += random.exponential(1) / 4;
    EXPECT_NEAR(time, sum, 1e-8);
  }
}

TEST(ArrivalSchedule, PoissonGapsHaveTheirMeanAndVariationAndPassKolmogorovSmirnov) {  // L31
  auto gaps = gaps_of(first_times({.per_second = 50, .seed = 1}, 20'000));
  EXPECT_NEAR(mean_of(gaps), 0.02, 0.0004);  // 1/50; its error: 0.02 / sqrt(20 000) = 0.00014
  EXPECT_NEAR(variation_of(gaps), 1, 0.03);
  std::sort(gaps.begin(), gaps.end());
  const auto n = static_cast<double>(gaps.size());
  double distance = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double expected = 1 - std::exp(-50 * gaps[i]);
    const auto below = static_cast<double>(i);
    distance = std::max({distance, expected - below / n, (below + 1) / n - expected});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(n));  // critical value at 0.001
}

TEST(ArrivalSchedule, CountsOfPoissonArrivalsAreAsSpreadAsTheirMean) {  // L31
  std::vector<double> counts(60);
  for (const double time : first_times({.per_second = 100, .seed = 2}, 8000)) {
    if (time < 60) counts[static_cast<std::size_t>(time)] += 1;
  }
  const double index = std::pow(variation_of(counts), 2) * mean_of(counts);
  EXPECT_TRUE(index > 0.7 && index < 1.3) << index;
  EXPECT_NE(std::lround(mean_of(counts) * 60), 6000);  // the total is not forced to N / rate
}

TEST(ArrivalSchedule, GammaGapsVaryAsTheirBurstinessSays) {  // L32: CV^2 = 1 / burstiness
  for (const double burstiness : {0.5, 1.0, 4.0}) {
    const auto gaps = gaps_of(first_times(
        {.per_second = 10, .process = ArrivalProcess::gamma, .burstiness = burstiness}, 50'000));
    EXPECT_NEAR(mean_of(gaps), 0.1, 0.003);
    EXPECT_NEAR(std::pow(variation_of(gaps), 2), 1 / burstiness, 0.1 / burstiness);
  }
}

TEST(ArrivalSchedule, TheRateGrowsLinearlyOverTheRampAndIsWholeBehindIt) {
  const auto times = first_times(
      {.per_second = 10, .process = ArrivalProcess::constant, .ramp_up = Seconds(4)}, 40);
  EXPECT_NEAR(times[4], 2, 1e-9);   // 10 t^2 / (2 x 4) = 5 at t = 2
  EXPECT_NEAR(times[19], 4, 1e-9);  // 20 arrivals in the ramp: half of 10 x 4
  EXPECT_NEAR(times[29], 5, 1e-9);  // then 10 a second
  EXPECT_NEAR(times[39], 6, 1e-9);
}

TEST(ArrivalSchedule, AnotherSeedOrStreamGivesOtherGaps) {
  const auto times = first_times({.per_second = 10, .seed = 1}, 5);
  EXPECT_EQ(times, first_times({.per_second = 10, .seed = 1}, 5));
  EXPECT_NE(times, first_times({.per_second = 10, .seed = 2}, 5));
  EXPECT_NE(times, first_times({.per_second = 10, .seed = 1}, 5, 1));
}

}  // namespace
}  // namespace tokenjoule
