#include <fmt/core.h>
#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::severity_of;
using test::sound_run;
using test::span;
using test::TestRun;

// tokens

/// One answer of 1000 tokens, and an engine that counts `counted` over the load.
TestRun with_engine_count(double counted, CounterClock clock = CounterClock::at_finish) {
  TestRun run = sound_run();
  run.run.requests[0].output_tokens = run.run.requests[0].output_tokens_asked = 1000;
  run.engine_counter(EngineMetric::output_tokens, clock);
  run.scrape(5, {{EngineMetric::output_tokens, 50000}});
  run.scrape(45, {{EngineMetric::output_tokens, 50000 + counted}});
  return run;
}

TEST(TokensDisagree, IsFewerTokensAtTheEngineThanAtTheClient) {
  EXPECT_EQ(severity_of(with_engine_count(1000).analysed(), "tokens_disagree"), "none");
  EXPECT_EQ(severity_of(with_engine_count(991).analysed(), "tokens_disagree"), "none");
  EXPECT_EQ(severity_of(with_engine_count(980).analysed(), "tokens_disagree"), "care");
  EXPECT_EQ(severity_of(with_engine_count(880).analysed(), "tokens_disagree"), "unusable");
  EXPECT_EQ(severity_of(with_engine_count(880).analysed(), "foreign_traffic"), "none");
}

TEST(ForeignTraffic, IsMoreTokensAtTheEngineThanWereSentFor) {
  EXPECT_EQ(severity_of(with_engine_count(1009).analysed(), "foreign_traffic"), "none");
  EXPECT_EQ(severity_of(with_engine_count(1020).analysed(), "foreign_traffic"), "care");
  EXPECT_EQ(severity_of(with_engine_count(1120).analysed(), "foreign_traffic"), "unusable");
  EXPECT_EQ(severity_of(with_engine_count(1120).analysed(), "tokens_disagree"), "none");
}

TEST(ForeignTraffic, ACancelledAnswerMayHaveCostAllThatWasAskedFor) {
  TestRun run = with_engine_count(1400);
  RequestRecord& cancelled = run.answer(22, {1, 2});
  cancelled.outcome = Outcome::cancelled;
  cancelled.output_tokens.reset();
  cancelled.output_tokens_asked = 500;
  EXPECT_EQ(severity_of(run.analysed(), "foreign_traffic"), "none");
  EXPECT_EQ(severity_of(run.analysed(), "tokens_disagree"), "none");
}

TEST(TokensDisagree, ACounterThatMovesAtTheEndMayLackBrokenOffAnswers) {
  const auto severity = [](CounterClock clock) {
    TestRun run = with_engine_count(1000, clock);
    RequestRecord& cancelled = run.answer(22, {1, 2});
    cancelled.outcome = Outcome::cancelled;
    cancelled.output_tokens = cancelled.output_tokens_asked = 400;
    return severity_of(run.analysed(), "tokens_disagree");
  };
  EXPECT_EQ(severity(CounterClock::at_finish), "none");
  EXPECT_EQ(severity(CounterClock::per_step), "unusable");  // 1000 of 1400
}

TEST(TokensDisagree, FollowsUsageAboveTheLimitThatWasSent) {
  TestRun run = sound_run();
  run.run.requests[0].output_tokens_asked = 3;
  EXPECT_EQ(severity_of(run.analysed(), "tokens_disagree"), "none");
  run.run.requests[0].output_tokens = 6;
  EXPECT_EQ(severity_of(run.analysed(), "tokens_disagree"), "care");
  run.run.requests[0].output_tokens = 1'000'000'000'000;
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "tokens_disagree"), "unusable");
  EXPECT_EQ(report.figures.at("joules_per_output_token").value, std::nullopt);
}

TEST(TokensDisagree, AllowsForARoundedPage) {
  TestRun run = with_engine_count(980);
  run.run.engine->counters[0].significant_digits = 3;  // 50000 is 49950 to 50050
  EXPECT_EQ(severity_of(run.analysed(), "tokens_disagree"), "none");
}

TEST(TokensDisagree, ARestartedEngineCannotBeCompared) {
  TestRun run = with_engine_count(1000);
  run.scrape(30, {{EngineMetric::output_tokens, 10}});
  std::swap(run.run.scrapes[1], run.run.scrapes[2]);
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "tokens_disagree"), "care");
  EXPECT_EQ(report.tokens.engine_counter_output_run, std::nullopt);
}

