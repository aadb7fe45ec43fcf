#include "analysis/analyse.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::severity_of;
using test::span;
using test::TestRun;

double figure(const Report& report, const std::string& key) {
  return report.figures.at(key).value.value_or(-1);
}

TEST(Analyse, ASoundRunIsUsableAndHasItsFigures) {
  const Report report = test::sound_run().analysed();
  EXPECT_EQ(report.verdict.status, VerdictStatus::usable);
  EXPECT_TRUE(report.verdict.reasons.empty());
  EXPECT_EQ(report.boundary, Boundary::gpu_board);
  EXPECT_DOUBLE_EQ(report.energy.at(0).joules->value(), 12000);  // 400 W x 30 s
  EXPECT_DOUBLE_EQ(figure(report, "joules_per_output_token"), 4000);
  EXPECT_DOUBLE_EQ(figure(report, "joules_per_total_token"), 12000 / 103.0);
  EXPECT_DOUBLE_EQ(figure(report, "joules_per_computed_token"), 12000 / 103.0);
  EXPECT_DOUBLE_EQ(figure(report, "watt_hours_per_query"), 12000 / 3600.0);
  EXPECT_DOUBLE_EQ(figure(report, "watt_hours_per_million_output_tokens"), 4000e6 / 3600);
  EXPECT_DOUBLE_EQ(figure(report, "output_tokens_per_second"), 0.1);
  EXPECT_DOUBLE_EQ(figure(report, "output_tokens_per_second_per_user"), 1);  // in flight for 3 s
}

TEST(Analyse, TheSameRunGivesTheSameReport) {
  const Report once = test::sound_run().analysed(), again = test::sound_run().analysed();
  EXPECT_EQ(once.energy.at(0).joules, again.energy.at(0).joules);
  EXPECT_EQ(once.figures.at("joules_per_output_token").systematic_bound,
            again.figures.at("joules_per_output_token").systematic_bound);
}

TEST(Analyse, BoundsOfNumeratorAndDenominatorAdd) {
  TestRun run = test::sound_run();
  run.answer(38, {1, 3});  // at 39 and 41 s: the end of the window cuts it, one token an event
  const Report report = run.analysed();
  const Figure& per_token = report.figures.at("joules_per_output_token");
  EXPECT_DOUBLE_EQ(*per_token.value, 3000);
  // 5 % of the energy, and 1 of 4 tokens.
  EXPECT_DOUBLE_EQ(*per_token.systematic_bound, 3000 * (0.05 + 0.25));
  double sum = 0;
  for (const BoundItem& item : per_token.components) sum += item.half_width;
  EXPECT_DOUBLE_EQ(sum, *per_token.systematic_bound);
  EXPECT_NE(per_token.interval_reason, "");
}

TEST(Analyse, AnEmptyRunIsUnusableWithReasonsAndNoNumbers) {
  const Report report = analyse(tokenjoule::Run(), {});
  EXPECT_EQ(report.verdict.status, VerdictStatus::unusable);
  EXPECT_EQ(severity_of(report, "window_not_covered"), "unusable");
  EXPECT_FALSE(report.window.has_value());
  EXPECT_NE(report.window_reason, "");
  EXPECT_EQ(report.boundary, std::nullopt);
  for (const auto& [key, value] : report.figures) {
    EXPECT_EQ(value.value, std::nullopt) << key;
    EXPECT_NE(value.reason, "") << key;
  }
}

TEST(Analyse, WithoutAMeasureMarkThereIsNoWindow) {
  TestRun run = test::sound_run();
  run.run.marks.clear();
  const Report report = run.analysed();
  EXPECT_EQ(report.verdict.status, VerdictStatus::unusable);
  EXPECT_EQ(report.window_reason, "the record has no measuring phase");
  EXPECT_EQ(report.tokens.output, std::nullopt);
  EXPECT_EQ(report.requests.completed, 1);
}

TEST(Analyse, TheWindowAskedForReplacesTheOneOfTheRecord) {
  Question question;
  question.window = span(12, 36);
  const Report report = test::sound_run().analysed(question);
  EXPECT_EQ(report.window->chosen_by, "option");
  EXPECT_DOUBLE_EQ(report.energy.at(0).joules->value(), 9600);
}

