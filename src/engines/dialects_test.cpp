#include "engines/dialect.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/json_view.hpp"

namespace tokenjoule {
namespace {

using M = EngineMetric;

PrometheusPage page_of(const std::string& text) {
  auto page = prometheus_page(text);
  EXPECT_TRUE(page.has_value());
  return page ? std::move(*page) : PrometheusPage{};
}

std::map<M, double> values_on(std::string_view dialect, const PrometheusPage& page) {
  return counter_values(dialect_named(dialect)->counters_on(page), page);
}

const EngineCounter* counter_of(const std::vector<EngineCounter>& counters, M metric) {
  for (const auto& counter : counters) {
    if (counter.metric == metric) return &counter;
  }
  return nullptr;
}

ProbeAnswer json_answer(const std::string& body, int status = 200) {
  return {status, "application/json", body};
}

ProbeAnswers vllm_answers() {
  return {
      {"/version", json_answer(R"({"version":"0.26.0"})")},
      {"/v1/models", json_answer(R"({"object":"list","data":[{"id":"meta/llama","object":"model",
              "owned_by":"vllm","root":"/models/llama","max_model_len":8192},{"id":"lora"}]})")},
      {"/metrics",
       {200, "text/plain; version=0.0.4",
        "vllm:num_requests_running{engine=\"0\"} 0\nvllm:num_requests_running{engine=\"1\"} 0\n"
        "vllm:cache_config_info{block_size=\"16\",enable_prefix_caching=\"True\",cache_dtype="
        "\"auto\","
        "gpu_memory_utilization=\"0.9\",num_gpu_blocks=\"27443\",engine=\"0\"} 1.0\n"
        "vllm:cache_config_info{block_size=\"16\",enable_prefix_caching=\"True\",cache_dtype="
        "\"auto\","
        "gpu_memory_utilization=\"0.9\",num_gpu_blocks=\"27440\",engine=\"1\"} 1.0\n"}}};
}

ProbeAnswers llamacpp_answers() {
  return {
      {"/props",
       json_answer(R"({"default_generation_settings":{"n_ctx":4096,"params":{}},"total_slots":4,
              "model_path":"/srv/models/tiny-q4.gguf","build_info":"b10423-abc"})")},
      {"/v1/models", json_answer(R"({"data":[{"id":"/srv/models/tiny-q4.gguf","owned_by":"llamacpp",
              "meta":{"n_params":1000000,"size":700000}}]})")}};
}

TEST(DialectFor, KnowsVllmByTheOwnerOfItsModels) {
  const auto dialect = dialect_for(vllm_answers());
  ASSERT_TRUE(dialect.has_value());
  EXPECT_EQ((*dialect)->name(), "vllm");
}

TEST(DialectFor, KnowsVllmByVersionAndCountersWhereModelsHaveNoOwner) {
  auto answers = vllm_answers();
  answers["/v1/models"].body = R"({"data":[{"id":"m"}]})";
  EXPECT_EQ((*dialect_for(answers))->name(), "vllm");
}

TEST(DialectFor, BorrowedCounterNamesDoNotMakeAVllm) {
  auto answers = vllm_answers();
  answers["/v1/models"].body = R"({"data":[{"id":"m","owned_by":"mlx-serve"}]})";
  EXPECT_EQ((*dialect_for(answers))->name(), "openai");
}

TEST(DialectFor, KnowsLlamaCppByItsProps) {
  EXPECT_EQ((*dialect_for(llamacpp_answers()))->name(), "llamacpp");
}

TEST(DialectFor, AnythingElseThatListsModelsIsOpenAi) {
  const ProbeAnswers answers = {{"/v1/models", json_answer(R"({"data":[{"id":"m"}]})")},
                                {"/metrics", {404, "text/plain", "404"}}};
  EXPECT_EQ((*dialect_for(answers))->name(), "openai");
}