TEST(EngineCounter, ThatMovesAtTheEndOfARequestIsNotCutAtTheEdges) {
  EXPECT_EQ(with_engine_count(1000).analysed().tokens.engine_counter_output, std::nullopt);
  const Report report = with_engine_count(1000, CounterClock::per_step).analysed();
  EXPECT_DOUBLE_EQ(*report.tokens.engine_counter_output, 750);  // 30 of 40 s
  EXPECT_DOUBLE_EQ(*report.tokens.engine_counter_output_run, 1000);
}

TEST(TokensEstimated, IsACompletedAnswerWithoutUsage) {
  TestRun run = sound_run();
  EXPECT_EQ(severity_of(run.analysed(), "tokens_estimated"), "none");
  run.answer(25, {1}).outcome = Outcome::failed;
  run.run.requests.back().output_tokens.reset();
  EXPECT_EQ(severity_of(run.analysed(), "tokens_estimated"), "none");
  run.run.requests[0].output_tokens.reset();
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "tokens_estimated"), "care");
  EXPECT_EQ(report.tokens.source, "events_estimated");
}

TEST(PromptsEstimated, IsAPromptThatNobodyCounted) {
  TestRun run = sound_run();
  EXPECT_EQ(severity_of(run.analysed(), "prompts_estimated"), "none");
  for (RequestRecord& request : run.run.requests) request.prompt_tokens.reset();
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "prompts_estimated"), "note");
  EXPECT_EQ(severity_of(report, "tokens_estimated"), "none");
}

TEST(TokensDisagree, WhereTheEventsStateOtherTokensThanUsage) {
  const auto severity_with = [](std::int64_t in_events, std::int64_t usage) {
    TestRun run = sound_run();
    RequestRecord& request = run.answer(25, {1});
    request.token_times = TokenTimes::in(fmt::format("1000000x{}", in_events)).value();
    request.output_tokens = request.output_tokens_asked = usage;
    return severity_of(run.analysed(), "tokens_disagree");
  };
  EXPECT_EQ(severity_with(100, 100), "none");
  EXPECT_EQ(severity_with(99, 100), "none");  // the end of text was not listed
  EXPECT_EQ(severity_with(95, 100), "care");
  EXPECT_EQ(severity_with(105, 100), "care");
  EXPECT_EQ(severity_with(50, 100), "unusable");
}

TEST(NoTokens, FromALiveEngineIsUnusable) {
  TestRun run = sound_run();
  run.run.requests.clear();
  run.answer(20, {}).outcome = Outcome::failed;
  EXPECT_EQ(severity_of(run.analysed(), "no_tokens"), "unusable");
  EXPECT_EQ(severity_of(run.analysed(), "failures"), "care");
}

TEST(PromptCacheHits, MatterWherePromptsAreMeantToBeNew) {
  TestRun run = sound_run();
  run.run.requests[0].cached_tokens = 1;
  EXPECT_EQ(severity_of(run.analysed(), "prompt_cache_hits"), "none");  // 1 %, not more
  run.run.requests[0].cached_tokens = 2;
  EXPECT_EQ(severity_of(run.analysed(), "prompt_cache_hits"), "care");
  run.run.header.configuration_json = R"({"prefix_len": 50})";
  EXPECT_EQ(severity_of(run.analysed(), "prompt_cache_hits"), "none");
}

// engine, record and client

TEST(ContextTuned, IsNotSaidForRequestsThatDidNotFit) {
  TestRun run = sound_run();  // the longest that completed: 103
  run.run.engine = EngineInfo();
  run.run.engine->configuration["max_model_len"] = {"2048", "reported"};
  RequestRecord& refused = run.answer(25, {});
  refused.outcome = Outcome::failed;
  refused.failure = "context_too_long: http 400: too long";
  refused.input_tokens_asked = 8192;
  refused.prompt_tokens.reset();
  EXPECT_EQ(severity_of(run.analysed(), "context_tuned"), "none");
  run.run.engine->configuration["max_model_len"].json = "102";
  EXPECT_EQ(severity_of(run.analysed(), "context_tuned"), "none");
}

