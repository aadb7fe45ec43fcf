#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::severity_of;
using test::sound_run;
using test::span;
using test::TestRun;

/// A sound run whose GPU has a counter as well that grows by `joules` a second.
TestRun with_counter(double joules) {
  TestRun run = sound_run();
  run.counter(1);
  for (int t = 0; t <= 50; ++t) run.sample(t, {{1, joules * t}});
  return run;
}

/// 100 W in an idle phase from 0 to 8 s, then `loaded`.
TestRun with_idle(double idle, double loaded) {
  TestRun run;
  run.run.marks.clear();
  run.mark(0, Phase::idle).mark(8, Phase::warmup);
  run.mark(10, Phase::measure).mark(40, Phase::cooldown);
  run.power(0);
  for (int t = 0; t <= 50; ++t) run.sample(t, {{0, t < 8 ? idle : loaded}});
  run.answer(20, {1, 2, 3});
  return run;
}

// sensors_disagree

TEST(SensorsDisagree, FollowsTheRatioOfIntegratedPowerToTheCounter) {
  EXPECT_EQ(severity_of(with_counter(400 / 1.04).analysed(), "sensors_disagree"), "none");
  EXPECT_EQ(severity_of(with_counter(400 / 0.96).analysed(), "sensors_disagree"), "none");
  EXPECT_EQ(severity_of(with_counter(400 / 1.08).analysed(), "sensors_disagree"), "care");
  EXPECT_EQ(severity_of(with_counter(400 / 0.90).analysed(), "sensors_disagree"), "care");
  EXPECT_EQ(severity_of(with_counter(400 / 2.5).analysed(), "sensors_disagree"), "unusable");
  EXPECT_EQ(severity_of(with_counter(400 / 0.4).analysed(), "sensors_disagree"), "unusable");
}

TEST(SensorsDisagree, NamesAUnitThatIsOffByAThousand) {
  const auto words = [](double joules) {
    for (const CheckFinding& finding : with_counter(joules).analysed().verdict.reasons) {
      if (finding.code == "sensors_disagree") return finding.message;
    }
    return std::string();
  };
  EXPECT_NE(words(0.4).find("1000 times too small (J for mJ?)"), std::string::npos) << words(0.4);
  EXPECT_NE(words(400000).find("1000 times too large (mJ for J?)"), std::string::npos);
  EXPECT_EQ(words(4).find("1000 times"), std::string::npos);
}

// counters

TestRun with_frozen_counter(double power_while_frozen, bool read_power) {
  TestRun run;
  run.counter(1);
  if (read_power) run.power(0);
  for (int t = 0; t <= 50; ++t) {
    const bool frozen = t > 20 && t <= 30;
    run.sample(t, {{1, 400.0 * (t <= 20 ? t : frozen ? 20 : t - 10)}});
    if (read_power) run.sample(t, {{0, frozen ? power_while_frozen : 400}});
  }
  run.answer(20, {1, 2, 3});
  return run;
}

TEST(CounterFrozen, WithPowerFlowingUsesIntegratedPower) {
  const Report report = with_frozen_counter(400, true).analysed();
  EXPECT_EQ(severity_of(report, "counter_frozen"), "care");
  EXPECT_EQ(report.energy.at(0).method, "integrated_power");
  EXPECT_DOUBLE_EQ(report.energy.at(0).joules->value(), 12000);  // not the counter's 8000
  EXPECT_EQ(severity_of(report, "sensors_disagree"), "care");    // 12000 / 8000
}

TEST(CounterFrozen, WithoutPowerIsUnusable) {
  const Report report = with_frozen_counter(0, false).analysed();
  EXPECT_EQ(severity_of(report, "counter_frozen"), "unusable");
  EXPECT_EQ(report.energy.at(0).joules, std::nullopt);
}

TEST(CounterFrozen, AtZeroPowerACounterRightlyStandsStill) {
  const Report report = with_frozen_counter(0, true).analysed();
  EXPECT_EQ(severity_of(report, "counter_frozen"), "none");
  EXPECT_EQ(report.energy.at(0).method, "counter");
  EXPECT_NEAR(report.energy.at(0).joules->value(), 8000, 1e-6);
}

