#include "sensors/trtllm/trtllm_sensor.hpp"

#include <gtest/gtest.h>

#include "io/testing_server.hpp"
#include "model/containment.hpp"

namespace tokenjoule {
namespace {

const std::string kPath = "GET /energy_metrics";
PageServer::Page energy(const std::string& joules, const std::string& time) {
  return {200, R"({"total_energy_j": )" + joules + R"(, "query_time": )" + time + "}",
          "application/json"};
}

TEST(TrtllmEnergyIn, TakesBothNumbersOrNothing) {
  const auto good = trtllm_energy_in(R"({"total_energy_j": 1234.5, "query_time": 17.25})");
  ASSERT_TRUE(good.has_value());
  EXPECT_EQ(good->joules, 1234.5);
  EXPECT_EQ(good->server_s, 17.25);
  for (const char* bad :
       {"", "[]", R"({"total_energy_j": 5})", R"({"total_energy_j": null, "query_time": 1})",
        R"({"total_energy_j": "5", "query_time": 1})", R"({"total_energy_j": -1, "query_time": 1})",
        R"({"total_energy_j": NaN, "query_time": 1})"}) {
    EXPECT_EQ(trtllm_energy_in(bad).error().kind, ErrorKind::retry) << bad;
  }
}

TEST(TrtllmSensor, ReadsTheServersJoules) {
  PageServer server({{kPath, energy("100.5", "1")}});
  FakeClock clock;
  auto sensor = open_trtllm({"trtllm", {{"url", server.url("").text()}}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const SensorContents& contents = (*sensor)->contents();
  EXPECT_EQ(contents.devices.at(0).kind, DeviceKind::gpu);
  EXPECT_EQ(contents.devices[0].facts.count(kSumOfGpusFact), 1u);
  EXPECT_EQ(contents.signals.at(0).kind, SignalKind::counter);
  EXPECT_EQ(contents.signals[0].raw_unit, "J");
  EXPECT_EQ((*sensor)->poll(clock)->readings.at(0).raw, 100.5);
}

TEST(TrtllmSensor, AnAnswerThatWasMadeBeforeIsNoNewReading) {
  PageServer server({{kPath, energy("100", "1")}});
  FakeClock clock;
  auto sensor = open_trtllm({"trtllm", {{"url", server.url("").text()}}}, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 1u);
  EXPECT_TRUE((*sensor)->poll(clock)->readings.empty());
  server.set(kPath, energy("100", "2"));
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 1u);
}

TEST(TrtllmSensor, AServerThatDoesNotMeasureSaysWhatToTurnOn) {
  PageServer server({{kPath, {503, "{}", "application/json"}}});
  FakeClock clock;
  for (const std::string& url : {server.url("").text(), server.url("/nothing").text()}) {
    const auto sensor = open_trtllm({"trtllm", {{"url", url}}}, clock);
    ASSERT_FALSE(sensor.has_value());
    EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
    EXPECT_NE(sensor.error().hint.find("enable_energy_metrics"), std::string::npos);
  }
}

}  // namespace
}  // namespace tokenjoule
