#include <gtest/gtest.h>

#include "io/testing_server.hpp"
#include "io/testing_tls.hpp"
#include "load/engine_probe.hpp"

// Several servers probed as one engine, and servers behind TLS or a redirect.

namespace tokenjoule {
namespace {

using Pages = std::map<std::string, PageServer::Page>;

Pages vllm_pages(const std::string& model = "m", const std::string& version = "0.26.0") {
  return {{"GET /v1/models",
           {200, R"({"data":[{"id":")" + model + R"(","owned_by":"vllm","max_model_len":4096}]})"}},
          {"GET /version", {200, R"({"version":")" + version + R"("})"}},
          {"GET /metrics", {200, "vllm:generation_tokens_total{engine=\"0\"} 5\n", "text/plain"}},
          {"POST /v1/completions",
           {200,
            "data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\ndata: {\"choices\":[],\"usage\":"
            "{\"prompt_tokens\":4,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
            "text/event-stream"}}};
}

TEST(ProbeEngines, SeveralAlikeAreOneEngineWithThePagesOfAll) {
  PageServer first(vllm_pages());
  PageServer second(vllm_pages("m", "0.27.0"));
  const auto engine = probe_engines({.root = first.url()}, {second.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.url, first.url().text() + "," + second.url().text());
  EXPECT_EQ(engine->info.version, "0.26.0,0.27.0");
  EXPECT_EQ(engine->info.metrics_url,
            first.url("/metrics").text() + "," + second.url("/metrics").text());
  ASSERT_EQ(engine->further_metrics.size(), 1U);
  EXPECT_EQ(engine->further_metrics[0].url.text(), second.url("/metrics").text());
}

TEST(ProbeEngines, ServersOfDifferentModelsAreRefused) {
  PageServer first(vllm_pages());
  PageServer second(vllm_pages("other"));
  const auto engine = probe_engines({.root = first.url()}, {second.url()});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().kind, ErrorKind::missing);
  EXPECT_EQ(engine.error().message.find(second.url().text() + ": the engine has no model \"m\""),
            0U)
      << engine.error().message;
}

Pages with_models(const std::string& more) {
  Pages pages = vllm_pages();
  pages["GET /v1/models"].body = R"({"data":[{"id":"m","owned_by":"vllm")" + more + "}]}";
  return pages;
}

TEST(ProbeEngines, ASettingInWhichTheyDifferIsUnknown) {
  PageServer first(with_models(R"(,"root":"org/a")"));
  PageServer second(with_models(R"(,"root":"org/b")"));
  const auto engine = probe_engines({.root = first.url()}, {second.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.configuration.count("model_root"), 0U);
}

TEST(ProbeEngines, TheShortestContextCountsWithTheServerThatHasIt) {
  PageServer first(with_models(R"(,"max_model_len":4096)"));
  PageServer second(with_models(R"(,"max_model_len":2048)"));
  PageServer third(with_models(R"(,"max_model_len":8192)"));
  PageServer silent(with_models(""));
  const std::vector<std::vector<Url>> orders = {{first.url(), second.url(), third.url()},
                                                {second.url(), third.url(), first.url()},
                                                {third.url(), silent.url(), second.url()},
                                                {silent.url(), second.url(), silent.url()}};
  for (const auto& urls : orders) {
    const auto engine = probe_engines({.root = urls[0]}, {urls[1], urls[2]});
    ASSERT_TRUE(engine.has_value()) << engine.error().message;
    EXPECT_EQ(context_of(engine->info), 2048);
    EXPECT_EQ(engine->info.configuration.at("max_model_len").from, "reported");
    EXPECT_EQ(engine->shortest_context_url, second.url().text());
    ASSERT_FALSE(engine->info.limits.empty());
    EXPECT_NE(engine->info.limits.back().find(second.url().text() + " takes 2048 tokens"),
              std::string::npos)
        << engine->info.limits.back();
  }
}

TEST(ProbeEngines, OneContextForAllNeedsNoWord) {
  PageServer first(vllm_pages());
  PageServer second(vllm_pages());
  const auto engine = probe_engines({.root = first.url()}, {second.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(context_of(engine->info), 4096);
  EXPECT_EQ(engine->shortest_context_url, "");
  EXPECT_TRUE(engine->info.limits.empty());
}

TEST(ProbeEngines, WithoutThePageOfOneThereAreNoCountersAndItSaysWhy) {
  Pages without = vllm_pages();
  without.erase("GET /metrics");
  PageServer first(vllm_pages());
  PageServer second(without);
  const auto engine = probe_engines({.root = first.url()}, {second.url()});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_FALSE(engine->metrics.has_value());
  EXPECT_TRUE(engine->info.counters.empty());
  EXPECT_EQ(engine->info.metrics_note,
            second.url().text() + " has none: the engine has no metrics page");
}

TEST(ProbeEngines, PagesThatAreNamedMustBeOneForEachServer) {
  PageServer first(vllm_pages());
  PageServer second(vllm_pages());
  const std::string page = first.url("/metrics").text();
  const auto engine = probe_engines({.root = first.url(), .server_metrics = page}, {second.url()});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().kind, ErrorKind::usage);
}

TEST(ProbeEngine, SpeaksTlsWithAServerThatItTrusts) {
  PageServer server(vllm_pages());
  const TestCertificate identity = make_certificate();
  const TlsFront front(server.url().port, identity);
  const Url root = url_in(front.url()).value();
  const auto engine = probe_engine({.root = root, .tls = {.ca_file = identity.file()}});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.url, front.url());
  EXPECT_EQ(engine->info.counters.size(), 1U);
  const auto distrusted = probe_engine({.root = root});
  ASSERT_FALSE(distrusted.has_value());
  EXPECT_NE(distrusted.error().message.find("self-signed"), std::string::npos)
      << distrusted.error().message;
  EXPECT_NE(distrusted.error().hint.find("--cacert"), std::string::npos);
}

TEST(ProbeEngine, ARedirectSaysWhereItLeads) {
  SocketServer server([](SocketServer& self, int socket) {
    if (self.next_request(socket).empty()) return;
    SocketServer::reply(socket,
                        "HTTP/1.1 308 No\r\nLocation: https://there:1/v1/models\r\n"
                        "Connection: close\r\nContent-Length: 0\r\n\r\n");
  });
  const auto engine = probe_engine({.root = server.url("")});
  ASSERT_FALSE(engine.has_value());
  EXPECT_NE(engine.error().message.find("https://there:1/v1/models"), std::string::npos)
      << engine.error().message;
  EXPECT_EQ(engine.error().hint, "--url https://there:1");
}

}  // namespace
}  // namespace tokenjoule
