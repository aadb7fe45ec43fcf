#include "sim/virtual_run.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "model/run.hpp"
#include "model/token_times.hpp"
#include "record/event_json.hpp"

namespace tokenjoule {
namespace {

VirtualRunOptions short_run() {
  VirtualRunOptions options;
  options.concurrency = 4;
  options.input_tokens = 64;
  options.output_tokens = 32;
  options.range_ratio = 0.5;
  options.idle = options.warmup = Seconds(2);
  options.window = Seconds(10);
  return options;
}

Run run_of(const VirtualRun& virtual_one) {
  Run run;
  for (const Event& event : virtual_one.events) add_event(run, event);
  return run;
}

/// Tokens of the requests' records whose stamp less the network's delay is in the span.
std::int64_t tokens_sent_in(const Run& run, TimeSpan span, Nanoseconds delay) {
  std::int64_t tokens = 0;
  for (const RequestRecord& request : run.requests) {
    TokenTimesReader reader(request.token_times, request.sent);
    while (const auto event = reader.next()) {
      if (span.contains(event->at - delay)) tokens += event->tokens.value_or(0);
    }
  }
  return tokens;
}

double counter_joules(const Run& run, const std::string& device, TimeSpan span) {
  const auto signal =
      std::find_if(run.signals.begin(), run.signals.end(), [&](const Signal& candidate) {
        return candidate.device == device && candidate.measurand == Measurand::energy;
      });
  std::vector<double> values;
  for (const Sample& sample : run.samples) {
    if (!span.contains(sample.read.middle())) continue;
    for (const Reading& reading : sample.readings) {
      if (reading.signal == signal->id) values.push_back(reading.raw * signal->to_si);
    }
  }
  return values.back() - values.front();
}

TEST(VirtualRun, IsAWholeRecord) {
  const auto made = virtual_run(short_run());
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const auto run = run_of(*made);
  EXPECT_TRUE(run.close.has_value());
  EXPECT_EQ(run.marks.size(), 6U);
  EXPECT_EQ(start_of(run, Phase::measure), mono_at(Seconds(4)));
  EXPECT_EQ(start_of(run, Phase::cooldown), mono_at(Seconds(14)));
  EXPECT_TRUE(run.engine->simulated);
  EXPECT_GE(run.engine->counters.size(), 8U);
  EXPECT_TRUE(run.devices.at(0).simulated);
  EXPECT_GE(run.anchors.size(), 2U);
  EXPECT_GT(run.requests.size(), 50U);
  for (const RequestRecord& request : run.requests) {
    EXPECT_EQ(request.outcome, Outcome::completed);
    EXPECT_EQ(request.output_tokens, request.output_tokens_asked);
    EXPECT_TRUE(TokenTimes::in(request.token_times.text()).has_value());
  }
}

TEST(VirtualRun, EveryEventIsALineOfARunFile) {
  const auto made = virtual_run(short_run());
  for (const Event& event : made->events) {
    const auto back = event_in(line_of(event));
    ASSERT_TRUE(back.has_value() && back->has_value()) << line_of(event);
  }
}

TEST(VirtualRun, SameOptionsGiveTheSameEvents) {
  const auto first = virtual_run(short_run());
  const auto second = virtual_run(short_run());
  ASSERT_EQ(first->events.size(), second->events.size());
  for (std::size_t i = 0; i < first->events.size(); ++i)
    ASSERT_EQ(line_of(first->events[i]), line_of(second->events[i]));
}

TEST(VirtualRun, ItsRecordsHoldTheTokensOfTheTruth) {
  const VirtualRunOptions options = short_run();
  const auto made = virtual_run(options);
  const auto run = run_of(*made);
  const Truth truth = made->truth(made->window);
  EXPECT_GT(truth.output_tokens, 1000);
  // Records are in whole microseconds: the very few at the edges may fall on the other side.
  EXPECT_NEAR(static_cast<double>(tokens_sent_in(run, made->window, options.network_delay)),
              static_cast<double>(truth.output_tokens), 4);
}

TEST(VirtualRun, ItsCounterHoldsTheJoulesOfTheTruth) {
  VirtualRunOptions options = short_run();
  options.simulator.gpu.engine_gpus = 2;
  options.simulator.drift.on = true;
  const auto made = virtual_run(options);
  const auto run = run_of(*made);
  const Truth truth = made->truth(made->window);
  for (std::size_t gpu = 0; gpu < 2; ++gpu) {
    const double joules = counter_joules(run, run.devices[gpu].id, made->window);
    EXPECT_NEAR(joules, truth.by_gpu[gpu].value(), 100);  // two steps of 0.1 s below 500 W
  }
  EXPECT_NEAR(truth.engine_gpus.value(), (truth.by_gpu[0] + truth.by_gpu[1]).value(), 1e-9);
}

TEST(VirtualRun, FaultsOfTheServerAreFailuresOfTheRecord) {
  VirtualRunOptions options = short_run();
  options.simulator.faults.http_429_every = 5;
  options.simulator.faults.error_in_stream_every = 7;
  const auto made = virtual_run(options);
  int refused = 0, broken = 0;
  for (const RequestRecord& request : run_of(*made).requests) {
    if (request.failure.rfind("rate_limited: http 429", 0) == 0) ++refused;
    if (request.failure.rfind("in_stream_error", 0) == 0) ++broken;
  }
  EXPECT_GT(refused, 5);
  EXPECT_GT(broken, 5);
}

TEST(VirtualRun, AnExporterThatIsDownLeavesLosses) {
  VirtualRunOptions options = short_run();
  options.simulator.faults.exporter_down_at = Seconds(9);
  const auto run = run_of(*virtual_run(options));
  EXPECT_GT(run.losses.size(), 40U);
  EXPECT_LT(run.samples.back().read.begin, mono_at(Seconds(9)));
}

TEST(VirtualRun, WhatCannotFitIsAUsageError) {
  VirtualRunOptions options = short_run();
  options.input_tokens = 100'000;
  const auto made = virtual_run(options);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace tokenjoule