TEST(DialectFor, SaysWhatCameInsteadOfAnApiAndWhatToDo) {
  struct Case {
    ProbeAnswer models;
    std::string message_part;
    std::string hint_part;
  };
  const Case cases[] = {
      {{200, "text/html", "<html>hi</html>"}, "web page", "--url"},
      {{401, "application/json", "{}"}, "needs an API key", "OPENAI_API_KEY"},
      {{403, "application/json", "{}"}, "needs an API key", "--api-key-file"},
      {{404, "application/json", R"({"detail":"Not Found"})"}, "404", "--url"},
      {{503, "application/json", R"({"error":{"message":"Loading model"}})"},
       "not ready",
       "/health"},
      {{302, "text/plain", ""}, "redirect", "--url"},
      {{500, "text/plain", "boom"}, "status 500: \"boom\"", "log"},
      {{200, "application/json", R"({"data":[]})"}, "lists no model", "loaded"},
  };
  for (const Case& each : cases) {
    const auto dialect = dialect_for({{"/v1/models", each.models}});
    ASSERT_FALSE(dialect.has_value());
    EXPECT_EQ(dialect.error().kind, ErrorKind::missing);
    EXPECT_NE(dialect.error().message.find(each.message_part), std::string::npos)
        << dialect.error().message;
    EXPECT_NE(dialect.error().hint.find(each.hint_part), std::string::npos) << dialect.error().hint;
    EXPECT_EQ(dialect.error().message.find('\n'), std::string::npos);
  }
  EXPECT_FALSE(dialect_for({}).has_value());
}

TEST(Vllm, DescribesWhatTheServerReports) {
  const EngineInfo info = dialect_named("vllm")->described_by(vllm_answers());
  EXPECT_EQ(info.kind, "vllm");
  EXPECT_EQ(info.version, "0.26.0");
  EXPECT_EQ(info.model, "meta/llama");
  EXPECT_FALSE(info.simulated);
  const auto& settings = info.configuration;
  EXPECT_EQ(settings.at("max_model_len").json, "8192");
  EXPECT_EQ(settings.at("max_model_len").from, "reported");
  EXPECT_EQ(settings.at("enable_prefix_caching").json, "true");
  EXPECT_EQ(settings.at("cache_dtype").json, "\"auto\"");
  EXPECT_EQ(settings.at("gpu_memory_utilization").json, "0.9");
  EXPECT_EQ(settings.at("data_parallel_size").json, "2");
  EXPECT_EQ(settings.at("served_models").json, R"(["meta/llama","lora"])");
  EXPECT_EQ(settings.at("model_root").json, "\"llama\"");
  EXPECT_EQ(settings.count("num_gpu_blocks"), 0u);  // the two engines differ
}

TEST(Vllm, AServerThatCallsItselfSimulatedIsMarkedSo) {
  auto answers = vllm_answers();
  answers["/version"].body = R"({"version":"0.26.0","simulated":true})";
  EXPECT_TRUE(dialect_named("vllm")->described_by(answers).simulated);
}

TEST(LlamaCpp, DescribesWhatTheServerReportsWithoutItsFolders) {
  const EngineInfo info = dialect_named("llamacpp")->described_by(llamacpp_answers());
  EXPECT_EQ(info.version, "b10423-abc");
  EXPECT_EQ(info.model, "tiny-q4.gguf");
  EXPECT_EQ(info.configuration.at("max_model_len").json, "4096");
  EXPECT_EQ(info.configuration.at("total_slots").json, "4");
  EXPECT_EQ(info.configuration.at("model_file").json, "\"tiny-q4.gguf\"");
  EXPECT_EQ(info.configuration.at("model_parameters").json, "1000000");
  for (const auto& [name, value] : info.configuration) {
    EXPECT_EQ(value.json.find("/srv"), std::string::npos) << name;
  }
}

TEST(RequestBody, VllmGetsTokenIdsAndAFixedLength) {
  const RequestSpec spec{
      .model = "m", .prompt = {.token_ids = {5, 6}, .text = {}}, .output_tokens = 7};
  EXPECT_EQ(dialect_named("vllm")->request_body(spec),
            R"({"model":"m","prompt":[5,6],"max_tokens":7,"ignore_eos":true,"min_tokens":7,)"
            R"("temperature":0,"stream":true,"stream_options":{"include_usage":true}})");
}

TEST(RequestBody, VllmChatHasItsOwnNameForTheLimit) {
  const RequestSpec spec{.endpoint = EndpointKind::chat,
                         .model = "m",
                         .prompt = {.token_ids = {}, .text = "hi"},
                         .output_tokens = 7,
                         .ignore_eos = false};
  EXPECT_EQ(dialect_named("vllm")->request_body(spec),
            R"({"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":7,)"
            R"("temperature":0,"stream":true,"stream_options":{"include_usage":true}})");
}

