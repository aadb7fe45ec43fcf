#include "load/engine_probe.hpp"

#include <gtest/gtest.h>

#include "io/testing_server.hpp"
#include "load/scripted_server.hpp"
#include "load/trial_request.hpp"

namespace tokenjoule {
namespace {

using Pages = std::map<std::string, PageServer::Page>;

PageServer::Page stream(std::int64_t prompt_tokens) {
  return {200,
          "data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\n"
          "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" +
              std::to_string(prompt_tokens) + ",\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
          "text/event-stream"};
}

Pages vllm_pages() {
  return {
      {"GET /v1/models",
       {200, R"({"data":[{"id":"big","owned_by":"vllm","max_model_len":4096},{"id":"small"}]})"}},
      {"GET /version", {200, R"({"version":"0.26.0","simulated":true})"}},
      {"GET /metrics",
       {200, "vllm:generation_tokens_total{engine=\"0\"} 5\n", "text/plain; version=0.0.4"}},
      {"POST /v1/completions", stream(4)},
      {"POST /tokenize", {200, R"({"count":3,"tokens":[1,2,3]})"}}};
}

TEST(ProbeEngine, FindsAVllmWithTokenIdsCountersAndSettings) {
  PageServer server(vllm_pages());
  Url root = server.url();
  root.user_info = "user:secret";
  const auto engine = probe_engine({.root = root});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->dialect->name(), "vllm");
  EXPECT_EQ(engine->info.kind, "vllm");
  EXPECT_EQ(engine->info.version, "0.26.0");
  EXPECT_TRUE(engine->info.simulated);
  EXPECT_EQ(engine->info.url, server.url().text());
  EXPECT_EQ(engine->info.model, "big");
  EXPECT_EQ(engine->info.endpoint, "/v1/completions");
  EXPECT_TRUE(engine->info.token_id_prompts);
  EXPECT_TRUE(engine->info.ignore_eos);
  EXPECT_EQ(engine->info.metrics_url, server.url("/metrics").text());
  ASSERT_EQ(engine->info.counters.size(), 1u);
  EXPECT_EQ(engine->info.counters[0].family, "vllm:generation_tokens_total");
  EXPECT_EQ(engine->info.configuration.at("max_model_len").json, "4096");
}

TEST(ProbeEngine, TheTrialRequestAsksForTwoTokens) {
  PageServer server(vllm_pages());
  ASSERT_TRUE(probe_engine({.root = server.url(), .model = "small"}).has_value());
  EXPECT_NE(server.requests().find(R"({"model":"small","prompt":[40,41,42,43],"max_tokens":2,)"),
            std::string::npos)
      << server.requests();
}

TEST(ProbeEngine, IdsOfTheAnswersTokensAreAskedForInTheRunWhereTheTrialBroughtThem) {
  Pages pages = vllm_pages();
  pages["POST /v1/completions"].body =
      "data: {\"choices\":[{\"text\":\"a\",\"token_ids\":[7,8]}]}\n\n"
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2}}\n\n";
  PageServer server(pages);
  EXPECT_TRUE(probe_engine({.root = server.url()})->info.token_ids_listed);
  EXPECT_NE(server.requests().find(R"("return_token_ids":true)"), std::string::npos);
  PageServer unasked(pages);
  EXPECT_FALSE(
      probe_engine({.root = unasked.url(), .ask_for_token_ids = false})->info.token_ids_listed);
  EXPECT_EQ(unasked.requests().find("return_token_ids"), std::string::npos);
  PageServer older(vllm_pages());  // which leaves the wish alone
  EXPECT_FALSE(probe_engine({.root = older.url()})->info.token_ids_listed);
}