TEST(Analyse, AnInterruptedRunEndsWhereItsSensorsStillCoverIt) {
  TestRun run = test::sound_run();
  run.run.requests.clear();
  run.run.close.reset();
  run.run.marks.pop_back();  // no mark for the window's end
  run.run.notes.push_back({at(50.4), "SIGKILL was near"});
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "interrupted"), "care");
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.window->span, span(10, 50));
  EXPECT_DOUBLE_EQ(report.energy.at(0).joules->value(), 16000);
}

TestRun run_cut_off_with_requests(std::initializer_list<std::uint64_t> numbers) {
  TestRun run = test::sound_run();
  run.run.requests.clear();
  double sent = 12;
  for (const std::uint64_t number : numbers) {
    run.answer(sent, {1, 2}).id = number;
    sent += 8;
  }
  run.run.close.reset();
  run.run.marks.pop_back();  // no mark for the window's end
  return run;
}

TEST(Analyse, ARecordThatWasCutOffEndsBeforeTheFirstRequestThatItLacks) {
  // Sent at 12, 20 and 28 s. The next one was sent at 28 s or later, and its tokens are not told.
  Report report = run_cut_off_with_requests({0, 1, 2}).analysed();
  EXPECT_EQ(report.window->span, span(10, 28));
  EXPECT_EQ(report.tokens.output, 4);
  EXPECT_TRUE(report.figures.at("joules_per_output_token").value);
  EXPECT_EQ(report.full_run.figures.at("joules_per_output_token").reason,
            "the record was cut off under load");
  // Number 1 was sent at 12 s or later.
  report = run_cut_off_with_requests({0, 2, 3}).analysed();
  EXPECT_EQ(report.window->span, span(10, 12));
}

