#include "app/sensor_trial.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace tokenjoule {
namespace {

MonoTime at(double seconds) { return mono_at(Seconds(seconds)); }

Signal signal(std::uint32_t id, Measurand measurand) {
  Signal signal;
  signal.id = id;
  signal.sensor = "hand";
  signal.device = "GPU-a";
  signal.measurand = measurand;
  signal.kind = measurand == Measurand::energy ? SignalKind::counter : SignalKind::gauge;
  return signal;
}

/// 10 s of a GPU at 100 W, read every 500 ms for 5 s and every 10 ms then. Its counter steps every
/// `step` seconds and counts `gain` of what is drawn; power is new every 100 ms, 1 W up and down.
TrialReadings readings(double step, double gain = 1) {
  TrialReadings readings;
  Device device;
  device.id = "GPU-a";
  device.kind = DeviceKind::gpu;
  readings.contents.devices = {device};
  readings.contents.signals = {signal(0, Measurand::energy), signal(1, Measurand::power)};
  readings.seldom = {at(0), at(5)};
  readings.often = {at(5), at(10)};
  const auto read = [&](double t) {
    // A hair behind the step, so that the division does not fall short of it.
    const double steps = step > 0 ? std::floor((t + 1e-6) / step) : 0;
    const bool up = static_cast<int>(std::floor((t + 1e-6) / 0.1)) % 2 == 0;
    readings.samples.push_back(
        {{at(t), at(t)}, {{0, steps * step * 100 * gain}, {1, up ? 101.0 : 99.0}}});
  };
  for (int i = 0; i < 10; ++i) read(0.5 * i);
  for (int i = 0; i < 500; ++i) {
    read(5 + 0.01 * i);
    readings.reads.push_back(Seconds(i == 7 ? 0.002 : 0.0002));
  }
  return readings;
}

TEST(TrialOf, ASoundSensorIsGoodWithItsStepsAgreementAndCost) {
  const SensorTrial trial = trial_of(readings(0.1));
  EXPECT_EQ(trial.verdict, TrialVerdict::good) << trial.words;
  ASSERT_EQ(trial.signals.size(), 2u);
  EXPECT_NEAR(trial.signals[0].step->value(), 0.1, 1e-9);
  EXPECT_NEAR(trial.signals[1].step->value(), 0.1, 1e-9);
  EXPECT_NEAR(*trial.signals[1].noise, 0.01, 1e-4);  // 1 W of 100 W
  EXPECT_NEAR(*trial.devices.at(0).ratio, 1, 0.01);
  EXPECT_NEAR(trial.devices[0].often->value(), 100, 1e-6);
  EXPECT_DOUBLE_EQ(trial.read_median->value(), 0.0002);
  EXPECT_DOUBLE_EQ(trial.read_worst->value(), 0.002);
  EXPECT_NE(trial.words.find("agree"), std::string::npos) << trial.words;
}

TEST(TrialOf, ACoarseCounterNeedsLongWindows) {
  const SensorTrial trial = trial_of(readings(2));
  EXPECT_EQ(trial.verdict, TrialVerdict::care);
  EXPECT_NE(trial.words.find("20 s or more"), std::string::npos) << trial.words;
}

TEST(TrialOf, ACounterOfAnotherUnitIsBad) {
  const SensorTrial trial = trial_of(readings(0.1, 1000));
  EXPECT_EQ(trial.verdict, TrialVerdict::bad);
  EXPECT_NE(trial.words.find("disagree (0.001)"), std::string::npos) << trial.words;
}

TEST(TrialOf, ACounterThatStandsStillIsBad) {
  const SensorTrial trial = trial_of(readings(0));
  EXPECT_EQ(trial.verdict, TrialVerdict::bad);
  EXPECT_NE(trial.words.find("stood still"), std::string::npos) << trial.words;
}

TEST(TrialOf, ReadingThatRaisesThePowerNeedsCare) {
  TrialReadings raised = readings(0.1);
  raised.contents.signals.erase(raised.contents.signals.begin());  // power alone
  for (Sample& sample : raised.samples) {
    sample.readings.erase(sample.readings.begin());
    if (sample.read.begin >= at(5)) sample.readings[0].raw += 5;
  }
  const SensorTrial trial = trial_of(raised);
  EXPECT_EQ(trial.verdict, TrialVerdict::care);
  EXPECT_NE(trial.words.find("read less often"), std::string::npos) << trial.words;
}

TEST(TrialOf, ASensorThatGivesNothingIsBad) {
  TrialReadings silent = readings(0.1);
  silent.samples.clear();
  silent.failed = 3;
  silent.first_failure = "timed out";
  const SensorTrial trial = trial_of(silent);
  EXPECT_EQ(trial.verdict, TrialVerdict::bad);
  EXPECT_NE(trial.words.find("timed out"), std::string::npos) << trial.words;
}

}  // namespace
}  // namespace tokenjoule