TEST(ProbeEngine, WhereAskingForIdsIsRefusedItAsksWithout) {
  const Pages pages = vllm_pages();
  ScriptedServer server([&pages](const Peer& peer, const ServedRequest& request) {
    const auto page = pages.find(request.head.substr(0, request.head.find(" HTTP/")));
    if (request.body.find("return_token_ids") != std::string::npos) {
      peer.send(with_length(400, R"({"error":{"message":"Extra inputs are not permitted"}})"));
    } else if (page == pages.end()) {
      peer.send(with_length(404, ""));
    } else {
      peer.send(with_length(200, page->second.body));
    }
    return ScriptedServer::Then::close;
  });
  const auto engine = probe_engine({.root = url_in(server.url()).value()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_TRUE(engine->info.token_id_prompts);
  EXPECT_FALSE(engine->info.token_ids_listed);
}

TEST(ProbeEngine, AContextThatIsTooShortAsksForShorterLengthsAndNotForAnotherEndpoint) {
  Pages pages = vllm_pages();
  pages["POST /v1/completions"] = {
      400, R"({"error":{"message":"This model's maximum context length is 4 tokens."}})"};
  PageServer server(pages);
  const auto engine = probe_engine({.root = server.url()});
  ASSERT_FALSE(engine.has_value());
  EXPECT_NE(engine.error().hint.find("--input-len"), std::string::npos) << engine.error().hint;
  EXPECT_EQ(engine.error().hint.find("--endpoint"), std::string::npos);
}

TEST(ProbeEngine, AKeyThatTheServerRepeatsIsNotShown) {
  Pages pages = vllm_pages();
  pages["POST /v1/completions"] = {400, R"({"error":{"message":"no plan for sk-hidden"}})"};
  PageServer server(pages);
  const auto engine =
      probe_engine({.root = server.url(), .headers = {{"Authorization", "Bearer sk-hidden"}}});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().message.find("hidden"), std::string::npos) << engine.error().message;
}

TEST(ProbeEngine, WhereTokenIdsAreNotCountedAsSentItGoesOnWithChat) {
  Pages pages = vllm_pages();
  pages["POST /v1/completions"] = stream(5);
  pages["POST /v1/chat/completions"] = stream(9);
  PageServer server(pages);
  const auto engine = probe_engine({.root = server.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->endpoint, EndpointKind::chat);
  EXPECT_FALSE(engine->info.token_id_prompts);
}

TEST(ProbeEngine, AModelWithoutAChatTemplateIsAskedForCompletionsOfText) {
  Pages pages = {
      {"GET /v1/models", {200, R"({"data":[{"id":"m"}]})"}},
      {"POST /v1/chat/completions", {400, R"({"error":{"message":"no chat template"}})"}},
      {"POST /v1/completions", stream(2)}};
  PageServer server(pages);
  const auto engine = probe_engine({.root = server.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.kind, "openai");
  EXPECT_EQ(engine->endpoint, EndpointKind::completions);
  EXPECT_FALSE(engine->metrics.has_value());
  EXPECT_NE(engine->info.metrics_note, "");
}

TEST(ProbeEngine, AnEndpointAndAPathThatWereAskedForAreKept) {
  Pages pages = vllm_pages();
  pages["POST /proxy/chat"] = stream(9);
  PageServer server(pages);
  const auto engine = probe_engine(
      {.root = server.url(), .endpoint = EndpointKind::chat, .endpoint_path = "/proxy/chat"});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.endpoint, "/proxy/chat");
}

TEST(ProbeEngine, AnUnknownModelIsNamedWithThoseThatAreServed) {
  PageServer server(vllm_pages());
  const auto engine = probe_engine({.root = server.url(), .model = "smal"});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().kind, ErrorKind::missing);
  EXPECT_EQ(engine.error().message, "the engine has no model \"smal\" (did you mean small?)");
  EXPECT_EQ(engine.error().hint, "it serves: big, small");
}

TEST(ProbeEngine, RefusalsOfTheTrialRequestAreClear) {
  struct Case {
    PageServer::Page answer;
    std::string part;
  };
  const Case cases[] = {
      {{401, R"({"error":"Unauthorized"})"}, "needs an API key"},
      {{404, R"({"error":{"message":"The model `big` does not exist."}})"}, "has no model \"big\""},
      {{503, R"({"error":{"message":"Loading model"}})"}, "not ready"},
      {{400, R"({"error":{"message":"too hot"}})"}, "status 400): \"too hot\""},
      {{200, "data: {\"error\":{\"message\":\"out of memory\"}}\n\ndata: [DONE]\n\n",
        "text/event-stream"},
       "out of memory"},
  };
  for (const Case& each : cases) {
    Pages pages = vllm_pages();
    pages["POST /v1/completions"] = each.answer;
    PageServer server(pages);
    const auto engine = probe_engine({.root = server.url()});
    ASSERT_FALSE(engine.has_value()) << each.part;
    EXPECT_EQ(engine.error().kind, ErrorKind::missing);
    EXPECT_NE(engine.error().message.find(each.part), std::string::npos) << engine.error().message;
    EXPECT_NE(engine.error().hint, "");
  }
}

TEST(ProbeEngine, NothingListeningIsARefusedConnectionWithAHint) {
  std::string address;
  { address = PageServer({}).url().text(); }
  const auto engine = probe_engine({.root = *url_in(address)});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().kind, ErrorKind::missing);
  EXPECT_EQ(engine.error().message, "cannot reach " + address + ": connection refused");
  EXPECT_EQ(engine.error().hint, "start the engine or check --url");
}

TEST(ProbeEngine, ADialectThatDoesNotExistIsAUsageError) {
  PageServer server(vllm_pages());
  const auto engine = probe_engine({.root = server.url(), .dialect = "vlm"});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().kind, ErrorKind::usage);
  EXPECT_NE(engine.error().message.find("did you mean vllm"), std::string::npos);
}

