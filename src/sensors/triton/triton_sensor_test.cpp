#include "sensors/triton/triton_sensor.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "io/testing_server.hpp"

namespace tokenjoule {
namespace {

PageServer::Page page(const std::string& text) { return {200, text, "text/plain"}; }

TEST(TritonSensor, ReadsJoulesAndWattsOfEachGpuByItsUuid) {
  PageServer server({{"GET /metrics", page("# TYPE nv_energy_consumption counter\n"
                                           "nv_energy_consumption{gpu_uuid=\"GPU-a\"} 184213.774\n"
                                           "nv_gpu_power_usage{gpu_uuid=\"GPU-a\"} 512.25\n"
                                           "nv_gpu_power_limit{gpu_uuid=\"GPU-a\"} 700\n"
                                           "nv_gpu_utilization{gpu_uuid=\"GPU-a\"} 0.5\n"
                                           "nv_inference_count{model=\"m\"} 7\n")}});
  FakeClock clock;
  auto sensor = open_triton({"triton", {{"url", server.url().text()}}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const SensorContents& contents = (*sensor)->contents();
  ASSERT_EQ(contents.devices.size(), 1u);
  EXPECT_EQ(contents.devices[0].id, "GPU-a");
  EXPECT_EQ(contents.devices[0].kind, DeviceKind::gpu);
  ASSERT_EQ(contents.signals.size(), 4u);
  EXPECT_EQ(contents.signals[0].measurand, Measurand::energy);
  EXPECT_EQ(contents.signals[0].kind, SignalKind::counter);
  EXPECT_EQ(contents.signals[0].to_si, 1.0) << "joules, not millijoules";
  EXPECT_EQ((*sensor)->poll(clock)->readings.at(0).raw, 184213.774);
}

TEST(TritonSensor, AFreshServersCounterOfZeroIsACounter) {
  PageServer server({{"GET /metrics", page("nv_energy_consumption{gpu_uuid=\"GPU-a\"} 0\n"
                                           "nv_gpu_power_usage{gpu_uuid=\"GPU-a\"} 0\n")}});
  FakeClock clock;
  const auto sensor = open_triton({"triton", {{"url", server.url().text()}}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().signals.size(), 1u) << "0 W is what it writes after an error";
}

TEST(TritonSensor, AServerWithoutGpuMetricsSaysWhatToTurnOn) {
  PageServer server({{"GET /metrics", page("nv_inference_count{model=\"m\"} 7\n")}});
  FakeClock clock;
  const auto sensor = open_triton({"triton", {{"url", server.url().text()}}}, clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_NE(sensor.error().hint.find("--allow-gpu-metrics"), std::string::npos);
}

TEST(TritonPageFile, APageOfTriton2607GivesBothItsGpus) {
  std::ifstream file(TOKENJOULE_SOURCE_DIR "/../shared/data/metrics/triton-26.07-trtllm.prom");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) GTEST_SKIP() << "the sample page of Triton is not on this machine";
  PageServer server({{"GET /metrics", page(text)}});
  FakeClock clock;
  const auto sensor = open_triton({"triton", {{"url", server.url().text()}}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  ASSERT_EQ((*sensor)->contents().devices.size(), 2u);
  const auto sample = (*sensor)->poll(clock);
  EXPECT_DOUBLE_EQ(sample->readings.at(0).raw, 184213.774);
}

}  // namespace
}  // namespace tokenjoule
