#include "engines/counter_rules.hpp"

#include "engines/page_fixture.hpp"

namespace tokenjoule {
namespace {

constexpr char kTwoEngines[] =
    "vllm:generation_tokens_total{engine=\"0\",model_name=\"m\"} 100\n"
    "vllm:generation_tokens_total{engine=\"1\",model_name=\"m\"} 200\n"
    "vllm:generation_tokens_created{engine=\"0\",model_name=\"m\"} 1.7e9\n"
    "vllm:prompt_tokens_by_source_total{engine=\"0\",source=\"local_compute\"} 30\n"
    "vllm:prompt_tokens_by_source_total{engine=\"0\",source=\"local_cache_hit\"} 500\n"
    "vllm:kv_cache_usage_perc{engine=\"0\"} 0.5\n"
    "vllm:kv_cache_usage_perc{engine=\"1\"} 0.25\n";

TEST(VllmCounters, TokensAreSummedOverEnginesAndCacheUseIsTheirMean) {
  const auto page = page_of(kTwoEngines);
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 300.0);
  EXPECT_EQ(values.at(M::prompt_tokens_computed), 30.0);
  EXPECT_EQ(values.at(M::cache_use), 0.375);
  EXPECT_EQ(values.count(M::prompt_tokens), 0u);  // not on the page: absent, not 0
  EXPECT_EQ(values.size(), 5u);  // and the number of engines, and when they started
}

TEST(VllmCounters, SayWhatTheyMean) {
  const auto counters = dialect_named("vllm")->counters_on(page_of(kTwoEngines));
  const EngineCounter* output = counter_of(counters, M::output_tokens);
  ASSERT_NE(output, nullptr);
  EXPECT_EQ(output->family, "vllm:generation_tokens_total");
  EXPECT_EQ(output->clock, CounterClock::per_step);
  EXPECT_EQ(output->summed_over, (std::vector<std::string>{"engine", "model_name"}));
  EXPECT_EQ(output->significant_digits, std::nullopt);
  const EngineCounter* computed = counter_of(counters, M::prompt_tokens_computed);
  ASSERT_NE(computed, nullptr);
  EXPECT_EQ(computed->where.at("source"), "local_compute");
  EXPECT_EQ(computed->summed_over, (std::vector<std::string>{"engine"}));
}

TEST(VllmCounters, OldAndNewNamesOnOnePageAreNeverAddedUp) {
  const auto values =
      values_on("vllm", page_of("vllm:gpu_prefix_cache_hits_total 7\n"
                                "vllm:prefix_cache_hits_total 7\n"
                                "vllm:gpu_cache_usage_perc 0.5\nvllm:kv_cache_usage_perc 0.5\n"));
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 7.0);
  EXPECT_EQ(values.at(M::cache_use), 0.5);
}

TEST(VllmCounters, NamesWithoutTotalAreTakenToo) {
  EXPECT_EQ(values_on("vllm", page_of("vllm:generation_tokens 9\n")).at(M::output_tokens), 9.0);
}

TEST(CounterValues, ASeriesListedTwiceCountsOnceUnlessItsValuesDiffer) {
  EXPECT_EQ(values_on("vllm", page_of("vllm:num_preemptions_total{e=\"0\",m=\"x\"} 4\n"
                                      "vllm:num_preemptions_total{m=\"x\",e=\"0\"} 4\n"))
                .at(M::preemptions),
            4.0);
  EXPECT_TRUE(
      values_on("vllm", page_of("vllm:num_preemptions_total 4\nvllm:num_preemptions_total 5\n"))
          .empty());
}

TEST(CounterValues, ANegativeOrUndefinedValueIsAbsent) {
  EXPECT_TRUE(
      values_on("vllm", page_of("vllm:kv_cache_usage_perc -1.0\nvllm:num_preemptions_total NaN\n"))
          .empty());
}

TEST(LlamaCppCounters, KnowTheirRoundingAndTheirClocksByTheBuild) {
  const std::string old_page =
      "llamacpp:prompt_tokens_total 812345\nllamacpp:tokens_predicted_total 1.12346e+06\n";
  const auto old_counters = dialect_named("llamacpp")->counters_on(page_of(old_page));
  EXPECT_EQ(counter_of(old_counters, M::prompt_tokens_computed)->clock, CounterClock::at_finish);
  EXPECT_EQ(counter_of(old_counters, M::output_tokens)->clock, CounterClock::at_finish);
  EXPECT_EQ(counter_of(old_counters, M::output_tokens)->significant_digits, 6);
  EXPECT_EQ(counter_of(old_counters, M::prompt_tokens_cached), nullptr);
  EXPECT_EQ(counter_of(old_counters, M::prompt_tokens), nullptr);  // cache hits are left out
  const auto counters =
      dialect_named("llamacpp")
          ->counters_on(page_of(old_page + "llamacpp:prompt_tokens_cached_total 18211\n"));
  EXPECT_EQ(counter_of(counters, M::prompt_tokens_computed)->clock, CounterClock::per_step);
  EXPECT_NE(counter_of(counters, M::prompt_tokens_cached), nullptr);
}

TEST(OpenAiCounters, ThereAreNone) {
  EXPECT_TRUE(
      dialect_named("openai")->counters_on(page_of("vllm:generation_tokens_total 9\n")).empty());
}

}  // namespace
}  // namespace tokenjoule