TEST(RequestBody, LlamaCppIsToldNotToReuseItsCache) {
  const RequestSpec spec{
      .model = "m", .prompt = {.token_ids = {5}, .text = {}}, .output_tokens = 7};
  EXPECT_EQ(dialect_named("llamacpp")->request_body(spec),
            R"({"model":"m","prompt":[5],"max_tokens":7,"ignore_eos":true,"cache_prompt":false,)"
            R"("temperature":0,"stream":true,"stream_options":{"include_usage":true}})");
}

TEST(RequestBody, AnUnknownEngineGetsOnlyWhatAllTake) {
  const RequestSpec spec{.endpoint = EndpointKind::chat,
                         .model = "m",
                         .prompt = {.token_ids = {}, .text = "hi"},
                         .output_tokens = 7};
  EXPECT_EQ(dialect_named("openai")->request_body(spec),
            R"({"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":7,)"
            R"("temperature":0,"stream":true,"stream_options":{"include_usage":true}})");
}

TEST(RequestBody, ExtraMembersAreAddedOrReplaceOurs) {
  const RequestSpec spec{.model = "m",
                         .prompt = {.token_ids = {}, .text = "\xff"},
                         .output_tokens = 7,
                         .extra_body_json = R"({"temperature":0.7,"top_k":1})"};
  EXPECT_EQ(dialect_named("openai")->request_body(spec),
            "{\"model\":\"m\",\"prompt\":\"\xEF\xBF\xBD\",\"max_tokens\":7,\"temperature\":0.7,"
            "\"stream\":true,\"stream_options\":{\"include_usage\":true},\"top_k\":1}");
}