TEST(CounterFrozen, ForTheWholeRecordIsFrozenToo) {
  TestRun run = with_counter(0);
  for (Sample& sample : run.run.samples) {
    Reading& reading = sample.readings.front();
    if (reading.signal == 0 && sample.read.begin.ns / 1'000'000'000 % 2 == 0) reading.raw += 1;
  }
  EXPECT_EQ(severity_of(run.analysed(), "counter_frozen"), "care");
}

TEST(CounterFrozen, WithPowerThatStandsStillTooIsUnusable) {
  const Report report = with_counter(0).analysed();  // 400 W in all of 51 readings
  EXPECT_EQ(severity_of(report, "counter_frozen"), "unusable");
  EXPECT_EQ(report.energy.at(0).joules, std::nullopt);
}

TestRun with_reset_at(int reset, bool read_power) {
  TestRun run;
  run.counter(1);
  if (read_power) run.power(0);
  for (int t = 0; t <= 50; ++t) {
    run.sample(t, {{1, t < reset ? 10000 + 400.0 * t : 400.0 * (t - reset)}});
    if (read_power) run.sample(t, {{0, 400}});
  }
  run.answer(20, {1, 2, 3});
  return run;
}

TEST(CounterBackward, InTheWindowUsesIntegratedPowerOrNothing) {
  const Report with_power = with_reset_at(20, true).analysed();
  EXPECT_EQ(severity_of(with_power, "counter_backward"), "care");
  EXPECT_DOUBLE_EQ(with_power.energy.at(0).joules->value(), 12000);
  const Report without = with_reset_at(20, false).analysed();
  EXPECT_EQ(severity_of(without, "counter_backward"), "unusable");
  EXPECT_EQ(without.energy.at(0).joules, std::nullopt);
}

TEST(CounterBackward, OutsideOfTheWindowKeepsTheCounter) {
  const Report report = with_reset_at(5, true).analysed();
  EXPECT_EQ(severity_of(report, "counter_backward"), "care");
  EXPECT_EQ(report.energy.at(0).method, "counter");
  EXPECT_NEAR(report.energy.at(0).joules->value(), 12000, 1e-6);
}

TEST(CounterCoarse, FollowsTheStepOverTheWindow) {
  const auto stepping = [](int step) {
    TestRun run;
    run.counter(1);
    for (int t = 0; t <= 70; ++t) run.sample(t, {{1, 400.0 * step * ((t + 10) / step)}});
    run.answer(20, {1, 2, 3});
    return severity_of(run.analysed(), "counter_coarse");
  };
  EXPECT_EQ(stepping(1), "none");
  EXPECT_EQ(stepping(3), "none");  // 3 s of 30 s is a tenth, not more
  EXPECT_EQ(stepping(4), "care");
  EXPECT_EQ(stepping(16), "unusable");
}

TEST(CounterCoarse, AnExporterThatCollectsEvery30SecondsIsKnownToTheVerdict) {
  // Power and energy of one page, read each second, renewed each 30 s: 12 kJ a step at 400 W.
  TestRun run;
  run.counter(1);
  run.power(0);
  for (int t = 0; t <= 100; ++t) {
    const int collected = (t + 25) / 30;  // at 5, 35, 65 and 95 s
    run.sample(t, {{1, 12000.0 * collected}, {0, 400.0 + collected}});
  }
  run.answer(20, {1, 2, 3});
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "counter_coarse"), "unusable");  // 30 s of a window of 30 s
  ASSERT_TRUE(report.energy.at(0).devices.at(0).step.has_value());
  EXPECT_NEAR(report.energy[0].devices[0].step->value(), 30, 1e-9);
}

TEST(ImplausiblePower, IsMoreThanOneAndAHalfTimesTheLimit) {
  TestRun run = with_counter(400);
  run.signal(2, Measurand::power_limit_enforced, SignalKind::gauge);
  run.sample(5, {{2, 300}});
  EXPECT_EQ(severity_of(run.analysed(), "implausible_power"), "none");
  // One jump of 2400 J in a second (and never faster than in 2 s): 1200 W with a limit of 300 W.
  for (Sample& sample : run.run.samples) {
    if (sample.read.begin >= at(25) && sample.readings[0].signal == 1)
      sample.readings[0].raw += 2000;
  }
  EXPECT_EQ(severity_of(run.analysed(), "implausible_power"), "unusable");
}

// coverage