TEST(EngineNotes, RandomTextAndATunedContext) {
  TestRun run = sound_run();
  run.run.engine = EngineInfo();
  run.run.engine->configuration["max_model_len"] = {"128",
                                                    "reported"};  // longest: 103 x 1.25 = 128.75
  run.run.engine->configuration["speculative_decoding"] = {"\"True\"", "reported"};
  Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "context_tuned"), "note");
  EXPECT_EQ(severity_of(report, "random_text"), "note");
  EXPECT_EQ(report.verdict.status, VerdictStatus::usable);
  run.run.engine->configuration["max_model_len"].json = "129";
  run.run.engine->configuration["speculative_decoding"].json = "\"False\"";
  report = run.analysed();
  EXPECT_EQ(severity_of(report, "context_tuned"), "none");
  EXPECT_EQ(severity_of(report, "random_text"), "none");
}

TEST(Failures, AreANoteUpToFiveInAHundred) {
  TestRun run = sound_run();
  for (int i = 0; i < 18; ++i) run.answer(20, {1, 2});
  run.answer(20, {1}).outcome = Outcome::failed;
  EXPECT_EQ(severity_of(run.analysed(), "failures"), "note");  // 1 of 20
  run.answer(20, {1}).outcome = Outcome::failed;
  EXPECT_EQ(severity_of(run.analysed(), "failures"), "care");
}

TEST(RecordsLost, InOrBehindTheWindowIsUnusable) {
  TestRun run = sound_run();
  run.run.losses.push_back({span(5, 5), "request_record", "queue", 1, "full"});
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"),
            "none");  // its answer ended before the window
  run.run.losses[0].span = span(45, 45);
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"), "unusable");
}

TEST(RecordsLost, ACloseEventThatCountsMoreRequestsTellsOfIt) {
  TestRun run = sound_run();
  run.run.close->counts["request"] = 2;
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"), "unusable");
  run.run.close->counts["request"] = 1;
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"), "none");
  run.run.close->counts["request"] = 0;
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"), "unusable");
}

TEST(RecordsLost, CountsOfOtherKindsNeedCare) {
  TestRun run = sound_run();
  run.run.close->counts["sample"] = 51;
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"), "none");
  run.run.close->counts["sample"] = 60;
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"), "care");
}

TEST(RecordsLost, TellsOfRepeatedRequestsAndOfEventsBehindTheEnd) {
  TestRun run = sound_run();
  run.run.left_out.behind_close = 3;
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"), "care");
  run.run.left_out.repeated_requests = 1;
  EXPECT_EQ(severity_of(run.analysed(), "records_lost"), "unusable");
}

TEST(PromptLengthDiffers, IsMoreThanATenthOffWhatWasAsked) {
  TestRun run = sound_run();  // 100 tokens asked
  run.run.requests[0].prompt_tokens = 110;
  EXPECT_EQ(severity_of(run.analysed(), "prompt_length_differs"), "none");
  run.run.requests[0].prompt_tokens = 111;
  EXPECT_EQ(severity_of(run.analysed(), "prompt_length_differs"), "care");
  run.run.requests[0].prompt_tokens = 89;
  EXPECT_EQ(severity_of(run.analysed(), "prompt_length_differs"), "care");
  run.run.requests[0].prompt_tokens.reset();
  EXPECT_EQ(severity_of(run.analysed(), "prompt_length_differs"), "none");
}

TEST(CachedTokens, MoreThanThePromptHasAreUnknown) {
  TestRun run = sound_run();
  run.run.requests[0].cached_tokens = 101;
  const Report report = run.analysed();
  EXPECT_EQ(report.tokens.prompt_cached, std::nullopt);
  EXPECT_EQ(report.tokens.prompt_computed, std::nullopt);
}