TEST(RequestBody, AnExtraBodyMustBeAJsonObject) {
  EXPECT_TRUE(check_extra_body("").has_value());
  EXPECT_TRUE(check_extra_body("{}").has_value());
  EXPECT_EQ(check_extra_body("[1]").error().kind, ErrorKind::usage);
  EXPECT_EQ(check_extra_body("{secret").error().message.find("secret"), std::string::npos);
}

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
  EXPECT_EQ(values.size(), 3u);
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

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A page that lies beside the checkout; skips the test where it does not.
#define PAGE_OF_FILE_OR_SKIP(variable, name)                                                      \
  const std::string variable##_text =                                                             \
      bytes_of(TOKENJOULE_SOURCE_DIR "/../shared/data/metrics/" name);                            \
  if (variable##_text.empty()) GTEST_SKIP() << "the sample page " name " is not on this machine"; \
  const PrometheusPage variable = page_of(variable##_text)

TEST(CounterPages, TwoScrapesOfVllmDifferByTheTokensBetweenThem) {
  PAGE_OF_FILE_OR_SKIP(earlier, "vllm-0.26.0.prom");
  PAGE_OF_FILE_OR_SKIP(later, "vllm-0.26.0-t1.prom");
  const auto from = values_on("vllm", earlier);
  const auto to = values_on("vllm", later);
  EXPECT_EQ(to.at(M::prompt_tokens) - from.at(M::prompt_tokens), 657'137.0);
  EXPECT_EQ(to.at(M::prompt_tokens_computed) - from.at(M::prompt_tokens_computed), 657'137.0);
  EXPECT_EQ(to.at(M::output_tokens) - from.at(M::output_tokens), 223'362.0);
  EXPECT_EQ(to.at(M::preemptions) - from.at(M::preemptions), 2.0);
  EXPECT_EQ(to.at(M::requests_finished) - from.at(M::requests_finished), 640.0);
  EXPECT_EQ(from.at(M::requests_running), 8.0);
  EXPECT_EQ(to.at(M::requests_running), 32.0);
  EXPECT_EQ(from.at(M::process_start), to.at(M::process_start));
}

TEST(CounterPages, ARestartOfVllmShowsInItsStartTime) {
  PAGE_OF_FILE_OR_SKIP(earlier, "vllm-0.26.0-t1.prom");
  PAGE_OF_FILE_OR_SKIP(later, "vllm-0.26.0-restarted.prom");
  EXPECT_GT(values_on("vllm", later).at(M::process_start),
            values_on("vllm", earlier).at(M::process_start));
}

TEST(CounterPages, TwoEnginesOfVllmAreSummed) {
  PAGE_OF_FILE_OR_SKIP(page, "vllm-0.28.0-dp2-mp-spec.prom");
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 247'756.0 + 234'126.0);
  EXPECT_EQ(values.at(M::prompt_tokens_computed), 591'148.0 + 629'608.0);
  EXPECT_EQ(values.at(M::requests_running), 41.0);
  EXPECT_EQ(values.count(M::process_start), 0u);
}

TEST(CounterPages, DeprecatedNamesOfVllmAreNotCountedTwice) {
  PAGE_OF_FILE_OR_SKIP(page, "vllm-0.11.0-deprecated-names.prom");
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::prompt_tokens), 95'486.0);
  EXPECT_EQ(values.at(M::prompt_tokens_cached), 15'808.0);
  EXPECT_EQ(values.at(M::cache_use), 0.0159);
  EXPECT_EQ(values.count(M::prompt_tokens_computed), 0u);
}

TEST(CounterPages, OpenMetricsOfVllmsOtherFrontendReadsTheSame) {
  PAGE_OF_FILE_OR_SKIP(page, "vllm-0.29-rust-frontend-openmetrics.prom");
  const auto values = values_on("vllm", page);
  EXPECT_EQ(values.at(M::output_tokens), 173'697.0);
  EXPECT_EQ(values.at(M::prompt_tokens_computed), 383'644.0);
  EXPECT_EQ(values.at(M::requests_finished), 480.0);
}

TEST(CounterPages, TwoScrapesOfLlamaCppDifferAsPrinted) {
  PAGE_OF_FILE_OR_SKIP(earlier, "llamacpp-b10423.prom");
  PAGE_OF_FILE_OR_SKIP(later, "llamacpp-b10423-t1.prom");
  const auto from = values_on("llamacpp", earlier);
  const auto to = values_on("llamacpp", later);
  EXPECT_EQ(to.at(M::prompt_tokens_computed) - from.at(M::prompt_tokens_computed), 422'225.0);
  EXPECT_EQ(to.at(M::output_tokens) - from.at(M::output_tokens), 711'115.0);
  EXPECT_EQ(from.count(M::prompt_tokens), 0u);
}

TEST(CounterPages, TheQuotedPageOfLlamaCppIsUnwrapped) {
  PAGE_OF_FILE_OR_SKIP(page, "llamacpp-b7010-json-quoted-bug.prom");
  EXPECT_EQ(values_on("llamacpp", page).at(M::output_tokens), 98'712.0);
}

TEST(CounterPages, EnginesWithoutADialectHaveNoCounters) {
  PAGE_OF_FILE_OR_SKIP(page, "trtllm-1.0.0-unprefixed-no-tokens.prom");
  EXPECT_TRUE(values_on("vllm", page).empty());
  EXPECT_TRUE(values_on("llamacpp", page).empty());
}

// Every dialect, also one added later, must keep these.
TEST(DialectContract, EveryDialectHasANameAndMakesAStreamingRequest) {
  for (const EngineDialect* dialect : dialects()) {
    EXPECT_EQ(dialect_named(dialect->name()), dialect);
    EXPECT_EQ(dialect->fits({}), 0) << dialect->name();
    const auto body = JsonDocument::parse(dialect->request_body(
        {.model = "m", .prompt = {.token_ids = {}, .text = "hi"}, .output_tokens = 3}));
    ASSERT_TRUE(body.has_value()) << dialect->name();
    EXPECT_EQ(body->root()["stream"].boolean(), true);
    EXPECT_EQ(body->root()["stream_options"]["include_usage"].boolean(), true);
    EXPECT_EQ(body->root()["max_tokens"].integer(), 3);
    EXPECT_EQ(body->root()["ignore_eos"].present(), dialect->takes_ignore_eos());
    EXPECT_EQ(dialect->described_by({}).kind, dialect->name());
  }
  EXPECT_EQ(dialect_named("no-such"), nullptr);
}

}  // namespace
}  // namespace tokenjoule
