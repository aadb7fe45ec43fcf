#include "app/measure_setup.hpp"

#include <gtest/gtest.h>

#include "io/testing_server.hpp"

namespace tokenjoule {
namespace {

std::map<std::string, PageServer::Page> llama_cpp_python_pages() {
  const std::string stream =
      "data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\ndata: [DONE]\n\n";
  return {{"GET /v1/models", {200, R"({"data":[{"id":"tiny","owned_by":"me"}]})"}},
          {"GET /openapi.json",
           {200, R"({"info":{"title":"llama.cpp Python API","version":"0.3.36"},"paths":{}})"}},
          {"POST /v1/chat/completions", {200, stream, "text/event-stream"}}};
}

TEST(OpenSensors, OfThoseAskedForTheFirstThatFailsIsTheError) {
  SystemClock clock;
  MeasureOptions options;
  const SensorSpec model{"cpu-model", {{"watts_per_core", "1"}}};
  options.sensors = {model, {"exec", {}}};
  EXPECT_FALSE(open_sensors(options, {}, clock).has_value());
  options.sensors = {model};
  const auto opened = open_sensors(options, {}, clock);
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(opened->sensors.size(), 1u);
}

TEST(OpenSensors, ThoseThatWouldCountAGpuTwiceAreRefused) {
  PageServer server(
      {{"GET /energy_metrics", {200, R"({"total_energy_j": 5, "query_time": 1})"}},
       {"GET /metrics", {200, "nv_energy_consumption{gpu_uuid=\"GPU-a\"} 5\n", "text/plain"}}});
  SystemClock clock;
  MeasureOptions options;
  options.all_gpus = true;
  options.sensors = {{"trtllm", {{"url", server.url("").text()}}},
                     {"triton", {{"url", server.url().text()}}}};
  const auto opened = open_sensors(options, {}, clock);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().kind, ErrorKind::usage);
  EXPECT_NE(opened.error().message.find("twice"), std::string::npos) << opened.error().message;
}

TEST(ReachEngine, OneThatBreaksOffARequestForTheNextIsNotAskedForTwoAtATime) {
  PageServer server(llama_cpp_python_pages());
  MeasureOptions options;
  options.url = server.url();
  options.points = {{.concurrency = 1}, {.concurrency = 2}};
  const auto engine = reach_engine(options, probe_question_of(options).value());
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().kind, ErrorKind::usage);
  EXPECT_NE(engine.error().message.find("-c 2"), std::string::npos) << engine.error().message;
}

TEST(ReachEngine, APresetIsToldWithoutAnOptionThatNobodyGave) {
  PageServer server(llama_cpp_python_pages());
  MeasureOptions options;
  options.url = server.url();
  options.dialect = "openai";
  options.preset = "inferencex-1k1k";
  options.ignore_eos = true;  // of the preset
  const auto engine = reach_engine(options, probe_question_of(options).value());
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().message.find("--ignore-eos"), std::string::npos);
  EXPECT_EQ(engine.error().message.rfind("--preset inferencex-1k1k needs", 0), 0U)
      << engine.error().message;
}

TEST(ReachEngine, SaysBeforehandWhatTheEngineCannotDo) {
  PageServer server(llama_cpp_python_pages());
  MeasureOptions options;
  options.url = server.url();
  const auto engine = reach_engine(options, probe_question_of(options).value());
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(engine->info.kind, "llama-cpp-python");
  EXPECT_NE(plan_text(options, *engine, {}).find("it sends no usage in streams"),
            std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
