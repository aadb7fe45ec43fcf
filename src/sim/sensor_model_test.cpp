#include "sim/sensor_model.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

MonoTime at_s(double seconds) { return mono_at(Seconds(seconds)); }

/// One GPU: 100 W, from 10 s to 20 s 400 W, and another one that idles.
struct World {
  SimulatorOptions options;
  GpuModel gpus;
  SensorModel sensors;

  explicit World(const FaultPlan& faults = {}, Nanoseconds power_step = {})
      : options(made(faults, power_step)), gpus(options.gpu, 1), sensors(gpus, options) {
    gpus.add_step(at_s(10), {whole_seconds(10), Watts(300), 1, 1});
  }
  static SimulatorOptions made(const FaultPlan& faults, Nanoseconds power_step) {
    SimulatorOptions options;
    options.faults = faults;
    options.gpu.idle = Watts(100);
    options.gpu.spread = 0;
    options.gpu.idle_gpus = 1;
    options.sensors.power_step = power_step;
    return options;
  }
  double joules_between(double begin, double end) const {
    return static_cast<double>(*sensors.energy_mj(0, at_s(end)) -
                               *sensors.energy_mj(0, at_s(begin))) *
           1e-3;
  }
};

TEST(SensorModel, TheCounterStandsStillWithinAStepAndMovesByItsEnergy) {
  const World world;
  int steps = 0;
  std::int64_t last = *world.sensors.energy_mj(0, at_s(5));
  for (int ms = 1; ms <= 1000; ++ms) {
    const std::int64_t now = *world.sensors.energy_mj(0, at_s(5 + ms * 1e-3));
    if (now == last) continue;
    EXPECT_NEAR(static_cast<double>(now - last), 10'000, 1);  // 100 W in 100 ms
    last = now;
    ++steps;
  }
  EXPECT_EQ(steps, 10);
}

TEST(SensorModel, TheCounterLosesNothingOverWholeSteps) {
  EXPECT_NEAR(World().joules_between(5, 25), 10 * 100 + 10 * 400, 0.002);
}

TEST(SensorModel, TheAverageIsTheMeanOverTheLastSecond) {
  const World world;
  EXPECT_NEAR(world.sensors.average_power(0, at_s(10))->value(), 100, 1e-9);
  EXPECT_NEAR(world.sensors.average_power(0, at_s(10.25))->value(), 175, 1e-9);
  EXPECT_NEAR(world.sensors.average_power(0, at_s(11))->value(), 400, 1e-9);
  EXPECT_NEAR(world.sensors.average_power(0, at_s(0))->value(), 100, 1e-9);
}

TEST(SensorModel, InstantPowerFollowsAtOnce) {
  const World world;
  EXPECT_NEAR(world.sensors.instant_power(0, at_s(9.999))->value(), 100, 1e-9);
  EXPECT_NEAR(world.sensors.instant_power(0, at_s(10.001))->value(), 400, 1e-9);
}

TEST(SensorModel, PowerReadingsStandStillWithinTheirStep) {
  const World world({}, milliseconds(100));
  int changes = 0;
  double last = world.sensors.average_power(0, at_s(10.2))->value();
  for (int ms = 1; ms <= 500; ++ms) {
    const double now = world.sensors.average_power(0, at_s(10.2 + ms * 1e-3))->value();
    if (now != last) ++changes;
    last = now;
  }
  EXPECT_EQ(changes, 5);
}

TEST(SensorModel, AResetStartsTheCounterAtZero) {
  const World world({.counter_resets = {{Seconds(12), std::nullopt, 0}}});
  EXPECT_GT(*world.sensors.energy_mj(0, at_s(11.99)), 1'000'000'000);
  EXPECT_EQ(*world.sensors.energy_mj(0, at_s(12)), 0);
  EXPECT_NEAR(world.joules_between(13, 15), 800, 0.002);
  EXPECT_GT(*world.sensors.energy_mj(1, at_s(13)), 1'000'000'000);  // only GPU 0
}

TEST(SensorModel, AFrozenCounterStandsStillThenCatchesUp) {
  const World world({.freezes = {{Seconds(12), Seconds(2), std::nullopt}}});
  EXPECT_EQ(world.joules_between(12, 13.9), 0);
  EXPECT_NEAR(world.joules_between(5, 25), 5000, 0.002);
  EXPECT_NEAR(world.sensors.average_power(0, at_s(13))->value(), 400, 1e-9);
}

TEST(SensorModel, ALostGpuShowsNothing) {
  const World world({.losses = {{Seconds(12), std::nullopt, 0}}});
  EXPECT_TRUE(world.sensors.energy_mj(0, at_s(11.9)).has_value());
  EXPECT_FALSE(world.sensors.energy_mj(0, at_s(12)).has_value());
  EXPECT_FALSE(world.sensors.average_power(0, at_s(12)).has_value());
  EXPECT_TRUE(world.sensors.present(1, at_s(12)));
}

TEST(SensorModel, GainErrorsScaleWhatIsShown) {
  EXPECT_NEAR(World({.counter_gain = 1.1}).joules_between(5, 25), 5500, 0.002);
  const World world({.power_gain = 0.5});
  EXPECT_NEAR(world.sensors.instant_power(0, at_s(15))->value(), 200, 1e-9);
}

TEST(SensorModel, NoiseIsTheSameForTheSameTimeAndAveragesOut) {
  const World world({.noise = Watts(10)});
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double watts = world.sensors.instant_power(0, at_s(i * 0.005))->value();
    EXPECT_EQ(watts, world.sensors.instant_power(0, at_s(i * 0.005))->value());
    sum += watts;
  }
  EXPECT_NE(world.sensors.instant_power(0, at_s(1))->value(), 100);
  EXPECT_NEAR(sum / 1000, 100, 1.3);  // four standard errors
}

TEST(SensorModel, CounterStepIsAFaultToChoose) {
  const World world({.counter_step = whole_seconds(5)});
  int changes = 0;
  for (int ms = 0; ms < 10'000; ms += 10) {
    if (world.joules_between(1 + ms * 1e-3, 1.01 + ms * 1e-3) > 0) ++changes;
  }
  EXPECT_EQ(changes, 2);
}

TEST(SensorModel, ShowsUtilisationAndClockOfTheLastSecond) {
  const World world;
  EXPECT_EQ(world.sensors.utilisation_percent(0, at_s(10.25)), 25);
  EXPECT_EQ(world.sensors.utilisation_percent(1, at_s(15)), 0);
  EXPECT_EQ(world.sensors.sm_clock_mhz(0, at_s(15)), 1980);
  EXPECT_EQ(world.sensors.sm_clock_mhz(0, at_s(5)), 345);
}

}  // namespace
}  // namespace tokenjoule
