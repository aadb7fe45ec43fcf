#include "load/metrics_probe.hpp"

#include <gtest/gtest.h>

#include "io/testing_server.hpp"

namespace tokenjoule {
namespace {

constexpr const char* kPage =
    "vllm:generation_tokens_total 10\n"
    "vllm:prompt_tokens_total 20\n"
    "vllm:request_success_total{finished_reason=\"stop\"} 1\n";

MetricsQuestion question_of(const PageServer& server, const std::string& path = "/metrics") {
  Url page = server.url();
  page.path = path;
  return {.pages = {page}, .headers = {}, .tls = {}, .dialect = {}};
}

TEST(ProbeMetrics, TellsAnEngineByItsPagesWithoutARequestToTheModel) {
  PageServer server({{"GET /metrics", {200, kPage, "text/plain"}},
                     {"GET /version", {200, R"({"version":"0.11.0"})"}},
                     {"GET /v1/models", {200, R"({"data":[{"id":"m","owned_by":"vllm"}]})"}}});
  const auto engine = probe_metrics(question_of(server));
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.kind, "vllm");
  EXPECT_EQ(engine->info.version, "0.11.0");
  EXPECT_EQ(engine->info.model, "m");
  EXPECT_TRUE(engine->info.limits.empty());
  EXPECT_EQ(engine->info.requests.finished_label, "finished_reason");
}

TEST(ProbeMetrics, APageAloneTellsByItsNamesWhichIsSaid) {
  PageServer server({{"GET /metrics", {200, kPage, "text/plain"}}});
  const auto engine = probe_metrics(question_of(server));
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.kind, "vllm");
  ASSERT_EQ(engine->info.limits.size(), 1u);
}

TEST(ProbeMetrics, AUrlWithoutAPathIsTheEnginesUsualPage) {
  PageServer server({{"GET /metrics", {200, kPage, "text/plain"}}});
  const auto engine = probe_metrics(question_of(server, ""));
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->metrics->path, "/metrics");
}

TEST(ProbeMetrics, WhatCannotBeReadIsAnErrorWithAHint) {
  PageServer server({{"GET /metrics", {200, "some_counter 1\n", "text/plain"}}});
  for (const char* path : {"/metrics", "/nothing"}) {
    const auto engine = probe_metrics(question_of(server, path));
    ASSERT_FALSE(engine.has_value()) << path;
    EXPECT_EQ(engine.error().kind, ErrorKind::missing);
    EXPECT_FALSE(engine.error().hint.empty());
  }
  MetricsQuestion named = question_of(server);
  named.dialect = "no-such-engine";
  EXPECT_EQ(probe_metrics(named).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace tokenjoule
