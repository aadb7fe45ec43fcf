#include "sim/simulation.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

/// Idle 100 W; steps of 10 ms at 300 W whatever is in them.
SimulatorOptions plain_options() {
  SimulatorOptions options;
  options.engine.step_overhead = Seconds(0);
  options.engine.weights_pass = Seconds(0.010);
  options.engine.per_decode_token = Seconds(0);
  options.engine.per_context_token = Seconds(0);
  options.engine.per_prefill_token = Seconds(1e-9);
  options.engine.step_jitter = 0;
  options.gpu.idle = Watts(100);
  options.gpu.weights_pass = Watts(200);
  options.gpu.prefill = Watts(0);
  options.gpu.spread = 0;
  options.gpu.idle_gpus = 1;
  return options;
}

EngineRequest hundred_tokens() {
  return {.id = 1, .prompt_tokens = 1, .max_tokens = 100, .ignore_eos = true};
}

/// Runs to the end of all work, counting each token as sent with its step's end.
void run_out(Simulation& simulation) {
  while (simulation.step_end()) {
    const MonoTime end = *simulation.step_end();
    for (const EngineOutput& output : simulation.end_step(end))
      simulation.count_sent(end, output.tokens, output.first ? 1 : 0);
  }
}

TEST(Simulation, KnowsTheTruthOfAnySpan) {
  Simulation simulation(plain_options());
  simulation.submit(hundred_tokens(), mono_at(Seconds(1)));
  run_out(simulation);
  // 100 steps of 10 ms from 1 s to 2 s at 300 W; the first one is 1 ns longer.
  const Truth all = simulation.truth({MonoTime{}, mono_at(Seconds(3))});
  EXPECT_NEAR(all.engine_gpus.value(), 100 + 300 + 100, 1e-5);
  EXPECT_NEAR(all.by_gpu[1].value(), 300, 1e-9);
  EXPECT_EQ(all.output_tokens, 100);
  EXPECT_EQ(all.prompt_tokens, 1);
  const Truth half = simulation.truth({mono_at(Seconds(1.5)), mono_at(Seconds(2.5))});
  EXPECT_NEAR(half.engine_gpus.value(), 150 + 50, 1e-5);
  EXPECT_EQ(half.output_tokens, 51);  // those of 1.5 s (and a nanosecond) to 2 s
  EXPECT_EQ(half.prompt_tokens, 0);
}

TEST(Simulation, AStallBeginsNoStepAndDrawsIdlePower) {
  SimulatorOptions options = plain_options();
  options.faults.stalls = {{Seconds(1.5), Seconds(2), std::nullopt}};
  Simulation simulation(options);
  simulation.submit(hundred_tokens(), mono_at(Seconds(1)));
  run_out(simulation);
  const Truth stall = simulation.truth({mono_at(Seconds(1.6)), mono_at(Seconds(3.4))});
  EXPECT_EQ(stall.output_tokens, 0);
  EXPECT_NEAR(stall.engine_gpus.value(), 180, 1e-6);
  EXPECT_EQ(simulation.truth({MonoTime{}, mono_at(Seconds(5))}).output_tokens, 100);
}

TEST(Simulation, ADriverThatIsLateDelaysTheNextStepOnlyWhenVeryLate) {
  Simulation simulation(plain_options());
  simulation.submit(hundred_tokens(), {});
  const MonoTime first = *simulation.step_end();
  simulation.end_step(first + milliseconds(5));
  EXPECT_EQ(*simulation.step_end() - first, milliseconds(10));
  const MonoTime late = first + whole_seconds(1);
  simulation.end_step(late);
  EXPECT_EQ(*simulation.step_end() - late, milliseconds(10));
}

}  // namespace
}  // namespace tokenjoule
