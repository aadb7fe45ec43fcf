#include "engines/page_fixture.hpp"

namespace tokenjoule {
namespace {

// Small pages in src/engines/testdata/, each with a trap of its engine's real ones. The same of
// recorded pages, where they lie beside the checkout: recorded_pages_test.cpp.

TEST(VllmPages, TwoScrapesDifferByTheTokensBetweenThem) {
  const Values grown = growth_on("vllm", own_page("vllm"), own_page("vllm_later"));
  EXPECT_EQ(grown.at(M::prompt_tokens), 1500.0);           // 1.0015e+06 - 1.0e+06
  EXPECT_EQ(grown.at(M::prompt_tokens_computed), 1500.0);  // 901500 - 900000
  EXPECT_EQ(grown.at(M::prompt_tokens_cached), 0.0);
  EXPECT_EQ(grown.at(M::output_tokens), 700.0);  // not the histogram of finished requests
  EXPECT_EQ(grown.at(M::preemptions), 2.0);
  EXPECT_EQ(grown.at(M::requests_finished), 10.0);  // stop 0, length 10, abort 0
  EXPECT_EQ(grown.at(M::requests_aborted), 0.0);
  EXPECT_EQ(grown.at(M::process_start), 0.0);
}

TEST(VllmPages, ARestartShowsInTheStartTimeAndInFallingCounters) {
  const Values grown = growth_on("vllm", own_page("vllm_later"), own_page("vllm_restarted"));
  EXPECT_EQ(grown.at(M::process_start), 50'000.0);
  EXPECT_LT(grown.at(M::output_tokens), 0.0);
}

TEST(VllmPages, WithoutAProcessTheBirthOfItsCounterTellsOfARestart) {
  const auto page = page_of(
      "vllm:generation_tokens_total{engine=\"0\"} 5\n"
      "vllm:generation_tokens_created{engine=\"0\"} 1.7e9\n"
      "vllm:generation_tokens_created{engine=\"1\"} 1.8e9\n");
  EXPECT_EQ(values_on("vllm", page).at(M::process_start), 1.8e9);  // the latest
}

TEST(VllmPages, EnginesAreSummedCountedAndTheirCacheUseIsAMean) {
  const auto values = values_on("vllm", own_page("vllm_two_engines"));
  EXPECT_EQ(values.at(M::output_tokens), 350.0);
  EXPECT_EQ(values.at(M::draft_tokens), 150.0);
  EXPECT_EQ(values.at(M::draft_tokens_accepted), 90.0);  // not once more by position
  EXPECT_EQ(values.at(M::requests_running), 7.0);
  EXPECT_EQ(values.at(M::cache_use), 0.375);
  EXPECT_EQ(values.at(M::engines), 2.0);
  EXPECT_EQ(values.count(M::process_start), 0u);
}

TEST(VllmPages, OldAndNewSpellingsAreNeverAddedUp) {
  const auto values = values_on("vllm", own_page("vllm_two_spellings"));
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 32.0);
  EXPECT_EQ(values.at(M::cache_use), 0.5);
  EXPECT_EQ(values.count(M::prompt_tokens_computed), 0u);
}

TEST(VllmPages, V0IsToldByItsSwapGaugeAndHasNoCountOfCacheHits) {
  const auto page = own_page("vllm_v0");
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 80.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 700.0);
  EXPECT_EQ(values.at(M::draft_tokens), 30.0);
  EXPECT_EQ(values.count(M::prompt_tokens_cached), 0u);  // its rate of -1 is no count
  EXPECT_EQ(values.count(M::engines), 0u);
  const ProbeAnswers answers = {
      {"/metrics",
       {200, "text/plain", bytes_of(TOKENJOULE_SOURCE_DIR "/src/engines/testdata/vllm_v0.prom")}}};
  const EngineInfo info = dialect_named("vllm")->described_by(answers);
  EXPECT_EQ(info.configuration.at("engine_generation").json, "\"V0\"");
  EXPECT_FALSE(info.limits.empty());
}

TEST(VllmPages, OpenMetricsOfTheRustFrontendReadsTheSame) {
  const auto values = values_on("vllm", own_page("vllm_rust"));
  EXPECT_EQ(values.at(M::output_tokens), 77.0);
  EXPECT_EQ(values.at(M::requests_finished), 6.0);
}

TEST(SglangPages, RanksRepeatACountAndDataParallelGroupsShareIt) {
  const auto page = own_page("sglang");
  const auto values = values_on("sglang", page);
  EXPECT_EQ(values.at(M::prompt_tokens_computed), 1200.0);  // 1000 + 200, each on two ranks
  EXPECT_EQ(values.at(M::output_tokens_computed), 320.0);
  EXPECT_EQ(values.at(M::output_tokens), 250.0);
  EXPECT_EQ(values.at(M::requests_running), 5.0);  // the total, not 5 + 3 + 2
  EXPECT_EQ(values.at(M::cache_use), 0.25);
  EXPECT_EQ(values.count(M::requests_aborted), 0u);
  const auto counters = counters_on("sglang", page);
  const EngineCounter* computed = counter_of(counters, M::prompt_tokens_computed);
  ASSERT_NE(computed, nullptr);
  EXPECT_EQ(computed->summed_over,
            (std::vector<std::string>{"dp_rank", "engine_type", "model_name"}));
  EXPECT_EQ(computed->repeated_over,
            (std::vector<std::string>{"moe_ep_rank", "pp_rank", "tp_rank"}));
  EXPECT_EQ(computed->clock, CounterClock::per_step);
  EXPECT_EQ(clock_of(counters, M::output_tokens), CounterClock::at_finish);
  EXPECT_EQ(clock_of(counters, M::prompt_tokens), CounterClock::at_finish);
}

TEST(SglangPages, TwoScrapesDifferByTheTokensBetweenThem) {
  const Values grown = growth_on("sglang", own_page("sglang"), own_page("sglang_later"));
  EXPECT_EQ(grown.at(M::prompt_tokens), 500.0);
  EXPECT_EQ(grown.at(M::output_tokens), 107.0);  // 100 streamed, 7 of the first that was not
  EXPECT_EQ(grown.at(M::prompt_tokens_computed), 600.0);
  EXPECT_EQ(grown.at(M::output_tokens_computed), 110.0);
  EXPECT_EQ(grown.at(M::requests_finished), 5.0);
}

TEST(SglangPages, CacheHitsThatAreNotOnThePageYetAreAbsentAndNotZero) {
  EXPECT_EQ(values_on("sglang", own_page("sglang")).count(M::prompt_tokens_cached), 0u);
}

TEST(TrtllmPages, TokensAreCountedAtFinishAndProcessesAreNotAddedUp) {
  const auto page = own_page("trtllm");
  const auto values = values_on("trtllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 320.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 1000.0);
  EXPECT_EQ(values.at(M::requests_finished), 10.0);
  EXPECT_EQ(values.at(M::requests_running), 4.0);
  EXPECT_EQ(values.count(M::prompt_tokens_cached), 0u);  // a zero is skipped: unknown
  EXPECT_EQ(clock_of(counters_on("trtllm", page), M::output_tokens), CounterClock::at_finish);
}

TEST(TrtllmPages, APageWithoutTokenCountersIsRefused) {
  for (const EngineDialect* dialect : dialects()) {
    EXPECT_TRUE(dialect->counters_on(own_page("trtllm_without_tokens")).empty());
  }
}

TEST(TrtllmPages, StateTheirParallelismAndQuantisation) {
  const ProbeAnswers answers = {
      {"/prometheus/metrics",
       {200, "text/plain", bytes_of(TOKENJOULE_SOURCE_DIR "/src/engines/testdata/trtllm.prom")}}};
  EXPECT_EQ(dialect_named("trtllm")->fits(answers), 60);
  const auto settings = dialect_named("trtllm")->described_by(answers).configuration;
  EXPECT_EQ(settings.at("tensor_parallel_size").json, "2");
  EXPECT_EQ(settings.at("quantization").json, "\"FP8\"");
}

TEST(TritonPages, HaveGaugesAndNoTokens) {
  const auto values = values_on("triton", own_page("triton"));
  EXPECT_EQ(values,
            (Values{{M::requests_running, 24.0}, {M::requests_waiting, 1.0}, {M::cache_use, 0.5}}));
}

TEST(DynamoPages, TheFrontendCountsOutputPerStepAndPromptsAtFinish) {
  const auto page = own_page("dynamo_frontend");
  const auto values = values_on("dynamo", page);
  EXPECT_EQ(values.at(M::output_tokens), 111.0);  // not the 90 of finished requests
  EXPECT_EQ(values.at(M::prompt_tokens), 300.0);
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 60.0);
  EXPECT_EQ(values.at(M::requests_finished), 3.0);
  EXPECT_EQ(values.at(M::requests_running), 6.0);
  const auto counters = counters_on("dynamo", page);
  EXPECT_EQ(clock_of(counters, M::output_tokens), CounterClock::per_step);
  EXPECT_EQ(clock_of(counters, M::prompt_tokens), CounterClock::at_finish);
}

TEST(DynamoPages, AWorkersPageHasTheCountersOfTheEngineInside) {
  const auto page = own_page("dynamo_worker");
  const auto values = values_on("dynamo", page);
  EXPECT_EQ(values.at(M::output_tokens), 111.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 340.0);
  EXPECT_EQ(values.at(M::prompt_tokens_computed), 280.0);
  EXPECT_EQ(clock_of(counters_on("dynamo", page), M::prompt_tokens), CounterClock::per_step);
}

TEST(LlamaCppPages, AreRoundedToSixDigits) {
  const auto page = own_page("llamacpp");
  const Values grown = growth_on("llamacpp", page, own_page("llamacpp_later"));
  EXPECT_EQ(grown.at(M::prompt_tokens_computed), 234'572.0);  // as printed; true: 234 569
  EXPECT_EQ(grown.at(M::output_tokens), 599'999.0);           // as printed; true: 600 004
  const auto counters = counters_on("llamacpp", page);
  EXPECT_EQ(counter_of(counters, M::output_tokens)->significant_digits, 6);
  EXPECT_EQ(clock_of(counters, M::prompt_tokens_computed), CounterClock::per_step);
  EXPECT_EQ(clock_of(counters, M::output_tokens), CounterClock::at_finish);
  EXPECT_EQ(counter_of(counters, M::prompt_tokens), nullptr);  // cache hits are left out
  EXPECT_EQ(values_on("llamacpp", page).at(M::draft_tokens_accepted), 200.0);
}

TEST(LlamaCppPages, OldBuildsCountAtFinishAndHaveNoCacheHits) {
  const auto counters = counters_on("llamacpp", own_page("llamacpp_old"));
  EXPECT_EQ(clock_of(counters, M::prompt_tokens_computed), CounterClock::at_finish);
  EXPECT_EQ(counter_of(counters, M::prompt_tokens_cached), nullptr);
  EXPECT_EQ(values_on("llamacpp", own_page("llamacpp_old")).at(M::cache_use), 0.018);
}

TEST(LlamaCppPages, APageInsideAJsonStringIsUnwrapped) {
  EXPECT_EQ(values_on("llamacpp", own_page("llamacpp_quoted")).at(M::output_tokens), 98.0);
}

TEST(TgiPages, PromptsAreCountedOnArrivalAndAnswersAtTheirGoodEnd) {
  const auto page = own_page("tgi");
  const auto values = values_on("tgi", page);
  EXPECT_EQ(values.at(M::output_tokens), 320.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 1300.0);
  EXPECT_EQ(values.at(M::requests_finished), 10.0);
  EXPECT_EQ(values.at(M::requests_aborted), 5.0);
  EXPECT_EQ(values.at(M::requests_running), 2.0);
  EXPECT_EQ(values.at(M::requests_waiting), 1.0);
  const auto counters = counters_on("tgi", page);
  EXPECT_EQ(clock_of(counters, M::prompt_tokens), CounterClock::at_arrival);
  EXPECT_EQ(clock_of(counters, M::output_tokens), CounterClock::at_finish);
}

TEST(LmdeployPages, CountPerStepButCacheHitsAtFinish) {
  const auto page = own_page("lmdeploy");
  const auto values = values_on("lmdeploy", page);
  EXPECT_EQ(values.at(M::output_tokens), 1200.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 3600.0);
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 400.0);
  EXPECT_EQ(values.at(M::requests_finished), 7.0);  // FINISH, of all reasons
  EXPECT_EQ(values.at(M::requests_aborted), 2.0);
  EXPECT_EQ(values.at(M::cache_use), 0.125);
  const auto counters = counters_on("lmdeploy", page);
  EXPECT_EQ(clock_of(counters, M::output_tokens), CounterClock::per_step);
  EXPECT_EQ(clock_of(counters, M::prompt_tokens_cached), CounterClock::at_finish);
}

TEST(OtherPages, APageThatIsNoPrometheusTextHasNoCounters) {
  for (const EngineDialect* dialect : dialects()) {
    EXPECT_TRUE(dialect->counters_on(own_page("mlc")).empty()) << dialect->name();
  }
}

TEST(OtherPages, WhatMayLackALineOrContradictsItselfIsAbsent) {
  const auto page = own_page("malformed");
  EXPECT_EQ(page.lines_refused, 2);
  // Output tokens lack engine 1, preemptions have no number, running has two values.
  EXPECT_EQ(values_on("vllm", page), (Values{{M::prompt_tokens, 100.0}, {M::engines, 1.0}}));
}

TEST(OtherPages, ACutPageSaysSo) { EXPECT_TRUE(own_page("truncated").truncated); }

}  // namespace
}  // namespace tokenjoule
