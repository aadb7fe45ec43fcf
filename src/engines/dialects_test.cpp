#include "engines/dialect.hpp"

#include <set>

#include "base/json_view.hpp"
#include "engines/page_fixture.hpp"

namespace tokenjoule {
namespace {

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

struct Known {
  std::string name;
  ProbeAnswers answers;
};

/// What each engine answers to the probe, as little as it takes to know it.
std::vector<Known> known_answers() {
  const auto models = [](const std::string& owner) {
    return json_answer(R"({"data":[{"id":"m","owned_by":")" + owner + R"("}]})");
  };
  const auto page = [](const std::string& text) {
    return ProbeAnswer{200, "text/plain", text + " 1\n"};
  };
  return {
      {"sglang", {{"/v1/models", models("sglang")}}},
      {"sglang", {{"/v1/models", models("org")}, {"/metrics", page("sglang:num_running_reqs")}}},
      {"trtllm", {{"/v1/models", models("tensorrt_llm")}, {"/metrics", json_answer("[]")}}},
      {"trtllm",
       {{"/v1/models", models("")}, {"/prometheus/metrics", page("trtllm_num_requests_running")}}},
      {"dynamo",
       {{"/v1/models", models("nvidia")},
        {"/metrics", page("dynamo_frontend_output_tokens_total")}}},
      {"triton", {{"/v1/models", models("Triton Inference Server")}}},
      {"tgi",
       {{"/v1/models", models("m")},
        {"/info", json_answer(R"({"router":"text-generation-router","version":"3.3.7"})")}}},
      {"tgi", {{"/v1/models", models("m")}, {"/metrics", page("tgi_queue_size")}}},
      {"lmdeploy", {{"/v1/models", models("lmdeploy")}}},
      {"ollama",
       {{"/v1/models", models("library")},
        {"/api/version", json_answer(R"({"version":"0.33.0"})")}}},
      {"transformers",
       {{"/v1/models", models("org")},
        {"/openapi.json",
         json_answer(R"({"info":{"title":"FastAPI"},"paths":{"/load_model":{"post":{}},
              "/v1/chat/completions":{"post":{}}}})")}}},
      {"llama-cpp-python",
       {{"/v1/models", models("me")},
        {"/openapi.json", json_answer(R"({"info":{"title":"🦙 llama.cpp Python API",
              "version":"0.3.36"},"paths":{}})")}}},
  };
}

TEST(DialectFor, KnowsEachEngineByWhatItAnswers) {
  std::set<std::string> seen = {"vllm", "llamacpp", "openai"};  // in tests of their own
  for (const Known& known : known_answers()) {
    const auto dialect = dialect_for(known.answers);
    ASSERT_TRUE(dialect.has_value()) << known.name;
    EXPECT_EQ((*dialect)->name(), known.name);
    seen.insert(known.name);
  }
  EXPECT_EQ(seen.size(), dialects().size()) << "a dialect without its answers here";
}

TEST(DialectFor, OneWhosePagesTellEnginesApartIsAskedForThem) {
  // What an unknown server is asked for covers what the engines without a name are known by.
  const auto pages = dialect_named("openai")->further_pages();
  const std::set<std::string> asked(pages.begin(), pages.end());
  const std::set<std::string> usual = {"/v1/models", "/version", "/props", "/metrics", "/health"};
  for (const Known& known : known_answers()) {
    for (const auto& [path, answer] : known.answers) {
      EXPECT_TRUE(usual.count(path) || asked.count(path)) << known.name << " " << path;
    }
  }
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

TEST(Describes, WhatEachServerReportsOfItself) {
  const auto sglang = dialect_named("sglang")->described_by(
      {{"/server_info", json_answer(R"({"version":"0.5.18","tp_size":2,"dp_size":1,
          "quantization":null,"kv_cache_dtype":"fp8_e5m2","disable_radix_cache":false})")}});
  EXPECT_EQ(sglang.version, "0.5.18");
  EXPECT_EQ(sglang.configuration.at("tensor_parallel_size").json, "2");
  EXPECT_EQ(sglang.configuration.at("kv_cache_dtype").json, "\"fp8_e5m2\"");
  EXPECT_EQ(sglang.configuration.at("enable_prefix_caching").json, "true");
  EXPECT_EQ(sglang.configuration.count("quantization"), 0u);
  const auto tgi = dialect_named("tgi")->described_by(
      {{"/info",
        json_answer(R"({"version":"3.3.7","model_dtype":"float16","max_total_tokens":4096})")}});
  EXPECT_EQ(tgi.version, "3.3.7");
  EXPECT_EQ(tgi.configuration.at("max_model_len").json, "4096");
  const auto python =
      dialect_named("llama-cpp-python")
          ->described_by({{"/v1/models", json_answer(R"({"data":[{"id":"/srv/tiny.gguf",
                              "owned_by":"me"}]})")}});
  EXPECT_EQ(python.model, "tiny.gguf");
  EXPECT_EQ(python.configuration.count("served_models"), 0u);
}

TEST(RequestBody, VllmGetsTokenIdsAndAFixedLength) {
  const RequestSpec spec{
      .model = "m", .prompt = {.token_ids = {5, 6}, .text = {}}, .output_tokens = 7};
  EXPECT_EQ(dialect_named("vllm")->request_body(spec),
            R"({"model":"m","prompt":[5,6],"max_tokens":7,"ignore_eos":true,"min_tokens":7,)"
            R"("temperature":0,"stream":true,"stream_options":{"include_usage":true}})");
}

TEST(RequestBody, WhoCanListTokenIdsIsAskedToOnWish) {
  const RequestSpec spec{.model = "m",
                         .prompt = {.token_ids = {5}, .text = {}},
                         .output_tokens = 7,
                         .return_token_ids = true};
  for (const EngineDialect* dialect : dialects()) {
    const bool asked = dialect->request_body(spec).find("return_token_ids") != std::string::npos;
    EXPECT_EQ(asked, dialect->name() == "vllm" || dialect->name() == "sglang") << dialect->name();
    EXPECT_EQ(asked, dialect->lists_token_ids());
  }
}

TEST(RequestBody, AConversationByChatIsMessagesInTurn) {
  const RequestSpec spec{.endpoint = EndpointKind::chat,
                         .model = "m",
                         .earlier = {"Who?", "I."},
                         .prompt = {.token_ids = {}, .text = "Why?"},
                         .output_tokens = 7};
  const std::string body = dialect_named("openai")->request_body(spec);
  EXPECT_NE(body.find(R"("messages":[{"role":"user","content":"Who?"},)"
                      R"({"role":"assistant","content":"I."},{"role":"user","content":"Why?"}])"),
            std::string::npos)
      << body;
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

std::string body_of(std::string_view dialect, EndpointKind endpoint) {
  return dialect_named(dialect)->request_body({.endpoint = endpoint,
                                               .model = "m",
                                               .prompt = {.token_ids = {}, .text = "p"},
                                               .output_tokens = 7});
}

TEST(RequestBody, EachEngineGetsJustTheFieldsThatItTakes) {
  const std::string end = R"(,"temperature":0,"stream":true)";
  const std::string usage = R"(,"stream_options":{"include_usage":true}})";
  const std::string text = R"({"model":"m","prompt":"p","max_tokens":7)";
  const std::string fixed = text + R"(,"ignore_eos":true,"min_tokens":7)" + end + usage;
  const auto completions = EndpointKind::completions;
  EXPECT_EQ(body_of("sglang", completions), fixed);
  EXPECT_EQ(body_of("trtllm", completions), fixed);
  EXPECT_EQ(body_of("triton", completions), fixed);
  EXPECT_EQ(body_of("dynamo", completions), fixed);
  EXPECT_EQ(body_of("lmdeploy", completions), text + R"(,"ignore_eos":true)" + end + usage);
  EXPECT_EQ(body_of("tgi", completions), text + end + usage);
  EXPECT_EQ(body_of("ollama", completions), text + end + usage);
  EXPECT_EQ(body_of("transformers", completions), text + end + "}");
  EXPECT_EQ(body_of("llama-cpp-python", completions), text + R"(,"min_tokens":7)" + end + "}");
}

TEST(RequestBody, ChatsDifferInTheirNamesForLengths) {
  const std::string stream = R"(,"temperature":0,"stream":true)";
  const std::string end = stream + R"(,"stream_options":{"include_usage":true}})";
  const std::string chat = R"({"model":"m","messages":[{"role":"user","content":"p"}])";
  const std::string fixed = chat + R"(,"max_tokens":7,"ignore_eos":true,"min_tokens":7)" + end;
  EXPECT_EQ(body_of("trtllm", EndpointKind::chat), fixed);
  EXPECT_EQ(body_of("triton", EndpointKind::chat), fixed);
  EXPECT_EQ(body_of("llamacpp", EndpointKind::chat),
            chat + R"(,"max_tokens":7,"ignore_eos":true,"cache_prompt":false)" + end);
  EXPECT_EQ(body_of("tgi", EndpointKind::chat), chat + R"(,"max_tokens":7)" + end);
  EXPECT_EQ(body_of("ollama", EndpointKind::chat), chat + R"(,"max_tokens":7)" + end);
  EXPECT_EQ(body_of("transformers", EndpointKind::chat),
            chat + R"(,"max_tokens":7)" + stream + "}");
  EXPECT_EQ(body_of("llama-cpp-python", EndpointKind::chat),
            chat + R"(,"max_tokens":7,"min_tokens":7)" + stream + "}");
  EXPECT_EQ(body_of("sglang", EndpointKind::chat),
            chat + R"(,"max_tokens":7,"ignore_eos":true,"min_tokens":7)" + end);
  EXPECT_EQ(body_of("dynamo", EndpointKind::chat),
            chat + R"(,"max_completion_tokens":7,"ignore_eos":true,"min_tokens":7)" + end);
  EXPECT_EQ(body_of("lmdeploy", EndpointKind::chat),
            chat + R"(,"max_tokens":7,"ignore_eos":true,"min_new_tokens":7)" + end);
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

// Every dialect, also one added later, must keep these.
TEST(DialectContract, EveryDialectHasANameAndMakesAStreamingRequest) {
  for (const EngineDialect* dialect : dialects()) {
    EXPECT_EQ(dialect_named(dialect->name()), dialect);
    EXPECT_EQ(dialect->fits({}), 0) << dialect->name();
    const auto body = JsonDocument::parse(dialect->request_body(
        {.model = "m", .prompt = {.token_ids = {}, .text = "hi"}, .output_tokens = 3}));
    ASSERT_TRUE(body.has_value()) << dialect->name();
    EXPECT_EQ(body->root()["stream"].boolean(), true);
    EXPECT_EQ(body->root()["max_tokens"].integer(), 3);
    const bool has_length =
        body->root()["ignore_eos"].present() || body->root()["min_tokens"].present();
    EXPECT_EQ(has_length, dialect->takes_ignore_eos()) << dialect->name();
    EXPECT_EQ(dialect->described_by({}).limits, dialect->limits());
    EXPECT_EQ(dialect->described_by({}).kind, dialect->name());
  }
  EXPECT_EQ(dialect_named("no-such"), nullptr);
}

TEST(DialectContract, EveryDialectHasItsRowInTheDocumentation) {
  const std::string text = bytes_of(TOKENJOULE_SOURCE_DIR "/docs/engines.md");
  for (const EngineDialect* dialect : dialects()) {
    EXPECT_NE(text.find("| `" + std::string(dialect->name()) + "` |"), std::string::npos)
        << dialect->name();
    for (const std::string& limit : dialect->limits()) {
      EXPECT_GT(limit.size(), 20u);
      EXPECT_NE(limit.back(), '.') << limit;
    }
  }
}

}  // namespace
}  // namespace tokenjoule
