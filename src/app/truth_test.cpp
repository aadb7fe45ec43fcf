// Known joules in, the same joules per token out, in virtual time: ten seeds at 1, 8, 64 and 256
// streams, with power and token rate that drift in different proportions. The same in real time,
// through sockets: tests/program/truth_test.py.

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "analysis/analyse.hpp"
#include "model/token_times.hpp"
#include "sim/virtual_run.hpp"

namespace tokenjoule {
namespace {

constexpr double kAllowed = 0.01;

VirtualRunOptions drifting_run(std::uint64_t seed, std::int64_t streams) {
  VirtualRunOptions options;
  options.simulator.seed = seed;
  options.load_seed = seed;
  options.simulator.gpu.engine_gpus = 2;
  options.simulator.gpu.idle_gpus = 1;
  options.simulator.drift.on = true;
  options.simulator.drift.period = Seconds(40);
  options.concurrency = streams;
  options.input_tokens = 128;
  options.output_tokens = 64;
  options.range_ratio = 0.5;
  options.idle = Seconds(5);
  options.warmup = Seconds(5);
  options.window = Seconds(20);
  return options;
}

/// The record, with the GPU that the engine does not use left out as the user would say.
Run run_of(const VirtualRun& made) {
  Run run;
  for (const Event& event : made.events) add_event(run, event);
  if (run.devices.size() == 3) run.devices.back().chosen = false;
  return run;
}

double joules_per_token(const Run& run) {
  return analyse(run, {})
      .figures.at("joules_per_output_token")
      .value.value_or(std::numeric_limits<double>::quiet_NaN());
}

double true_joules_per_token(const VirtualRun& made, TimeSpan span) {
  const Truth truth = made.truth(span);
  return truth.engine_gpus.value() / static_cast<double>(truth.output_tokens);
}

class Truth40 : public testing::TestWithParam<int> {};

TEST_P(Truth40, IsFoundWithinOnePercent) {
  const std::int64_t streams = GetParam();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto made = virtual_run(drifting_run(seed, streams));
    ASSERT_TRUE(made) << made.error().message;
    const auto run = run_of(*made);
    const Report report = analyse(run, {});
    EXPECT_NE(report.verdict.status, VerdictStatus::unusable) << seed;
    EXPECT_TRUE(report.simulated);
    const double right = true_joules_per_token(*made, made->window);
    EXPECT_NEAR(joules_per_token(run) / right, 1, kAllowed) << seed;
    // Tokens: all of the run exactly; of the window within one engine step at each edge.
    const Truth truth = made->truth(made->window);
    EXPECT_LE(std::abs(*report.tokens.output - static_cast<double>(truth.output_tokens)),
              2.0 * static_cast<double>(streams));
    EXPECT_EQ(report.tokens.client_output_run, report.tokens.engine_counter_output_run) << seed;
    // The bound that the report states holds.
    const Figure& figure = report.figures.at("joules_per_output_token");
    EXPECT_LE(std::abs(*figure.value - right), *figure.systematic_bound);
  }
}

TEST_P(Truth40, ChangesWithinTheRunInDifferentProportions) {
  const auto made = virtual_run(drifting_run(1, GetParam()));
  double least_watts = std::numeric_limits<double>::infinity();
  double most_watts = 0;
  double least_rate = std::numeric_limits<double>::infinity();
  double most_rate = 0;
  for (int i = -2; i < 10; ++i) {  // the last 4 s of the warm-up and the window, in pieces of 2 s
    const TimeSpan piece{made->window.begin + whole_seconds(2 * i),
                         made->window.begin + whole_seconds(2 * i + 2)};
    const Truth truth = made->truth(piece);
    least_watts = std::min(least_watts, truth.engine_gpus.value());
    most_watts = std::max(most_watts, truth.engine_gpus.value());
    least_rate = std::min(least_rate, static_cast<double>(truth.output_tokens));
    most_rate = std::max(most_rate, static_cast<double>(truth.output_tokens));
  }
  EXPECT_GE(most_watts / least_watts, 1.3);
  EXPECT_GE(most_rate / least_rate, 1.3);
}

TEST_P(Truth40, IsMissedByAWindowShiftedBy666Milliseconds) {
  const auto made = virtual_run(drifting_run(2, GetParam()));
  auto shifted = run_of(*made);
  for (Sample& sample : shifted.samples) {
    sample.read.begin += milliseconds(666);
    sample.read.end += milliseconds(666);
  }
  const double right = true_joules_per_token(*made, made->window);
  EXPECT_GT(std::abs(joules_per_token(shifted) / right - 1), kAllowed);
}

TEST_P(Truth40, IsMissedByEventsCountedAsTokens) {
  VirtualRunOptions options = drifting_run(3, GetParam());
  options.simulator.engine.tokens_per_event = 3;
  const auto made = virtual_run(options);
  auto run = run_of(*made);
  const double right = true_joules_per_token(*made, made->window);
  EXPECT_NEAR(joules_per_token(run) / right, 1, kAllowed);
  for (RequestRecord& request : run.requests) {
    TokenTimesReader reader(request.token_times, request.sent);
    TokenTimesWriter writer(request.sent);
    while (const auto event = reader.next()) writer.add({event->at, std::nullopt, event->censored});
    request.token_times = writer.take();
    request.output_tokens = request.token_events;
  }
  EXPECT_FALSE(std::abs(joules_per_token(run) / right - 1) <= kAllowed);
}

TEST_P(Truth40, IsMissedByTheIdlePowerOfAnUnusedGpu) {
  const auto made = virtual_run(drifting_run(4, GetParam()));
  auto run = run_of(*made);
  run.devices.back().chosen = true;
  const double right = true_joules_per_token(*made, made->window);
  EXPECT_GT(joules_per_token(run) / right - 1, kAllowed);
}

TEST_P(Truth40, IsMissedWithAGpuLeftOut) {
  const auto made = virtual_run(drifting_run(5, GetParam()));
  auto run = run_of(*made);
  run.devices.front().chosen = false;
  const double right = true_joules_per_token(*made, made->window);
  EXPECT_LT(joules_per_token(run) / right - 1, -kAllowed);
}

INSTANTIATE_TEST_SUITE_P(Streams, Truth40, testing::Values(1, 8, 64, 256));

}  // namespace
}  // namespace tokenjoule
