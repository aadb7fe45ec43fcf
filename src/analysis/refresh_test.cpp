#include "analysis/refresh.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::finding_of;
using test::severity_of;
using test::span;
using test::TestRun;

/// Read each second up to 60 s, reads without width; `value` gets the second.
template <typename Value>
Series each_second(Value value) {
  Series series;
  for (int t = 0; t <= 60; ++t) series.push_back({{at(t), at(t)}, value(t)});
  return series;
}

CounterCurve stepping(int seconds) {
  Signal signal;
  signal.kind = SignalKind::counter;
  return counter_curve(each_second([=](int t) { return 400.0 * (t / seconds); }), signal);
}

TEST(Refresh, IsTheStepOfACounterThatPowerChangesWith) {
  const Series power = each_second([](int t) { return 300.0 + t / 10; });
  const auto refresh = refresh_by_counter(power, stepping(10), Seconds(1));
  ASSERT_TRUE(refresh);
  EXPECT_DOUBLE_EQ(refresh->period.value(), 10);
  ASSERT_EQ(refresh->readings.size(), 6u);  // at 10, 20, ... 60 s: how old the first is, none knows
  EXPECT_EQ(refresh->readings[0].read, span(9, 10));
  EXPECT_DOUBLE_EQ(refresh->readings[0].raw, 301);
}

TEST(Refresh, TakesARepeatedValueForNewWhereTheCounterStepped) {
  const auto refresh =
      refresh_by_counter(each_second([](int) { return 300.0; }), stepping(10), Seconds(1));
  ASSERT_TRUE(refresh);
  EXPECT_EQ(refresh->readings.size(), 6u);
}

TEST(Refresh, IsNoneWherePowerChangesBetweenTheStepsOrTheCounterStepsAtEachRead) {
  const Series moving = each_second([](int t) { return 300.0 + t; });
  EXPECT_FALSE(refresh_by_counter(moving, stepping(10), Seconds(1)));
  EXPECT_FALSE(refresh_by_counter(moving, stepping(1), Seconds(1)));
}

TEST(Refresh, IsToldByTheValuesWhereThereIsNoCounter) {
  // The refresh at 30 s gives the value that was there: it counts as one all the same.
  const Series power = each_second([](int t) { return t / 5 == 6 ? 305.0 : 300.0 + t / 5; });
  const auto refresh = refresh_by_values(power, Seconds(1));
  ASSERT_TRUE(refresh);
  EXPECT_DOUBLE_EQ(refresh->period.value(), 5);
  EXPECT_EQ(refresh->readings.size(), 12u);
}

TEST(Refresh, IsUnknownForPowerThatStandsStillOrFollowsTheLoad) {
  EXPECT_FALSE(refresh_by_values(each_second([](int) { return 100.0; }), Seconds(1)));
  EXPECT_FALSE(refresh_by_values(each_second([](int t) { return t < 8 || t > 40 ? 100.0 : 400.0; }),
                                 Seconds(1)));
}

TEST(Refresh, WithoutACounterWidensTheEdgesByOneRefreshOfPower) {
  TestRun run;  // window from 10 to 40 s
  run.power(0);
  for (int t = 0; t <= 50; ++t) run.sample(t, {{0, 400.0 + (t / 5) % 2}});
  run.answer(20, {1, 2, 3});
  const Report report = run.analysed();
  const DeviceEnergy& device = report.energy.at(0).devices.at(0);
  EXPECT_NEAR(device.joules->value(), 12015, 15);
  EXPECT_NEAR(device.edge_bound->value(), 2 * 400.5 * 5, 5);  // at each edge about 400 W x 5 s
  EXPECT_EQ(severity_of(report, "sensor_gap"), "unusable");   // 5 s of 30 s
}

TEST(Refresh, ACounterWithoutAStepBehindTheWindowMakesItsPagePowerUnusable) {
  TestRun run;
  run.counter(0);
  run.power(1);
  for (int t = 0; t <= 44; ++t) {
    const int last = (t + 5) / 20;  // refreshes at 15 and 35 s
    run.sample(t, {{0, 8000.0 * last}, {1, last == 0 ? 100.0 : 400.0}});
  }
  run.answer(20, {1, 2, 3});
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "window_not_covered"), "unusable");
  EXPECT_EQ(report.energy.at(0).joules, std::nullopt);
}

}  // namespace
}  // namespace tokenjoule