TEST(Analyse, ARecordThatLacksTheFirstRequestsOfItsWindowHasNone) {
  const char* const reason = "the record was cut off while the first requests of its window ran";
  EXPECT_EQ(run_cut_off_with_requests({1, 2}).analysed().window_reason, reason);
  // A later turn of a conversation: how many more there were is not told.
  EXPECT_EQ(run_cut_off_with_requests({0, 1'000'000'000}).analysed().window_reason, reason);
  TestRun run = run_cut_off_with_requests({0, 1, 2});
  for (const std::uint64_t number :
       {std::uint64_t{1'000'000'000'000}, std::uint64_t{1'000'000'000'002}}) {
    RequestRecord& request = run.answer(5, {1, 2});
    request.id = number;
    request.warmup = true;
  }
  EXPECT_EQ(run.analysed().window_reason, reason);
}

TEST(Analyse, ARecordWithoutRequestsKeepsItsVerdictAndHasNoTokens) {
  TestRun run = test::sound_run();
  run.run.requests.clear();
  const Report report = run.analysed();
  EXPECT_EQ(report.verdict.status, VerdictStatus::usable);
  EXPECT_EQ(report.tokens.output, std::nullopt);
  EXPECT_EQ(report.figures.at("joules_per_output_token").value, std::nullopt);
  EXPECT_EQ(report.figures.at("joules_per_output_token").reason, "no requests were recorded");
  EXPECT_DOUBLE_EQ(report.energy.at(0).joules->value(), 12000);
}

TEST(Analyse, WithoutRequestsTheEnginesOwnCounterGivesTheTokens) {
  TestRun run = test::sound_run();
  run.run.requests.clear();
  run.engine_counter(EngineMetric::output_tokens);
  for (int t = 0; t <= 50; t += 5) run.scrape(t, {{EngineMetric::output_tokens, 1000 + 20.0 * t}});
  const Report report = run.analysed();
  EXPECT_EQ(report.tokens.source, "engine_counter");
  EXPECT_DOUBLE_EQ(*report.tokens.output, 600);
  EXPECT_DOUBLE_EQ(figure(report, "joules_per_output_token"), 20);
}

TEST(Analyse, ASoundCounterIsBelievedBeforeIntegratedPower) {
  TestRun run = test::sound_run();
  run.counter(1);
  for (int t = 0; t <= 50; ++t) run.sample(t, {{1, 5000 + 404.0 * t}});
  const Report report = run.analysed();
  const DeviceEnergy& device = report.energy.at(0).devices.at(0);
  EXPECT_EQ(device.method, "counter");
  EXPECT_DOUBLE_EQ(device.joules->value(), 12120);
  EXPECT_DOUBLE_EQ(device.integrated_joules->value(), 12000);
  EXPECT_EQ(report.verdict.status, VerdictStatus::usable);
}

TEST(Analyse, ADeviceReadByTwoSensorsCountsOnce) {
  TestRun run = test::sound_run();
  run.device("GPU-a");
  run.power(1).sensor = "other";
  run.steady_power(1, 400);
  const Report report = run.analysed();
  EXPECT_EQ(report.energy.at(0).devices.size(), 1u);
  EXPECT_DOUBLE_EQ(report.energy.at(0).joules->value(), 12000);
  EXPECT_EQ(report.included.at(0), "1 x GPU board incl. memory");
}

TEST(Analyse, AveragedPowerIsPreferredToInstantPower) {
  TestRun run = test::sound_run();
  run.power(1).averaging = Seconds(1);
  run.steady_power(1, 390);
  EXPECT_DOUBLE_EQ(run.analysed().energy.at(0).joules->value(), 11700);
}

TEST(Analyse, LeavingAGpuOutGivesAnotherNumber) {
  TestRun both = test::sound_run();
  both.device("GPU-b");
  both.power(1, "GPU-b");
  both.steady_power(1, 200);
  EXPECT_DOUBLE_EQ(figure(both.analysed(), "joules_per_output_token"), 6000);
  TestRun one = both;
  one.run.devices[1].chosen = false;
  const Report report = one.analysed();
  EXPECT_DOUBLE_EQ(figure(report, "joules_per_output_token"), 4000);
  ASSERT_EQ(report.other_gpus.size(), 1u);
  EXPECT_DOUBLE_EQ(report.other_gpus[0].joules->value(), 6000);
}

TEST(Analyse, AChosenGpuThatNothingReadsLeavesNoSum) {
  TestRun run = test::sound_run();
  run.device("GPU-b");
  const Report report = run.analysed();
  EXPECT_EQ(report.energy.at(0).joules, std::nullopt);
  EXPECT_EQ(severity_of(report, "window_not_covered"), "unusable");
}

TEST(Analyse, BoundariesAreNeverAddedUp) {
  TestRun run = test::sound_run();
  run.device("cpu", DeviceKind::cpu);
  run.power(1, "cpu", Boundary::cpu_package);
  run.steady_power(1, 100);
  const Report report = run.analysed();
  EXPECT_EQ(report.boundary, Boundary::gpu_board);
  EXPECT_DOUBLE_EQ(figure(report, "joules_per_output_token"), 4000);
  const auto& cpu = report.figures_by_boundary.at(Boundary::cpu_package);
  EXPECT_DOUBLE_EQ(*cpu.at("joules_per_output_token").value, 1000);
  EXPECT_EQ(report.excluded.at(0).what, "cpu_package");
  EXPECT_EQ(report.excluded.at(0).reason, "measured, shown apart");
}

TEST(Analyse, TheHeadlineIsTheBoardElseTheWidestElseWhatWasAskedFor) {
  TestRun run;
  run.run.devices.clear();
  run.device("cpu", DeviceKind::cpu).device("pdu", DeviceKind::node);
  run.power(0, "cpu", Boundary::cpu_package);
  run.power(1, "pdu", Boundary::node_ac);
  run.steady_power(0, 100).steady_power(1, 300);
  EXPECT_EQ(run.analysed().boundary, Boundary::node_ac);
  Question question;
  question.headline = Boundary::cpu_package;
  EXPECT_EQ(run.analysed(question).boundary, Boundary::cpu_package);
  question.headline = Boundary::dram;
  EXPECT_EQ(run.analysed(question).verdict.status, VerdictStatus::unusable);
}

TEST(Analyse, ModelledPowerIsSaidToBeSo) {
  TestRun run;
  run.power(0).modelled = true;
  run.steady_power(0, 400);
  run.answer(20, {1, 2, 3});
  const Report report = run.analysed();
  EXPECT_TRUE(report.modelled);
  EXPECT_EQ(report.energy.at(0).method, "modelled");
}

TEST(Analyse, MeasuredPowerIsUsedBeforeModelledPower) {
  TestRun run = test::sound_run();
  run.power(1).modelled = true;
  run.steady_power(1, 1000);
  const Report report = run.analysed();
  EXPECT_FALSE(report.modelled);
  EXPECT_DOUBLE_EQ(report.energy.at(0).joules->value(), 12000);
}

TEST(Analyse, ASimulatedGpuIsKnownByItsUuid) {
  TestRun run = test::sound_run();
  EXPECT_FALSE(run.analysed().simulated);
  run.device("GPU-51d00000-0000", DeviceKind::gpu, false);
  EXPECT_TRUE(run.analysed().simulated);
}

TEST(Analyse, UnusableKeepsJoulesAndTokensButNoEnergyFigure) {
  TestRun run = test::sound_run();
  run.counter(1);
  for (int t = 0; t <= 50; ++t) run.sample(t, {{1, 160.0 * t}});  // r = 400 / 160 = 2.5
  const Report report = run.analysed();
  EXPECT_EQ(report.verdict.status, VerdictStatus::unusable);
  EXPECT_TRUE(report.energy.at(0).joules.has_value());
  EXPECT_DOUBLE_EQ(*report.tokens.output, 3);
  const Figure& figure = report.figures.at("joules_per_output_token");
  EXPECT_EQ(figure.value, std::nullopt);
  EXPECT_EQ(figure.reason, "unusable: sensors_disagree");
  EXPECT_DOUBLE_EQ(*report.figures.at("output_tokens_per_second").value, 0.1);
  EXPECT_EQ(report.full_run.figures.at("joules_per_output_token").value, std::nullopt);
}

TEST(Analyse, StrictTakesCareForUnusable) {
  TestRun run = test::sound_run();
  run.run.close->reason = "interrupted";
  EXPECT_EQ(run.analysed().verdict.status, VerdictStatus::care);
  Question question;
  question.strict = true;
  const Report report = run.analysed(question);
  EXPECT_EQ(report.verdict.status, VerdictStatus::unusable);
  EXPECT_EQ(severity_of(report, "interrupted"), "care");
  EXPECT_EQ(report.figures.at("joules_per_output_token").reason, "unusable: interrupted");
}

TEST(Analyse, FullRunIsFromTheFirstSendToTheLastToken) {
  TestRun run = test::sound_run();
  run.answer(5, {1, 2}).warmup = true;
  run.answer(39, {1, 5}).outcome = Outcome::cancelled;
  const Report report = run.analysed();
  EXPECT_DOUBLE_EQ(report.full_run.duration->value(), 39);  // 5 s to 44 s
  EXPECT_DOUBLE_EQ(report.full_run.joules->value(), 15600);
  EXPECT_DOUBLE_EQ(*report.full_run.output_tokens, 5);  // of what completed
  EXPECT_EQ(report.full_run.requests, 2);
  EXPECT_DOUBLE_EQ(*report.full_run.figures.at("joules_per_output_token").value, 3120);
}

TEST(Analyse, PromptTokensComputedFollowTheEnginesCountersWhereUsageIsSilent) {
  TestRun run = test::sound_run();
  run.run.requests[0].cached_tokens.reset();
  EXPECT_EQ(run.analysed().tokens.prompt_computed, std::nullopt);
  run.engine_counter(EngineMetric::prompt_tokens);
  run.engine_counter(EngineMetric::prompt_tokens_computed);
  for (int t = 0; t <= 50; t += 10) {
    run.scrape(t, {{EngineMetric::prompt_tokens, 100.0 * t},
                   {EngineMetric::prompt_tokens_computed, 75.0 * t}});
  }
  const Report report = run.analysed();
  EXPECT_DOUBLE_EQ(*report.tokens.prompt_computed, 75);  // three quarters of the 100 submitted
  EXPECT_DOUBLE_EQ(*report.tokens.prompt_cached, 25);
}

TEST(Analyse, CountersThatMoveAtFinishTellOfPromptsOverTheWholeLoadOnly) {
  TestRun run = test::sound_run();
  run.run.requests[0].cached_tokens.reset();
  run.engine_counter(EngineMetric::prompt_tokens, CounterClock::at_finish);
  run.engine_counter(EngineMetric::prompt_tokens_cached, CounterClock::at_finish);
  for (int t = 0; t <= 50; t += 10) {
    // 40 of 200 over the load (20 s to 23 s), but 100 of 200 over the window.
    run.scrape(t, {{EngineMetric::prompt_tokens, t < 30 ? 0.0 : 200.0},
                   {EngineMetric::prompt_tokens_cached, t < 30   ? 0.0
                                                        : t < 40 ? 40.0
                                                                 : 100.0}});
  }
  const Report report = run.analysed();
  ASSERT_TRUE(report.tokens.prompt_computed.has_value());
  EXPECT_DOUBLE_EQ(*report.tokens.prompt_computed, 80);  // 1 - 40/200, of the 100 submitted
}

TEST(Analyse, ComputedAndCachedPromptTokensAreEnoughForTheShare) {
  TestRun run = test::sound_run();
  run.run.requests[0].cached_tokens.reset();
  run.engine_counter(EngineMetric::prompt_tokens, CounterClock::at_finish);
  run.engine_counter(EngineMetric::prompt_tokens_computed);
  run.engine_counter(EngineMetric::prompt_tokens_cached);
  for (int t = 0; t <= 50; t += 10) {
    run.scrape(t, {{EngineMetric::prompt_tokens, 1.0},
                   {EngineMetric::prompt_tokens_computed, 30.0 * t},
                   {EngineMetric::prompt_tokens_cached, 10.0 * t}});
  }
  EXPECT_DOUBLE_EQ(*run.analysed().tokens.prompt_computed, 75);
}

TEST(Analyse, AnEngineThatCameOrWentVoidsTheCounters) {
  TestRun run = test::sound_run();
  run.run.requests[0].cached_tokens.reset();
  run.engine_counter(EngineMetric::prompt_tokens);
  run.engine_counter(EngineMetric::prompt_tokens_computed);
  for (int t = 0; t <= 50; t += 10) {
    run.scrape(t, {{EngineMetric::prompt_tokens, 100.0 * t},
                   {EngineMetric::prompt_tokens_computed, 75.0 * t},
                   {EngineMetric::engines, t < 30 ? 2.0 : 3.0}});
  }
  EXPECT_EQ(run.analysed().tokens.prompt_computed, std::nullopt);
}

TEST(Analyse, AWindowWithoutATokenKnowsNothingOfWhatTokensWereMadeOf) {
  test::TestRun run;
  run.power(0);
  run.steady_power(0, 400);
  run.answer(45, {1, 2});  // sent behind the window
  const TokenCounts tokens = run.analysed().tokens;
  EXPECT_EQ(tokens.output, 0);
  EXPECT_EQ(tokens.prompt_submitted, 0);
  EXPECT_EQ(tokens.prompt_cached, std::nullopt);
  EXPECT_EQ(tokens.prompt_computed, std::nullopt);
  EXPECT_EQ(tokens.output_reasoning, std::nullopt);
}

TEST(Analyse, EngineStateIsTheMeanOverTheWindow) {
  TestRun run = test::sound_run();
  run.scrape(5, {{EngineMetric::requests_running, 100}, {EngineMetric::preemptions, 3}});
  run.scrape(15, {{EngineMetric::requests_running, 10}, {EngineMetric::preemptions, 3}});
  run.scrape(25, {{EngineMetric::requests_running, 20}, {EngineMetric::preemptions, 5}});
  run.scrape(45, {{EngineMetric::requests_running, 100}, {EngineMetric::preemptions, 5}});
  const EngineState state = run.analysed().engine_state;
  EXPECT_DOUBLE_EQ(*state.running_mean, 15);
  EXPECT_DOUBLE_EQ(*state.preemptions, 2);
  EXPECT_EQ(state.waiting_mean, std::nullopt);
}

}  // namespace
}  // namespace tokenjoule
