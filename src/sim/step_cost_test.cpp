#include "sim/step_cost.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

/// Weights 10 ms at 200 W, a decoded token 1 ms at 500 W, a prompt token 0.1 ms at 800 W.
SimulatorOptions round_options() {
  SimulatorOptions options;
  options.engine.step_overhead = Seconds(0);
  options.engine.weights_pass = Seconds(0.010);
  options.engine.per_decode_token = Seconds(0.001);
  options.engine.per_context_token = Seconds(0);
  options.engine.per_prefill_token = Seconds(0.0001);
  options.gpu.idle = Watts(100);
  options.gpu.weights_pass = Watts(200);
  options.gpu.decode = Watts(500);
  options.gpu.prefill = Watts(800);
  options.gpu.default_limit = Watts(1000);
  return options;
}

TEST(StepCost, AddsTimeAndEnergyOfItsParts) {
  const StepWork work{.prefill_tokens = 50, .decode_tokens = 5, .context_tokens = 0};
  const StepCost cost = cost_of(work, round_options(), {}, 1, {});
  EXPECT_EQ(cost.length, milliseconds(20));  // 10 + 5 + 5 ms
  // 2 J + 2.5 J + 4 J in 20 ms
  EXPECT_NEAR(cost.active.value(), 425, 1e-9);
  EXPECT_DOUBLE_EQ(cost.busy, 1);
}

TEST(StepCost, SharesTheWorkOverTheGpus) {
  SimulatorOptions options = round_options();
  options.gpu.engine_gpus = 2;
  options.engine.step_overhead = Seconds(0.005);
  const StepCost cost = cost_of({.decode_tokens = 10}, options, {}, 1, {});
  EXPECT_EQ(cost.length, milliseconds(15));             // 5 ms of the host, (10 + 10) / 2 ms
  EXPECT_NEAR(cost.active.value(), 3.5 / 0.015, 1e-9);  // 7 J over two GPUs
  EXPECT_NEAR(cost.busy, 2.0 / 3, 1e-12);
}

TEST(StepCost, ACapSlowsTheStepAndSavesEnergy) {
  SimulatorOptions options = round_options();
  options.gpu.cap = Watts(150);  // 50 W above idle where 200 W are wanted
  const StepCost cost = cost_of({}, options, {}, 1, {});
  EXPECT_NEAR(cost.active.value(), 50, 1e-9);
  EXPECT_NEAR(cost.slowdown, 2.5198421, 1e-6);  // 4^(2/3)
  const double joules = (cost.active * to_seconds(cost.length)).value();
  EXPECT_NEAR(joules, 2 / 1.5874011, 1e-6);  // 2 J / sqrt(slowdown)
}

TEST(StepCost, TheCapHoldsForTheHottestGpu) {
  SimulatorOptions options = round_options();
  options.gpu.cap = Watts(150);
  const StepCost cost = cost_of({}, options, {}, 1, {.idle = 1.1, .active = 1.25});
  EXPECT_NEAR(110 + 1.25 * cost.active.value(), 150, 1e-9);
}

TEST(StepCost, DriftMovesPowerAndTimeInDifferentProportions) {
  const DriftParameters drift{.on = true, .period = Seconds(40)};
  EXPECT_NEAR(drift_at(drift, {}).power, 1, 1e-12);
  EXPECT_NEAR(drift_at(drift, {}).time, 0.7, 1e-12);
  EXPECT_NEAR(drift_at(drift, mono_at(Seconds(10))).power, 1.25, 1e-12);
  EXPECT_NEAR(drift_at(drift, mono_at(Seconds(10))).time, 1, 1e-12);
  EXPECT_NEAR(drift_at(drift, mono_at(Seconds(20))).time, 1.3, 1e-12);
  EXPECT_NEAR(drift_at(drift, mono_at(Seconds(30))).power, 0.75, 1e-12);
  EXPECT_EQ(drift_at({}, mono_at(Seconds(10))).power, 1);  // off
}

TEST(StepCost, PacedStepsHaveOneLengthAndThePowerOfTheirWork) {
  SimulatorOptions options = round_options();
  options.engine.paced_tokens_per_second = 20;
  options.engine.paced_step = milliseconds(10);
  const StepCost cost = cost_of({.decode_tokens = 2}, options, {}, 1, {});
  EXPECT_EQ(cost.length, milliseconds(10));
  EXPECT_NEAR(cost.active.value(), 100, 1e-9);  // 2 ms at 500 W in 10 ms
}

}  // namespace
}  // namespace tokenjoule
