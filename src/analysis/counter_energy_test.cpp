#include "analysis/counter_energy.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::span;

Signal joule_counter(double period_s) {
  Signal signal;
  signal.kind = SignalKind::counter;
  signal.measurand = Measurand::energy;
  signal.period = Seconds(period_s);
  return signal;
}

/// Reads without width.
Series reads(std::initializer_list<std::pair<double, double>> values) {
  Series series;
  for (const auto& [time, raw] : values) series.push_back({{at(time), at(time)}, raw});
  return series;
}

/// 100 W in steps of 200 J every 2 s at odd seconds, read every second: steps lie at 0.5, 2.5, ...
Series two_second_steps(int last) {
  Series series;
  for (int t = 0; t <= last; ++t)
    series.push_back({{at(t), at(t)}, 1000.0 + 200.0 * ((t + 1) / 2)});
  return series;
}

TEST(CounterCurve, AStepLiesBetweenTheReadsAroundTheChange) {
  const auto curve = counter_curve(reads({{0, 10}, {1, 10}, {2, 15}}), joule_counter(1));
  ASSERT_EQ(curve.levels.size(), 2u);
  EXPECT_EQ(curve.levels[1].step_at, at(1.5));
  EXPECT_EQ(curve.levels[1].step_uncertainty, milliseconds(500));
  EXPECT_DOUBLE_EQ(curve.levels[1].energy.value(), 5);
}

TEST(CounterCurve, TheWidthOfTheReadsAddsToTheUncertainty) {
  const Series series = {{span(0.9, 1.1), 10}, {span(1.9, 2.1), 15}};
  const auto curve = counter_curve(series, joule_counter(1));
  EXPECT_EQ(curve.levels[1].step_at, at(1.5));
  EXPECT_EQ(curve.levels[1].step_uncertainty, milliseconds(600));  // (2.1 - 0.9) / 2
}

TEST(CounterEnergy, IsLinearBetweenStepsNotBetweenFlatReads) {
  // Edges at 4.0 and 9.0 s, steps at 2.5, 4.5, ..., 10.5: 100 W x 5 s. The raw reads at 4 and 9 s
  // would give 400 or 600 J.
  const auto energy =
      counter_energy(counter_curve(two_second_steps(12), joule_counter(1)), span(4, 9));
  EXPECT_DOUBLE_EQ(energy.joules->value(), 500);
  EXPECT_DOUBLE_EQ(energy.step->value(), 2);
  EXPECT_EQ(energy.steps, 3);                        // 4.5, 6.5, 8.5
  EXPECT_DOUBLE_EQ(energy.start_bound.value(), 50);  // 100 W x 0.5 s
  EXPECT_DOUBLE_EQ(energy.end_bound.value(), 50);
}

TEST(CounterEnergy, BoundCoversAnEdgeBehindAPauseOfTheReads) {
  // 100 W read every second, but not between 8 and 18 s. All steps of the pause are taken for one
  // in its middle, at 13 s: the edge at 17 s then lies at 1800 J + 4 / 5.5 x 100 J.
  Series series;
  for (const int t : {0, 1, 2, 3, 4, 5, 6, 7, 8, 18, 19, 20}) {
    series.push_back({{at(t), at(t)}, 1e6 + 100.0 * t});
  }
  const auto energy = counter_energy(counter_curve(series, joule_counter(1)), span(1.5, 17));
  EXPECT_DOUBLE_EQ(energy.step->value(), 1);
  const double error = energy.joules->value() - 1550;
  EXPECT_NEAR(error, 122.7, 0.1);  // 1800 + 72.7 instead of the 1750 that reads on time would give
  EXPECT_GT(energy.end_bound.value(), error);
  // Power before the pause x half of the pause.
  EXPECT_NEAR(energy.end_bound.value(), 1000 / 5.5 * 5, 1e-9);
}

TEST(CounterEnergy, NeedsAStepBeyondEachEdge) {
  const auto curve = counter_curve(two_second_steps(12), joule_counter(1));
  const auto early = counter_energy(curve, span(0.4, 9));
  EXPECT_EQ(early.joules, std::nullopt);
  EXPECT_FALSE(early.covers_start);
  const auto late = counter_energy(curve, span(4, 11.5));  // last step at 10.5
  EXPECT_EQ(late.joules, std::nullopt);
  EXPECT_FALSE(late.covers_end);
}

TEST(CounterEnergy, ADecreaseIsNeitherNegativeNorTheNewValue) {
  const auto curve =
      counter_curve(reads({{0, 900}, {1, 1000}, {2, 1100}, {3, 50}, {4, 150}, {5, 250}, {6, 350}}),
                    joule_counter(1));
  const auto across = counter_energy(curve, span(1, 4.8));
  EXPECT_EQ(across.joules, std::nullopt);
  EXPECT_TRUE(across.decreased_in_span);
  const auto behind = counter_energy(curve, span(3.6, 5.2));
  EXPECT_TRUE(behind.decreased);
  EXPECT_FALSE(behind.decreased_in_span);
  EXPECT_DOUBLE_EQ(behind.joules->value(), 160);  // 100 W x 1.6 s
}