TEST(ClockStep, IsMoreThanTenMilliseconds) {
  TestRun run = sound_run();
  run.run.anchors = {{span(0, 0), WallTime{0}}, {span(60, 60), WallTime{60'010'000'000}}};
  EXPECT_EQ(severity_of(run.analysed(), "clock_step"), "none");
  run.run.anchors[1].wall.unix_ns += 1'000'000;
  EXPECT_EQ(severity_of(run.analysed(), "clock_step"), "care");
}

TEST(NodeBelowGpus, RefusesTheNodeNotTheRun) {
  TestRun run = sound_run();
  run.device("pdu", DeviceKind::node);
  run.power(1, "pdu", Boundary::node_ac);
  run.steady_power(1, 300);
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "node_below_gpus"), "unusable");
  EXPECT_EQ(report.verdict.status, VerdictStatus::care);
  const auto& node = report.figures_by_boundary.at(Boundary::node_ac);
  EXPECT_EQ(node.at("joules_per_output_token").value, std::nullopt);
}

ClientState client_state(std::int64_t late, std::int64_t coalesced, double queue_full_s) {
  ClientState state;
  state.span = span(20, 30);
  state.reads = 1000;
  state.reads_late = late;
  state.reads_coalesced = coalesced;
  state.queue_full = Seconds(queue_full_s);
  state.cpu = Seconds(2);
  return state;
}

TEST(ClientLimited, FollowsEachOfItsLimits) {
  const auto severity = [](const ClientState& state) {
    TestRun run = sound_run();
    run.run.client = {state};
    return severity_of(run.analysed(), "client_limited");
  };
  EXPECT_EQ(severity(client_state(20, 5, 0.01)), "none");
  EXPECT_EQ(severity(client_state(21, 0, 0)), "care");
  EXPECT_EQ(severity(client_state(101, 0, 0)), "unusable");
  EXPECT_EQ(severity(client_state(0, 6, 0)), "care");
  EXPECT_EQ(severity(client_state(0, 0, 0.011)), "care");
}

TEST(ClientLimited, WhenRequestsGoOutLate) {
  TestRun run = sound_run();
  run.run.requests[0].planned = at(19.9985);
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "client_limited"), "care");
  EXPECT_TRUE(report.client.limited);
  EXPECT_NEAR(report.client.send_lateness_p99->value(), 0.0015, 1e-9);
}

TEST(ConcurrencyCapped, IsAlsoToldByRequestsThatWereNeverSent) {
  const auto severity = [](std::int64_t count) {
    TestRun run = sound_run();
    run.run.header.configuration_json = R"({"command": "measure", "mode": "open"})";
    run.mark(50, Phase::drain);
    run.run.losses.push_back({{at(45), at(50)}, "arrival", "load", count, "no stream was free"});
    return severity_of(run.analysed(), "concurrency_capped");
  };
  EXPECT_EQ(severity(0), "none");
  EXPECT_EQ(severity(100), "note");
}

TEST(ConcurrencyCapped, IsTheWaitForAStreamAndNotTheClientsLateness) {
  TestRun run = sound_run();
  run.run.requests[0].planned = at(19);
  run.run.requests[0].stream_free = at(19.9995);  // sent at 20
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "concurrency_capped"), "note");
  EXPECT_EQ(severity_of(report, "client_limited"), "none");
  EXPECT_NEAR(report.client.stream_wait_max->value(), 0.9995, 1e-9);
  EXPECT_NEAR(report.client.send_lateness_max->value(), 0.0005, 1e-9);
}

TEST(ClientQuality, ReadsItsLagFromTheHistogram) {
  TestRun run = sound_run();
  ClientState state = client_state(0, 0, 0);
  state.lag_histogram[3] = 50;  // 8 to 16 us
  state.lag_histogram[4] = 50;  // 16 to 32 us
  run.run.client = {state};
  const ClientQuality client = run.analysed().client;
  EXPECT_NEAR(client.lag_p50->value(), 16e-6, 1e-12);
  EXPECT_NEAR(client.lag_max->value(), 32e-6, 1e-12);
  EXPECT_NEAR(*client.cpu_share, 0.2, 1e-12);
  EXPECT_EQ(client.stamps, "kernel");
}

TEST(TlsNotVerified, IsNotedForEachServerThatNobodyChecked) {
  TestRun run = sound_run();
  EXPECT_EQ(severity_of(run.analysed(), "tls_not_verified"), "none");
  run.run.header.configuration_json = R"({"concurrency":1,"tls_not_verified":["https://h:1"]})";
  EXPECT_EQ(severity_of(run.analysed(), "tls_not_verified"), "note");
}

}  // namespace
}  // namespace tokenjoule