TEST(WindowNotCovered, WithoutAReadingBeyondAnEdge) {
  TestRun run;
  run.power(0);
  for (int t = 0; t <= 39; ++t) run.sample(t, {{0, 400}});
  run.answer(20, {1, 2, 3});
  EXPECT_EQ(severity_of(run.analysed(), "window_not_covered"), "unusable");
  run.sample(40, {{0, 400}});
  EXPECT_EQ(severity_of(run.analysed(), "window_not_covered"), "none");
}

TEST(WindowNotCovered, ByACounterOnlyTakesIntegratedPower) {
  TestRun run = sound_run();
  run.counter(1);
  for (int t = 12; t <= 50; ++t) run.sample(t, {{1, 400.0 * t}});
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "window_not_covered"), "care");
  EXPECT_EQ(report.energy.at(0).method, "integrated_power");
}

TEST(DeviceLost, IsADeviceWhoseReadingsStopWhileOthersGoOn) {
  TestRun run = sound_run();
  run.device("GPU-b");
  run.power(1, "GPU-b");
  for (int t = 0; t <= 25; ++t) run.sample(t, {{1, 400}});
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "device_lost"), "unusable");
  EXPECT_EQ(severity_of(report, "window_not_covered"), "none");
  EXPECT_EQ(report.energy.at(0).joules, std::nullopt);
  EXPECT_NE(report.energy.at(0).reason, "");
}

TEST(SensorLost, SpoilsItsOwnBoundaryOnly) {
  TestRun run = sound_run();
  run.device("cpu", DeviceKind::cpu);
  run.power(1, "cpu", Boundary::cpu_package).sensor = "rapl";
  for (int t = 0; t <= 25; ++t) run.sample(t, {{1, 100}});
  run.run.losses.push_back({span(26, 26), "sensor", "rapl", 1, "no answer"});
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "sensor_lost"), "unusable");
  EXPECT_EQ(test::finding_of(report, "sensor_lost")->boundary, Boundary::cpu_package);
  EXPECT_EQ(report.verdict.status, VerdictStatus::care);
  EXPECT_TRUE(report.figures.at("joules_per_output_token").value.has_value());
  const auto& cpu = report.figures_by_boundary.at(Boundary::cpu_package);
  EXPECT_EQ(cpu.at("joules_per_output_token").value, std::nullopt);
}

TEST(SensorGap, FollowsItsLength) {
  const auto with_gap = [](int seconds) {
    TestRun run;
    run.power(0);
    for (int t = 0; t <= 50; ++t) {
      if (t > 15 && t < 15 + seconds) continue;
      run.sample(t, {{0, 400}});
    }
    run.answer(20, {1, 2, 3});
    run.run.marks[1].at = at(45);  // 35 s
    return severity_of(run.analysed(), "sensor_gap");
  };
  EXPECT_EQ(with_gap(1), "none");
  EXPECT_EQ(with_gap(3), "none");      // three periods, not more
  EXPECT_EQ(with_gap(4), "unusable");  // more than a tenth of 35 s
}

TEST(WindowTooShort, FollowsItsLengthAndItsReadings) {
  const auto of_length = [](double seconds, int period) {
    TestRun run;
    run.power(0).period = Seconds(period);
    for (int t = 0; t <= 80; t += period) run.sample(t, {{0, 400}});
    run.run.marks[1].at = at(10 + seconds);
    run.answer(11, {1, 2, 3});
    return severity_of(run.analysed(), "window_too_short");
  };
  EXPECT_EQ(of_length(20, 1), "none");
  EXPECT_EQ(of_length(19.9, 1), "care");
  EXPECT_EQ(of_length(40, 5), "care");         // 8 readings
  EXPECT_EQ(of_length(20.5, 16), "unusable");  // the one at 16 s
}

// idle and load

TEST(Idle, SplitsTheEnergy) {
  const Report report = with_idle(100, 400).analysed();
  EXPECT_EQ(report.verdict.status, VerdictStatus::usable);
  EXPECT_DOUBLE_EQ(report.idle.watts->value(), 100);
  EXPECT_DOUBLE_EQ(report.energy.at(0).idle_joules->value(), 3000);
  EXPECT_DOUBLE_EQ(report.energy.at(0).active_joules->value(), 9000);
  EXPECT_DOUBLE_EQ(*report.figures.at("joules_per_output_token").value, 4000);  // never taken off
}

