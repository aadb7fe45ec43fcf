#include "analysis/integrated_energy.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::span;

Series reads(std::initializer_list<std::pair<double, double>> values) {
  Series series;
  for (const auto& [time, raw] : values) series.push_back({{at(time), at(time)}, raw});
  return series;
}

std::optional<Joules> joules(const Series& series, const Signal& signal, TimeSpan over) {
  return integrated_energy(power_curve(series, signal), over, std::nullopt).joules;
}

TEST(IntegratedEnergy, ConstantPowerIsPowerTimesTime) {
  const Series series = reads({{0, 100}, {1, 100}, {2, 100}, {3, 100}});
  EXPECT_DOUBLE_EQ(joules(series, Signal(), span(0.3, 2.7))->value(), 240);
}

TEST(IntegratedEnergy, LinearPowerWithEdgesOffTheReadingsIsExact) {
  Series series;
  for (int k = 0; k <= 15; ++k) series.push_back({{at(0.7 * k), at(0.7 * k)}, 100 + 7.0 * k});
  // 100 x 8.24 + 5 x (9.37^2 - 1.13^2)
  EXPECT_NEAR(joules(series, Signal(), span(1.13, 9.37))->value(), 1256.6, 1e-6);
}

TEST(IntegratedEnergy, AnAverageStandsForTheMiddleOfItsTime) {
  // Power jumps from 0 to 100 W at 5 s. A reading that is the mean over 1 s shows a ramp from 5 to
  // 6 s; moved back by half a second it lies around the jump: [5, 9] holds 400 J, less the triangle
  // of 0.5 s.
  Series series;
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.1 * k;
    series.push_back({{at(t), at(t)}, 100 * std::clamp(t - 5, 0.0, 1.0)});
  }
  Signal signal;
  EXPECT_NEAR(joules(series, signal, span(4, 9))->value(), 350, 1e-6);
  signal.averaging = Seconds(1);
  EXPECT_NEAR(joules(series, signal, span(4, 9))->value(), 400, 1e-6);
}

TEST(IntegratedEnergy, NeedsAReadingAtOrBeyondEachEdge) {
  const Series series = reads({{1, 100}, {2, 100}, {3, 100}});
  EXPECT_EQ(joules(series, Signal(), span(0.9, 2)), std::nullopt);
  EXPECT_EQ(joules(series, Signal(), span(1, 3.1)), std::nullopt);
  EXPECT_DOUBLE_EQ(joules(series, Signal(), span(1, 3))->value(), 200);
  Signal averaged;
  averaged.averaging = Seconds(1);  // the last reading then speaks of 2.5 s
  EXPECT_EQ(joules(series, averaged, span(1, 3)), std::nullopt);
}

TEST(IntegratedEnergy, AGapIsBoundByTheRangeOfThePower) {
  const Series series = reads({{0, 400}, {1, 400}, {2, 400}, {6, 300}, {7, 300}, {8, 300}});
  const auto energy = integrated_energy(power_curve(series, Signal()), span(0, 8), Seconds(1));
  EXPECT_DOUBLE_EQ(energy.joules->value(), 800 + 1400 + 600);
  EXPECT_DOUBLE_EQ(energy.gap_bound.value(), 200);  // 50 W x 4 s
}

TEST(IntegratedEnergy, OnePointHasNoEnergyRatherThanZero) {
  EXPECT_EQ(joules(reads({{1, 100}}), Signal(), span(0, 2)), std::nullopt);
  EXPECT_EQ(joules({}, Signal(), span(0, 2)), std::nullopt);
}

}  // namespace
}  // namespace tokenjoule