TEST(CounterEnergy, OneThatMayHaveStartedAgainWhileItWasNotReadIsNotContinued) {
  // 100 W, not read from 3 s to 13 s. Started again at 4 s it stands at 900 J, above the 300 J
  // before. Nothing tells that from a counter that drew 60 W meanwhile.
  const auto behind_the_gap = [](double before, double after, std::optional<double> modulus) {
    Signal signal = joule_counter(1);
    signal.modulus = modulus;
    Series series;
    for (const int t : {0, 1, 2, 3}) series.push_back({{at(t), at(t)}, before + 100.0 * t});
    for (const int t : {0, 1, 2, 3})
      series.push_back({{at(13 + t), at(13 + t)}, after + 100.0 * t});
    return counter_energy(counter_curve(series, signal), span(1, 15));
  };
  const auto doubtful = behind_the_gap(0, 900, std::nullopt);
  EXPECT_FALSE(doubtful.joules.has_value());
  EXPECT_TRUE(doubtful.may_have_restarted);
  // At most twice the 100 W for 10 s: above 2000 J it cannot have started at 0.
  const auto the_same = behind_the_gap(2000, 3300, std::nullopt);
  ASSERT_TRUE(the_same.joules.has_value());
  EXPECT_NEAR(the_same.joules->value(), 1400, 1e-9);  // 100 W for 14 s
  EXPECT_FALSE(the_same.may_have_restarted);
  // A sensor that gives a modulus tells wraps from resets itself.
  EXPECT_TRUE(behind_the_gap(0, 1300, 65536).joules.has_value());
}

TEST(CounterEnergy, AWrapIsUndoneOnlyWithAModulus) {
  const Series series = reads({{0, 800}, {1, 900}, {2, 0}, {3, 100}, {4, 200}});
  Signal signal = joule_counter(1);
  EXPECT_EQ(counter_energy(counter_curve(series, signal), span(0.6, 3.4)).joules, std::nullopt);
  signal.modulus = 1000;
  EXPECT_DOUBLE_EQ(counter_energy(counter_curve(series, signal), span(0.6, 3.4)).joules->value(),
                   280);
}

TEST(CounterEnergy, ScalesRawUnitsAfterTakingDifferences) {
  Signal signal = joule_counter(1);
  signal.to_si = 0.001;  // mJ since boot
  const Series series = reads({{0, 9e12}, {1, 9e12 + 1e5}, {2, 9e12 + 2e5}, {3, 9e12 + 3e5}});
  EXPECT_DOUBLE_EQ(counter_energy(counter_curve(series, signal), span(1, 2)).joules->value(), 100);
}

TEST(CounterEnergy, StandsStillForLongerThanThreeSteps) {
  Series series = reads({{0, 0}, {1, 100}, {2, 200}, {3, 300}});
  for (int t = 4; t <= 8; ++t) series.push_back({{at(t), at(t)}, 300});
  series.push_back({{at(9), at(9)}, 400});
  const auto energy = counter_energy(counter_curve(series, joule_counter(1)), span(1, 8));
  ASSERT_EQ(energy.flat.size(), 1u);
  EXPECT_EQ(energy.flat[0], span(3, 8));
}

TEST(CounterEnergy, ASlowReadProvesNoLongStandstill) {
  // Steps of 10 ms; one read takes 1.5 s and may have looked right at its begin. The middles lie
  // 0.74 s apart, but the value surely stood for 20 us only.
  Series series;
  for (int i = 0; i <= 110; ++i) {
    series.push_back({span(20 + i * 0.01, 20 + i * 0.01 + 0.001), 5.0 * i});
  }
  series.push_back({span(21.10102, 21.10188), 555});
  series.push_back({span(21.10190, 22.58639), 555});
  for (int i = 0; i <= 100; ++i) {
    series.push_back({span(22.59 + i * 0.01, 22.591 + i * 0.01), 1300 + 5.0 * i});
  }
  const auto curve = counter_curve(series, joule_counter(0.01));
  EXPECT_TRUE(counter_energy(curve, span(20.5, 23.2)).flat.empty());
}

TEST(CounterEnergy, PolledMoreSlowlyThanItStepsItIsNotFlat) {
  // At the edges it is read every 20 ms, between them every second: the median step is 20 ms, but
  // no two reads ever gave the same value.
  Series series;
  for (int i = 0; i < 200; ++i) series.push_back({{at(i * 0.02), at(i * 0.02)}, 2.0 * i});
  for (int t = 4; t <= 30; ++t) series.push_back({{at(t), at(t)}, 100.0 * t});
  const auto energy = counter_energy(counter_curve(series, joule_counter(1)), span(1, 20));
  EXPECT_TRUE(energy.flat.empty());
  EXPECT_NEAR(energy.joules->value(), 1900, 1900 * 0.03);
}

}  // namespace
}  // namespace tokenjoule
