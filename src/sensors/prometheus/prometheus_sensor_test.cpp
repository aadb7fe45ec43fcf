#include "sensors/prometheus/prometheus_sensor.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "io/testing_server.hpp"
#include "sensors/prometheus/prometheus_samples.hpp"

namespace tokenjoule {
namespace {

using Settings = std::map<std::string, std::string>;

std::string get(const std::string& expression) { return "GET " + promql_path(expression); }

PageServer::Page result(const std::string& type, const std::string& json) {
  return {200,
          R"({"status":"success","data":{"resultType":")" + type + R"(","result":)" + json + "}}",
          "application/json"};
}
PageServer::Page matrix(const std::string& series) { return result("matrix", "[" + series + "]"); }
PageServer::Page clock_at(const std::string& unix_s) {
  return result("scalar", "[" + unix_s + ",\"" + unix_s + "\"]");
}
const PageServer::Page kParseError = {
    400, R"({"status":"error","errorType":"bad_data","error":"parse error"})", "application/json"};

std::string gpu(const std::string& number, const std::string& values) {
  return R"({"metric":{"__name__":"p","gpu":")" + number + R"("},"values":[)" + values + "]}";
}

Result<std::unique_ptr<Sensor>> open_at(const PageServer& server, const Settings& more,
                                        Clock& clock) {
  Settings settings = {
      {"url", server.url("").text()}, {"query", "p"}, {"unit", "W"}, {"boundary", "node_ac"}};
  for (const auto& [key, value] : more) settings[key] = value;
  return open_prometheus({"prometheus", std::move(settings)}, clock);
}

/// All samples of one due poll.
std::vector<Sample> due_samples(Sensor& sensor, FakeClock& clock) {
  clock.advance(whole_seconds(1));
  std::vector<Sample> samples;
  do {
    const auto sample = sensor.poll(clock);
    if (!sample) break;
    if (!sample->readings.empty()) samples.push_back(*sample);
  } while (sensor.has_more());
  return samples;
}

TEST(PrometheusSensor, EachLabelSetIsADeviceAndEachSampleHasItsOwnStamp) {
  PageServer server({{get("p[5m]"), matrix(gpu("0", "[970,\"1\"],[985,\"2\"],[1000,\"3\"]") + "," +
                                           gpu("1", "[1000,\"7\"]"))},
                     {get("time()"), clock_at("1010")}});
  FakeClock clock;  // 0 on ours is 1010 on Prometheus's
  auto sensor = open_at(server, {{"device_label", "gpu"}, {"group", "decode"}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const SensorContents& contents = (*sensor)->contents();
  ASSERT_EQ(contents.devices.size(), 2u);
  EXPECT_EQ(contents.devices[1].id, "1");
  EXPECT_EQ(contents.devices[1].group, "decode");
  EXPECT_EQ(contents.devices[1].kind, DeviceKind::node);
  EXPECT_EQ(contents.signals.at(0).period, Seconds(15)) << "how often its target is scraped";
  server.set(get("p[2m]"), matrix(gpu("0", "[1000,\"3\"],[1015,\"4\"]") + "," +
                                  gpu("1", "[1000,\"7\"],[1015,\"8\"]")));
  const auto samples = due_samples(**sensor, clock);
  ASSERT_EQ(samples.size(), 1u);
  // 1015 of Prometheus is 5 s on our clock; but now is 1 s, and no reading is of the future.
  EXPECT_EQ(samples[0].read.end, MonoTime{} + whole_seconds(1));
  ASSERT_EQ(samples[0].readings.size(), 2u);
  EXPECT_EQ(samples[0].readings[0].raw, 4);
  EXPECT_EQ(samples[0].readings[1].raw, 8);
}

TEST(PrometheusSensor, AnUnchangedStampGivesNoNewReading) {
  PageServer server({{get("p[5m]"), matrix(gpu("0", "[1000,\"3\"]"))},
                     {get("p[2m]"), matrix(gpu("0", "[1000,\"3\"]"))},
                     {get("time()"), clock_at("1000")}});
  FakeClock clock;
  auto sensor = open_at(server, {}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_TRUE(due_samples(**sensor, clock).empty());
  // The same value with a new stamp is a new reading; two that were scraped meanwhile both count.
  server.set(get("p[2m]"), matrix(gpu("0", "[1000,\"3\"],[1000.5,\"3\"],[1001,\"5\"]")));
  const auto samples = due_samples(**sensor, clock);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].read.begin, MonoTime{} + milliseconds(500));
  EXPECT_EQ(samples[1].read.begin, MonoTime{} + whole_seconds(1));
  EXPECT_EQ(samples[1].readings.at(0).raw, 5);
}

TEST(PrometheusSensor, NaNIsAbsentANegativeValueALossAndAWarningIsKept) {
  PageServer server(
      {{get("p[5m]"), matrix(gpu("0", "[1000,\"3\"]"))}, {get("time()"), clock_at("1000")}});
  FakeClock clock;
  auto sensor = open_at(server, {}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  PageServer::Page page = matrix(gpu("0", "[1000.2,\"NaN\"],[1000.4,\"-1\"]"));
  page.body.insert(page.body.size() - 1, R"(,"warnings":["a shard is down"])");
  server.set(get("p[2m]"), page);
  EXPECT_TRUE(due_samples(**sensor, clock).empty());
  const auto losses = (*sensor)->take_losses();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_NE(losses[0].reason.find("a shard is down"), std::string::npos);
  EXPECT_NE(losses[1].reason.find("negative"), std::string::npos);
}

TEST(PrometheusSensor, AnExpressionHasTheStampOfTheQueryAndSaysSo) {
  const auto sum = [](const std::string& stamp, const std::string& value) {
    return result("vector", R"([{"metric":{},"value":[)" + stamp + ",\"" + value + "\"]}]");
  };
  PageServer server({{get("sum(p)[5m]"), kParseError},
                     {get("sum(p)"), sum("1000", "30")},
                     {get("time()"), clock_at("1000")}});
  FakeClock clock;
  auto sensor = open_at(server, {{"query", "sum(p)"}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().devices.at(0).id, "sum(p)");
  EXPECT_EQ((*sensor)->contents().devices[0].facts.at("stamps"), "of the query");
  server.set(get("sum(p)"), sum("1001", "31"));
  const auto samples = due_samples(**sensor, clock);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].readings.at(0).raw, 31);
}

TEST(PrometheusSensor, TwoSeriesOfOneDeviceAreRefused) {
  // One exporter scraped by two jobs.
  PageServer server(
      {{get("p[5m]"), matrix(R"({"metric":{"UUID":"GPU-a","job":"x"},"values":[[1,"3"]]},)"
                             R"({"metric":{"UUID":"GPU-a","job":"y"},"values":[[1,"3"]]})")},
       {get("time()"), clock_at("1")}});
  FakeClock clock;
  const auto sensor = open_at(server, {{"device_label", "UUID"}}, clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("another series"), std::string::npos);
  EXPECT_FALSE(open_at(server, {}, clock).has_value()) << "job tells no devices apart by itself";
  EXPECT_TRUE(open_at(server, {{"device_label", "UUID+job"}}, clock).has_value());
  EXPECT_EQ(open_at(server, {{"device_label", "instance"}}, clock).error().kind,
            ErrorKind::missing);
}

TEST(PrometheusSensor, SeriesThatVanishAreTriedAgain) {
  PageServer server({{get("p[5m]"), matrix(gpu("0", "[1000,\"3\"]"))},
                     {get("p[2m]"), matrix("")},
                     {get("time()"), clock_at("1000")}});
  FakeClock clock;
  auto sensor = open_at(server, {}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  clock.advance(whole_seconds(1));
  EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::retry);
  server.set(get("p[2m]"), {500, "no JSON", "text/plain"});
  clock.advance(whole_seconds(1));
  EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::retry);
  server.set(get("p[2m]"), matrix(gpu("0", "[1003,\"4\"]")));
  EXPECT_EQ(due_samples(**sensor, clock).size(), 1u);
}

TEST(PrometheusSensor, SecretsComeByReferenceAndAreSent) {
  PageServer server(
      {{get("p[5m]"), matrix(gpu("0", "[1,\"3\"]"))}, {get("time()"), clock_at("1")}});
  setenv("TOKENJOULE_TEST_PROMETHEUS", "s3cret", 1);
  FakeClock clock;
  EXPECT_TRUE(open_at(server, {{"bearer_env", "TOKENJOULE_TEST_PROMETHEUS"}}, clock).has_value());
  EXPECT_NE(server.requests().find("Authorization: Bearer s3cret"), std::string::npos);
  EXPECT_TRUE(
      open_at(server, {{"user", "me"}, {"password_env", "TOKENJOULE_TEST_PROMETHEUS"}}, clock)
          .has_value());
  EXPECT_NE(server.requests().find("Authorization: Basic bWU6czNjcmV0"), std::string::npos);
  for (const Settings& bad :
       {Settings{{"user", "me"}}, Settings{{"password_env", "TOKENJOULE_TEST_PROMETHEUS"}},
        Settings{{"bearer_env", "TOKENJOULE_TEST_NOT_SET"}},
        Settings{{"bearer_env", "TOKENJOULE_TEST_PROMETHEUS"}, {"user", "me"}},
        Settings{{"url", "http://me:s3cret@127.0.0.1:9090"}}}) {
    const auto sensor = open_at(server, bad, clock);
    ASSERT_FALSE(sensor.has_value());
    EXPECT_EQ(sensor.error().kind, ErrorKind::usage);
    EXPECT_EQ(sensor.error().message.find("s3cret"), std::string::npos);
  }
  unsetenv("TOKENJOULE_TEST_PROMETHEUS");
}

TEST(PrometheusSensor, UnitBoundaryAndKindAreStatedAndNeverAssumed) {
  const Settings good = {{"url", "h:9090"},
                         {"query", "e"},
                         {"unit", "kWh"},
                         {"boundary", "rack"},
                         {"kind", "counter"}};
  const auto settings = prometheus_settings_in({"prometheus", good});
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  EXPECT_EQ(settings->kind, SignalKind::counter);
  EXPECT_EQ(settings->unit.to_si, 3.6e6);
  for (const auto& [key, value] : Settings{{"unit", ""},
                                           {"boundary", "node"},
                                           {"kind", ""},
                                           {"query", " "},
                                           {"insecure", "perhaps"},
                                           {"timeout", "1h"},
                                           {"period", "1ms"}}) {
    Settings bad = good;
    bad[key] = value;
    EXPECT_EQ(prometheus_settings_in({"prometheus", bad}).error().kind, ErrorKind::usage) << key;
  }
  Settings gauge = good;
  gauge["kind"] = "gauge";
  EXPECT_EQ(prometheus_settings_in({"prometheus", gauge}).error().kind, ErrorKind::usage);
  gauge["unit"] = "W";
  EXPECT_EQ(prometheus_settings_in({"prometheus", gauge})->kind, SignalKind::gauge);
}

TEST(PrometheusSensor, RatesAndIncreasesAreRefusedSinceTheyExtrapolate) {
  const auto settings = prometheus_settings_in({"prometheus",
                                                {{"url", "h:9090"},
                                                 {"query", "sum(increase(e[1m]))"},
                                                 {"unit", "J"},
                                                 {"boundary", "rack"},
                                                 {"kind", "counter"}}});
  ASSERT_FALSE(settings.has_value());
  EXPECT_NE(settings.error().message.find("increase()"), std::string::npos);
}

TEST(PrometheusSensor, WhatCannotBeUsedIsAnErrorThatSaysWhy) {
  PageServer server({{get("p[5m]"), kParseError},
                     {get("p"), kParseError},
                     {get("none[5m]"), matrix("")},
                     {get("closed[5m]"), {401, "", "text/plain"}}});
  FakeClock clock;
  EXPECT_EQ(open_at(server, {}, clock).error().kind, ErrorKind::usage);
  const auto none = open_at(server, {{"query", "none"}}, clock);
  EXPECT_EQ(none.error().kind, ErrorKind::missing);
  EXPECT_NE(none.error().message.find("gives no number"), std::string::npos);
  const auto closed = open_at(server, {{"query", "closed"}}, clock);
  EXPECT_EQ(closed.error().kind, ErrorKind::missing);
  EXPECT_NE(closed.error().hint.find("bearer_env"), std::string::npos);
}

TEST(ServerClock, CarriesStampsOverByHalfTheExchange) {
  // Asked from 2.0 s to 2.2 s on our clock, when Prometheus had 100 s.
  const ServerClock clock{{MonoTime{} + whole_seconds(2), MonoTime{} + milliseconds(2200)}, 100};
  const TimeSpan span = clock.span_of(99.5);
  EXPECT_EQ(span.begin, MonoTime{} + milliseconds(1500));  // 2.1 - 0.5 - 0.1
  EXPECT_EQ(span.end, MonoTime{} + milliseconds(1700));
}

}  // namespace
}  // namespace tokenjoule