TEST(ProbeEngine, MetricsCanBeSwitchedOffOrLieElsewhere) {
  Pages pages = vllm_pages();
  pages.erase("GET /metrics");
  PageServer server(pages);
  PageServer elsewhere({{"GET /m", {200, "vllm:prompt_tokens_total 5\n", "text/plain"}}});
  const HttpHeaders key = {{"Authorization", "Bearer secret"}};
  const auto off = probe_engine({.root = server.url(), .server_metrics = "off"});
  EXPECT_EQ(off->info.metrics_note, "switched off with --server-metrics off");
  const auto none = probe_engine({.root = server.url()});
  EXPECT_EQ(none->info.metrics_note, "the engine has no metrics page");
  EXPECT_TRUE(none->info.counters.empty());
  const auto moved = probe_engine(
      {.root = server.url(), .headers = key, .server_metrics = elsewhere.url("/m").text()});
  ASSERT_TRUE(moved.has_value()) << moved.error().message;
  EXPECT_EQ(moved->info.counters.size(), 1u);
  EXPECT_TRUE(moved->metrics_headers.empty());
  EXPECT_EQ(elsewhere.requests().find("secret"), std::string::npos);
  EXPECT_NE(server.requests().find("Bearer secret"), std::string::npos);
  const auto absent =
      probe_engine({.root = server.url(), .server_metrics = elsewhere.url("/x").text()});
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().kind, ErrorKind::missing);
}

TEST(ProbeEngine, ALlamaServerWithoutMetricsSaysHowToGetThem) {
  PageServer server({{"GET /v1/models", {200, R"({"data":[{"id":"tiny","owned_by":"llamacpp"}]})"}},
                     {"GET /metrics", {501, R"({"error":{"message":"not enabled"}})"}},
                     {"POST /v1/completions", stream(4)},
                     {"POST /tokenize", {200, R"({"tokens":[1,5,9]})"}}});
  const ProbeQuestion question{.root = server.url()};
  const auto engine = probe_engine(question);
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.metrics_note, "llama-server was started without --metrics");
  EXPECT_EQ(count_tokens(*engine, question, "Hi there"), 3);
}

