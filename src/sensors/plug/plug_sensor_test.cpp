#include "sensors/plug/plug_sensor.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "io/testing_server.hpp"

namespace tokenjoule {
namespace {

const std::string kSwitch = "GET /rpc/Switch.GetStatus?id=0";
const std::string kTasmotaPage = "GET /cm?cmnd=Status%208";
const std::string kTasmotaNet = "GET /cm?cmnd=Status%205";

PageServer::Page shelly_2() { return {200, R"({"gen":2,"mac":"AABBCC","model":"SNPL"})"}; }
PageServer::Page shelly_1() { return {200, R"({"type":"SHPLG-S","mac":"5CCF7F"})"}; }
PageServer::Page tasmota_net() { return {200, R"({"StatusNET":{"Mac":"5C:CF:7F:01"}})"}; }
PageServer::Page tasmota(const std::string& energy) {
  return {200, "{\"StatusSNS\":{\"ENERGY\":{" + energy + "}}}"};
}
PageServer::Page meter(int uptime, int total) {
  return {200, "{\"uptime\":" + std::to_string(uptime) +
                   ",\"meters\":[{\"power\":80,\"is_valid\":true,\"total\":" +
                   std::to_string(total) + "}]}"};
}

Result<std::unique_ptr<Sensor>> opened(const PageServer& server, Clock& clock,
                                       std::map<std::string, std::string> settings = {}) {
  settings.try_emplace("url", server.url("").text());
  return open_plug({"plug", std::move(settings)}, clock);
}

Result<Sample> next_of(Sensor& sensor, FakeClock& clock) {
  clock.advance(whole_seconds(1));
  return sensor.poll(clock);
}

TEST(PlugSensor, FindsOutThatItIsAShellyOfGeneration2AndReadsIt) {
  PageServer server({{"GET /shelly", shelly_2()},
                     {kSwitch, {200, R"({"apower":412.5,"aenergy":{"total":1000.5}})"}}});
  FakeClock clock;
  auto sensor = opened(server, clock, {{"group", "g"}});
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_TRUE((*sensor)->keeps_own_pace());
  const SensorContents& contents = (*sensor)->contents();
  EXPECT_EQ(contents.devices.at(0).id, "plug:aabbcc/0");
  EXPECT_EQ(contents.devices[0].group, "g");
  ASSERT_EQ(contents.signals.size(), 2U);
  EXPECT_EQ(contents.signals[0].boundary, Boundary::node_ac);
  EXPECT_EQ(contents.signals[1].raw_unit, "Wh");
  EXPECT_EQ(contents.signals[1].to_si, 3600.0);
  const auto sample = next_of(**sensor, clock);
  ASSERT_TRUE(sample.has_value());
  ASSERT_EQ(sample->readings.size(), 2U);
  EXPECT_EQ(sample->readings[0].raw, 412.5);
  EXPECT_EQ(sample->readings[1].raw, 1000.5);
}

TEST(PlugSensor, FindsOutThatItIsATasmota) {
  PageServer server(
      {{kTasmotaNet, tasmota_net()}, {kTasmotaPage, tasmota(R"("Total":1.580,"Power":77)")}});
  FakeClock clock;
  auto sensor = opened(server, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().devices.at(0).id, "plug:5ccf7f01/0");
  EXPECT_EQ((*sensor)->contents().signals.at(1).to_si, 3.6e6);
  EXPECT_EQ(next_of(**sensor, clock)->readings.at(1).raw, 1.580);
}

TEST(PlugSensor, ACounterThatStartsAnewWithThePlugIsNotReadAnyMore) {
  PageServer server({{"GET /shelly", shelly_1()}, {"GET /status", meter(100, 5)}});
  FakeClock clock;
  auto sensor = opened(server, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ(next_of(**sensor, clock)->readings.size(), 2U);
  server.set("GET /status", meter(1, 7));  // off and on again, and higher than before by now
  EXPECT_EQ(next_of(**sensor, clock)->readings.size(), 1U);
  const auto losses = (*sensor)->take_losses();
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_NE(losses[0].reason.find("started anew"), std::string::npos);
  server.set("GET /status", meter(200, 9));
  EXPECT_EQ(next_of(**sensor, clock)->readings.size(), 1U);
}

TEST(PlugSensor, ACounterThatWasResetByHandIsNotReadAnyMore) {
  PageServer server({{kTasmotaNet, tasmota_net()},
                     {kTasmotaPage, tasmota(R"("TotalStartTime":"a","Total":1,"Power":77)")}});
  FakeClock clock;
  auto sensor = opened(server, clock);
  ASSERT_TRUE(sensor.has_value());
  server.set(kTasmotaPage, tasmota(R"("TotalStartTime":"b","Total":2,"Power":77)"));
  EXPECT_EQ(next_of(**sensor, clock)->readings.size(), 1U);
}

TEST(PlugSensor, AValueThatIsNullOnceIsAGapThatIsTold) {
  PageServer server(
      {{"GET /shelly", shelly_2()}, {kSwitch, {200, R"({"apower":5,"aenergy":{"total":1}})"}}});
  FakeClock clock;
  auto sensor = opened(server, clock);
  ASSERT_TRUE(sensor.has_value());
  server.set(kSwitch, {200, R"({"apower":null,"aenergy":{"total":1}})"});
  const auto sample = next_of(**sensor, clock);
  ASSERT_EQ(sample->readings.size(), 1U);
  EXPECT_EQ(sample->readings[0].signal, 1U);
  EXPECT_EQ((*sensor)->take_losses().size(), 1U);
}

TEST(PlugSensor, APlugThatIsGoneForAWhileIsTriedAgain) {
  PageServer server({{"GET /shelly", shelly_2()}, {kSwitch, {200, R"({"apower":5})"}}});
  FakeClock clock;
  auto sensor = opened(server, clock);
  ASSERT_TRUE(sensor.has_value());
  for (const PageServer::Page& bad :
       {PageServer::Page{503, "x"}, PageServer::Page{200, "<html>"}}) {
    server.set(kSwitch, bad);
    EXPECT_EQ(next_of(**sensor, clock).error().kind, ErrorKind::retry);
  }
  server.set(kSwitch, {200, R"({"apower":6})"});
  EXPECT_EQ(next_of(**sensor, clock)->readings.at(0).raw, 6.0);
}

TEST(PlugSensor, UserAndPasswordAreSentAndAskedFor) {
  PageServer server({{"GET /shelly", shelly_1()}, {"GET /status", {401, ""}}});
  FakeClock clock;
  setenv("TOKENJOULE_TEST_PASSWORD", "s3cret", 1);
  const auto sensor =
      opened(server, clock, {{"user", "admin"}, {"password_env", "TOKENJOULE_TEST_PASSWORD"}});
  unsetenv("TOKENJOULE_TEST_PASSWORD");
  ASSERT_FALSE(sensor.has_value());
  EXPECT_NE(sensor.error().hint.find("digest"), std::string::npos);
  EXPECT_NE(server.requests().find("Authorization: Basic YWRtaW46czNjcmV0\r\n"), std::string::npos);
}

TEST(PlugSensor, WhatIsNoPlugOrHasNoMeterIsSaid) {
  PageServer other({{"GET /shelly", {200, "{}"}}});
  PageServer bare({{"GET /shelly", shelly_2()}, {kSwitch, {200, R"({"output":true})"}}});
  FakeClock clock;
  for (const PageServer* server : {&other, &bare}) {
    const auto sensor = opened(*server, clock);
    ASSERT_FALSE(sensor.has_value());
    EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
    EXPECT_NE(sensor.error().hint, "");
  }
  for (const std::map<std::string, std::string>& bad :
       {std::map<std::string, std::string>{{"url", "http://a:b@plug"}},
        {{"url", "http://plug/status"}},
        {{"user", "u"}},
        {{"outlet", "-1"}},
        {{"boundary", "gpu_board"}}}) {
    EXPECT_EQ(opened(bare, clock, bad).error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace tokenjoule
