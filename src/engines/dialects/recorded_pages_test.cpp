#include "engines/page_fixture.hpp"

namespace tokenjoule {
namespace {

/// A recorded page that lies beside the checkout; skips the test where it does not.
#define PAGE_OR_SKIP(variable, name)                                                              \
  const std::string variable##_text =                                                             \
      bytes_of(TOKENJOULE_SOURCE_DIR "/../shared/data/metrics/" name);                            \
  if (variable##_text.empty()) GTEST_SKIP() << "the sample page " name " is not on this machine"; \
  const PrometheusPage variable = page_of(variable##_text)

TEST(RecordedPages, TwoScrapesOfVllmDifferByTheTokensBetweenThem) {
  PAGE_OR_SKIP(earlier, "vllm-0.26.0.prom");
  PAGE_OR_SKIP(later, "vllm-0.26.0-t1.prom");
  const Values grown = growth_on("vllm", earlier, later);
  EXPECT_EQ(grown.at(M::prompt_tokens), 657'137.0);
  EXPECT_EQ(grown.at(M::prompt_tokens_computed), 657'137.0);
  EXPECT_EQ(grown.at(M::output_tokens), 223'362.0);
  EXPECT_EQ(grown.at(M::preemptions), 2.0);
  EXPECT_EQ(grown.at(M::requests_finished), 640.0);
  EXPECT_EQ(grown.at(M::process_start), 0.0);
  EXPECT_EQ(values_on("vllm", earlier).at(M::requests_running), 8.0);
  EXPECT_EQ(values_on("vllm", later).at(M::requests_running), 32.0);
}

TEST(RecordedPages, ARestartOfVllmShowsInItsStartTimeAndInItsCounters) {
  PAGE_OR_SKIP(earlier, "vllm-0.26.0-t1.prom");
  PAGE_OR_SKIP(later, "vllm-0.26.0-restarted.prom");
  const Values grown = growth_on("vllm", earlier, later);
  EXPECT_GT(grown.at(M::process_start), 0.0);
  EXPECT_LT(grown.at(M::output_tokens), 0.0);
}

TEST(RecordedPages, TwoEnginesOfVllmAreSummed) {
  PAGE_OR_SKIP(page, "vllm-0.28.0-dp2-mp-spec.prom");
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 247'756.0 + 234'126.0);
  EXPECT_EQ(values.at(M::prompt_tokens_computed), 591'148.0 + 629'608.0);
  EXPECT_EQ(values.at(M::draft_tokens), 297'564.0 + 281'427.0);
  EXPECT_EQ(values.at(M::draft_tokens_accepted), 148'569.0 + 140'358.0);
  EXPECT_EQ(values.at(M::requests_running), 41.0);
  EXPECT_EQ(values.at(M::engines), 2.0);
  EXPECT_EQ(values.count(M::process_start), 0u);
}

TEST(RecordedPages, DeprecatedNamesOfVllmAreNotCountedTwice) {
  PAGE_OR_SKIP(page, "vllm-0.11.0-deprecated-names.prom");
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::prompt_tokens), 95'486.0);
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 15'808.0);
  EXPECT_EQ(values.at(M::cache_use), 0.0159);
  EXPECT_EQ(values.count(M::prompt_tokens_computed), 0u);
}

TEST(RecordedPages, VllmV0HasNoEngineLabelAndNoCountOfCacheHits) {
  PAGE_OR_SKIP(page, "vllm-0.6.6-v0.prom");
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 857'731.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 2'453'591.0);
  EXPECT_EQ(values.at(M::draft_tokens), 67'370.0);
  EXPECT_EQ(values.at(M::requests_finished), 2'500.0);
  EXPECT_EQ(values.count(M::prompt_tokens_cached), 0u);
  EXPECT_EQ(values.count(M::engines), 0u);
}

TEST(RecordedPages, OpenMetricsOfVllmsOtherFrontendReadsTheSame) {
  PAGE_OR_SKIP(page, "vllm-0.29-rust-frontend-openmetrics.prom");
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 173'697.0);
  EXPECT_EQ(values.at(M::prompt_tokens_computed), 383'644.0);
  EXPECT_EQ(values.at(M::requests_finished), 480.0);
}

TEST(RecordedPages, TwoScrapesOfSglangDifferByTheTokensBetweenThem) {
  PAGE_OR_SKIP(earlier, "sglang-0.5.18.prom");
  PAGE_OR_SKIP(later, "sglang-0.5.18-t1.prom");
  const Values grown = growth_on("sglang", earlier, later);
  EXPECT_EQ(grown.at(M::prompt_tokens), 541'926.0);
  EXPECT_EQ(grown.at(M::output_tokens), 168'945.0);
  EXPECT_EQ(grown.at(M::requests_finished), 500.0);
  EXPECT_EQ(grown.at(M::prompt_tokens_computed), 579'774.0);
  EXPECT_EQ(grown.at(M::output_tokens_computed), 173'821.0);
  EXPECT_EQ(grown.at(M::requests_aborted), 3.0);
  EXPECT_EQ(values_on("sglang", later).at(M::requests_running), 32.0);
}

TEST(RecordedPages, OldSglangCountsAtFinishOnly) {
  PAGE_OR_SKIP(page, "sglang-0.4.6.prom");
  const auto values = values_on("sglang", page);
  EXPECT_EQ(values.at(M::output_tokens), 7'557'572.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 8'128'902.0);
  EXPECT_EQ(values.at(M::requests_running), 9.0);
  EXPECT_EQ(values.at(M::requests_waiting), 2'826.0);
  EXPECT_EQ(values.count(M::prompt_tokens_computed), 0u);
}

TEST(RecordedPages, TrtllmCountsAtFinish) {
  PAGE_OR_SKIP(page, "trtllm-1.3.0.prom");
  const auto values = values_on("trtllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 338'992.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 988'265.0);
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 94'192.0);
  EXPECT_EQ(values.at(M::requests_finished), 1'000.0);
  EXPECT_EQ(values.at(M::requests_running), 0.0);
  EXPECT_EQ(values.count(M::draft_tokens), 0u);
}

TEST(RecordedPages, ThoseWithoutTokensOrInAnotherFormatAreRefusedByEveryDialect) {
  PAGE_OR_SKIP(early_trtllm, "trtllm-1.0.0-unprefixed-no-tokens.prom");
  PAGE_OR_SKIP(mlc, "mlc-llm-0.20.0-nonstandard.prom");
  PAGE_OR_SKIP(malformed, "edgecases-malformed.prom");
  PAGE_OR_SKIP(dcgm, "dcgm-exporter-4.6.0-4.8.3.prom");
  for (const EngineDialect* dialect : dialects()) {
    EXPECT_TRUE(dialect->counters_on(early_trtllm).empty()) << dialect->name();
    EXPECT_TRUE(dialect->counters_on(mlc).empty()) << dialect->name();
    EXPECT_TRUE(dialect->counters_on(malformed).empty()) << dialect->name();
    EXPECT_TRUE(dialect->counters_on(dcgm).empty()) << dialect->name();
  }
}

TEST(RecordedPages, EdgeCasesOfTheTextFormatsAreRead) {
  PAGE_OR_SKIP(text, "edgecases-text-0.0.4.prom");
  PAGE_OR_SKIP(open_metrics, "edgecases-openmetrics-1.0.prom");
  PAGE_OR_SKIP(utf8_names, "edgecases-text-1.0.0-utf8-names.prom");
  const auto values = values_on("vllm", text);
  EXPECT_EQ(values.at(M::output_tokens), 1'123'456.0);  // 123456 + 1e+06
  EXPECT_EQ(values.at(M::engines), 2.0);
  EXPECT_TRUE(values_on("vllm", open_metrics).empty());
  EXPECT_TRUE(values_on("vllm", utf8_names).empty());
}

TEST(RecordedPages, TritonHasGaugesAndNoTokens) {
  PAGE_OR_SKIP(page, "triton-26.07-trtllm.prom");
  EXPECT_EQ(
      values_on("triton", page),
      (Values{{M::requests_running, 24.0}, {M::requests_waiting, 0.0}, {M::cache_use, 0.4875}}));
}

TEST(RecordedPages, DynamosFrontendAndWorkerCountTheSameOutput) {
  PAGE_OR_SKIP(frontend, "dynamo-1.4.2-frontend.prom");
  PAGE_OR_SKIP(worker, "dynamo-1.4.2-worker-vllm.prom");
  const auto front = values_on("dynamo", frontend);
  EXPECT_EQ(front.at(M::output_tokens), 101'815.0);
  EXPECT_EQ(front.at(M::prompt_tokens), 295'571.0);  // of finished requests
  EXPECT_EQ(front.at(M::prompt_tokens_cached), 26'096.0);
  EXPECT_EQ(front.at(M::requests_finished), 300.0);
  EXPECT_EQ(front.at(M::requests_running), 6.0);
  const auto inside = values_on("dynamo", worker);
  EXPECT_EQ(inside.at(M::output_tokens), 101'815.0);
  EXPECT_EQ(inside.at(M::prompt_tokens), 298'962.0);  // per step
  EXPECT_EQ(inside.at(M::prompt_tokens_computed), 272'866.0);
}

TEST(RecordedPages, TwoScrapesOfLlamaCppDifferAsPrinted) {
  PAGE_OR_SKIP(earlier, "llamacpp-b10423.prom");
  PAGE_OR_SKIP(later, "llamacpp-b10423-t1.prom");
  const Values grown = growth_on("llamacpp", earlier, later);
  EXPECT_EQ(grown.at(M::prompt_tokens_computed), 422'225.0);  // true: 422 222
  EXPECT_EQ(grown.at(M::output_tokens), 711'115.0);           // true: 711 111
  EXPECT_EQ(grown.count(M::prompt_tokens), 0u);
}

TEST(RecordedPages, LlamaCppThroughItsBuilds) {
  PAGE_OR_SKIP(speculative, "llamacpp-b10500-spec.prom");
  PAGE_OR_SKIP(older, "llamacpp-b9842.prom");
  PAGE_OR_SKIP(oldest, "llamacpp-b4500-kvgauges.prom");
  PAGE_OR_SKIP(quoted, "llamacpp-b7010-json-quoted-bug.prom");
  const auto values = values_on("llamacpp", speculative);
  EXPECT_EQ(values.at(M::draft_tokens), 2'204'420.0);
  EXPECT_EQ(values.at(M::draft_tokens_accepted), 1'469'610.0);
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 87'719'700.0);
  EXPECT_EQ(values_on("llamacpp", older).at(M::output_tokens), 98'712.0);
  EXPECT_EQ(values_on("llamacpp", older).count(M::prompt_tokens_cached), 0u);
  EXPECT_EQ(values_on("llamacpp", oldest).at(M::cache_use), 0.018);
  EXPECT_EQ(values_on("llamacpp", quoted).at(M::output_tokens), 98'712.0);
}

TEST(RecordedPages, TgiCountsBySumsOfHistograms) {
  PAGE_OR_SKIP(page, "tgi-3.3.7.prom");
  const auto values = values_on("tgi", page);
  EXPECT_EQ(values.at(M::output_tokens), 81'930.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 272'305.0);
  EXPECT_EQ(values.at(M::requests_finished), 400.0);
  EXPECT_EQ(values.at(M::requests_aborted), 14.0);  // 9 + 4 + 1
  EXPECT_EQ(values.at(M::requests_running), 2.0);
}

TEST(RecordedPages, LmdeployCountsPerStep) {
  PAGE_OR_SKIP(page, "lmdeploy-0.16.0.prom");
  const auto values = values_on("lmdeploy", page);
  EXPECT_EQ(values.at(M::output_tokens), 121'562.0);
  EXPECT_EQ(values.at(M::prompt_tokens), 360'155.0);
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 46'912.0);
  EXPECT_EQ(values.at(M::requests_finished), 350.0);
  EXPECT_EQ(values.at(M::requests_running), 5.0);
  EXPECT_EQ(values.count(M::draft_tokens), 0u);
}

}  // namespace
}  // namespace tokenjoule