TEST(ProbeEngine, AnEngineMayHaveItsCountersElsewhere) {
  PageServer server(
      {{"GET /v1/models", {200, R"({"data":[{"id":"m","owned_by":"tensorrt_llm"}]})"}},
       {"GET /metrics", {200, "[]"}},
       {"GET /prometheus/metrics",
        {200,
         "trtllm_generation_tokens_total 5\n"
         "trtllm_parallel_config_info{tp_size=\"4\"} 1\n",
         "text/plain"}},
       {"POST /v1/completions", stream(4)}});
  const auto engine = probe_engine({.root = server.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.kind, "trtllm");
  EXPECT_EQ(engine->info.metrics_url, server.url("/prometheus/metrics").text());
  ASSERT_EQ(engine->info.counters.size(), 1u);
  EXPECT_EQ(engine->info.counters[0].clock, CounterClock::at_finish);
  EXPECT_EQ(engine->info.configuration.at("tensor_parallel_size").json, "4");
  EXPECT_FALSE(engine->info.limits.empty());
}

TEST(ProbeEngine, AnEngineThatDoesNotSayWhoItIsIsAskedFurther) {
  PageServer server({{"GET /v1/models", {200, R"({"data":[{"id":"m","owned_by":"library"}]})"}},
                     {"GET /api/version", {200, R"({"version":"0.33.0"})"}},
                     {"POST /v1/chat/completions", stream(9)}});
  const auto engine = probe_engine({.root = server.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.kind, "ollama");
  EXPECT_EQ(engine->info.version, "0.33.0");
  EXPECT_EQ(engine->endpoint, EndpointKind::chat);
  EXPECT_EQ(engine->info.metrics_note, "Ollama has no metrics page");
  EXPECT_EQ(server.requests().find(R"("ignore_eos")"), std::string::npos);
}

TEST(ProbeEngine, AnEngineThatSaysWhoItIsIsNotAskedForOthersPages) {
  PageServer server(vllm_pages());
  ASSERT_TRUE(probe_engine({.root = server.url()}).has_value());
  EXPECT_EQ(server.requests().find("/info"), std::string::npos);
  EXPECT_EQ(server.requests().find("/openapi.json"), std::string::npos);
}

TEST(ProbeEngine, SglangWithoutMetricsSaysHowToGetThem) {
  PageServer server({{"GET /v1/models", {200, R"({"data":[{"id":"m","owned_by":"sglang"}]})"}},
                     {"GET /server_info", {200, R"({"version":"0.5.18","tp_size":2})"}},
                     {"POST /v1/completions", stream(4)}});
  const auto engine = probe_engine({.root = server.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.metrics_note, "SGLang was started without --enable-metrics");
  EXPECT_EQ(engine->info.version, "0.5.18");
  EXPECT_TRUE(engine->info.token_id_prompts);
}

TEST(ProbeEngine, ACutMetricsPageIsNotTaken) {
  Pages pages = vllm_pages();
  pages["GET /metrics"].body = "vllm:generation_tokens_total{engine=\"0\"} 5\nvllm:prompt_tok";
  PageServer server(pages);
  const auto engine = probe_engine({.root = server.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.metrics_note, "the metrics page is cut off");
  EXPECT_TRUE(engine->info.counters.empty());
}

TEST(CountTokens, AsksTheEngine) {
  PageServer server(vllm_pages());
  const ProbeQuestion question{.root = server.url()};
  const auto engine = probe_engine(question);
  ASSERT_TRUE(engine.has_value());
  EXPECT_EQ(count_tokens(*engine, question, "Hi there"), 3);
  EXPECT_NE(server.requests().find(R"({"model":"big","prompt":"Hi there"})"), std::string::npos);
  ProbedEngine other = *engine;
  other.info.kind = "openai";
  EXPECT_EQ(count_tokens(other, question, "Hi").error().kind, ErrorKind::missing);
}

TEST(CountTokens, LlamaCppPythonHasAPageOfItsOwn) {
  PageServer server({{"POST /extras/tokenize/count", {200, R"({"count":4})"}}});
  ProbedEngine engine;
  engine.info.kind = "llama-cpp-python";
  EXPECT_EQ(count_tokens(engine, {.root = server.url()}, "Hi there"), 4);
  EXPECT_NE(server.requests().find(R"({"input":"Hi there"})"), std::string::npos);
}

TEST(TrialAnswerIn, TakesUsageChoicesAndErrorsOutOfAStream) {
  const TrialAnswer good = trial_answer_in(stream(4).body);
  EXPECT_TRUE(good.has_choices);
  EXPECT_EQ(good.prompt_tokens, 4);
  EXPECT_EQ(good.error, "");
  EXPECT_EQ(trial_answer_in("data:{\"error\":\"bad\"}\r\n\r\n").error, "bad");
  EXPECT_FALSE(trial_answer_in("").has_choices);
}

}  // namespace
}  // namespace tokenjoule