TEST(NotIdle, WithRequestsRunningOrPowerNotSteady) {
  TestRun busy = with_idle(100, 400);
  busy.scrape(4, {{EngineMetric::requests_running, 1}});
  const Report report = busy.analysed();
  EXPECT_EQ(severity_of(report, "not_idle"), "note");
  EXPECT_EQ(report.idle.watts, std::nullopt);
  EXPECT_EQ(report.energy.at(0).active_joules, std::nullopt);
  TestRun falling = with_idle(100, 400);
  for (int t = 0; t < 8; ++t)
    falling.run.samples[static_cast<std::size_t>(t)].readings[0].raw = 200.0 - 20 * t;
  EXPECT_EQ(severity_of(falling.analysed(), "not_idle"), "note");
  EXPECT_EQ(falling.analysed().idle.reason, "power was not steady");
}

TEST(GpuNotLoaded, NeedsARiseOfATenth) {
  EXPECT_EQ(severity_of(with_idle(100, 111).analysed(), "gpu_not_loaded"), "none");
  EXPECT_EQ(severity_of(with_idle(100, 109).analysed(), "gpu_not_loaded"), "unusable");
  TestRun two = with_idle(100, 400);
  two.device("GPU-b");
  two.power(1, "GPU-b");
  two.steady_power(1, 50);
  const Report report = two.analysed();
  EXPECT_EQ(severity_of(report, "gpu_not_loaded"), "care");
  EXPECT_NE(test::finding_of(report, "gpu_not_loaded")->message.find("GPU-b"), std::string::npos);
}

TEST(GpuNotLoaded, WithoutIdlePowerIsNotChecked) {
  EXPECT_EQ(severity_of(sound_run().analysed(), "gpu_not_loaded"), "none");
}

TEST(IdleContradiction, IsActiveEnergyBelowZero) {
  const Report report = with_idle(100, 90).analysed();
  EXPECT_EQ(severity_of(report, "idle_contradiction"), "care");
  EXPECT_EQ(report.energy.at(0).active_joules, std::nullopt);
  EXPECT_EQ(severity_of(with_idle(100, 100).analysed(), "idle_contradiction"), "none");
}

// limits

TEST(Limits, ChangedUnexpectedThrottledAndCapped) {
  TestRun run = sound_run();
  run.signal(2, Measurand::power_limit_enforced, SignalKind::gauge);
  run.signal(3, Measurand::throttled_time, SignalKind::counter);
  run.signal(4, Measurand::power_capped_time, SignalKind::counter);
  for (int t = 0; t <= 50; t += 10) {
    run.sample(t, {{2, 500}, {3, 0.005 * t}, {4, 0.005 * t}});
  }
  Report report = run.analysed();
  EXPECT_TRUE(report.verdict.reasons.empty());
  EXPECT_DOUBLE_EQ(*report.energy.at(0).devices.at(0).share_of_limit, 0.8);
  EXPECT_NEAR(report.energy.at(0).devices.at(0).throttled->value(), 0.15, 1e-9);
  run.sample(30.5, {{2, 450}, {3, 1}, {4, 1}});
  run.run.header.configuration_json = R"({"expect_power_limit_w": 700})";
  report = run.analysed();
  EXPECT_EQ(severity_of(report, "limit_changed"), "care");
  EXPECT_EQ(severity_of(report, "limit_unexpected"), "care");
}

TEST(Throttled, IsMoreThanAHundredthOfTheWindow) {
  TestRun run = sound_run();
  run.signal(3, Measurand::throttled_time, SignalKind::counter);
  run.signal(4, Measurand::power_capped_time, SignalKind::counter);
  for (int t = 0; t <= 50; t += 10) run.sample(t, {{3, 0.02 * t}, {4, 0.02 * t}});
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "throttled"), "care");
  EXPECT_EQ(severity_of(report, "power_capped"), "note");
}

TEST(LimitUnexpected, CannotBeConfirmedWithoutAReading) {
  TestRun run = sound_run();
  run.run.header.configuration_json = R"({"expect_power_limit_w": 700})";
  EXPECT_EQ(severity_of(run.analysed(), "limit_unexpected"), "care");
}

}  // namespace
}  // namespace tokenjoule
