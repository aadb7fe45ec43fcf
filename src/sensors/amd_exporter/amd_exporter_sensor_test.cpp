#include "sensors/amd_exporter/amd_exporter_sensor.hpp"

#include <gtest/gtest.h>

#include "io/testing_server.hpp"

namespace tokenjoule {
namespace {

std::string row(const std::string& metric, const std::string& serial, const std::string& partition,
                const std::string& value) {
  return metric + "{gpu_id=\"3\",gpu_partition_id=\"" + partition +
         "\",gpu_compute_partition_type=\"CPX\",hostname=\"n7\",card_model=\"MI300X\"," +
         "serial_number=\"" + serial + "\"} " + value + "\n";
}
const std::string kEnergy = "gpu_energy_consumed";
const std::string kPower = "gpu_package_power";

Result<std::unique_ptr<Sensor>> open_on(const std::string& text, Clock& clock) {
  PageServer server({{"GET /metrics", {200, text, "text/plain"}}});
  return open_amd_exporter({"amd-exporter", {{"url", server.url().text()}}}, clock);
}

TEST(AmdExporterSensor, EnergyIsACounterOfMicrojoulesThoughItIsDeclaredAGauge) {
  FakeClock clock;
  const auto sensor =
      open_on("# TYPE gpu_energy_consumed gauge\n" + row(kEnergy, "S1", "0", "2.5e+12") +
                  row(kPower, "S1", "0", "700"),
              clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const SensorContents& contents = (*sensor)->contents();
  ASSERT_EQ(contents.signals.size(), 2u);
  EXPECT_EQ(contents.signals[0].kind, SignalKind::counter);
  EXPECT_DOUBLE_EQ(contents.signals[0].to_si * 2.5e12, 2.5e6);
  EXPECT_EQ(contents.signals[1].to_si, 1.0);
  ASSERT_EQ(contents.devices.size(), 1u);
  EXPECT_EQ(contents.devices[0].id, "S1");
  EXPECT_EQ(contents.devices[0].label, "3");
  EXPECT_EQ(contents.devices[0].name, "MI300X");
  EXPECT_EQ(contents.devices[0].facts.at("compute_partition"), "CPX");
}

TEST(AmdExporterSensor, PartitionsOfAGpuCountOnce) {
  FakeClock clock;
  const auto sensor = open_on(row(kEnergy, "S1", "0", "5e12") + row(kEnergy, "S1", "1", "0") +
                                  row(kEnergy, "S1", "2", "5e12") + row(kEnergy, "S2", "0", "7e12"),
                              clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().devices.size(), 2u);
  EXPECT_EQ((*sensor)->contents().signals.size(), 2u);
}

TEST(AmdExporterSensor, TheOddHalfOfAnMi250ThatReadsZeroIsNoDevice) {
  FakeClock clock;
  const auto sensor = open_on(row(kEnergy, "S1", "0", "5e12") + row(kPower, "S1", "0", "400") +
                                  row(kEnergy, "S2", "0", "0") + row(kPower, "S2", "0", "0"),
                              clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  ASSERT_EQ((*sensor)->contents().devices.size(), 1u);
  EXPECT_EQ((*sensor)->contents().devices[0].id, "S1");
}

TEST(AmdExporterSensor, APowerOfZeroIsAbsentAndSoIsOneThatIsSuppressed) {
  FakeClock clock;
  // The first poll of an MI350X gave 0, and its exporter then drops the series.
  const auto sensor = open_on(row(kEnergy, "S1", "0", "5e12") + row(kPower, "S1", "0", "0"), clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_EQ((*sensor)->contents().signals[0].measurand, Measurand::energy);
}

TEST(AmdExporterSensor, AveragedAndMomentaryPowerAreTwoSignals) {
  FakeClock clock;
  const auto sensor = open_on(
      row(kPower, "S1", "0", "700") + row("gpu_average_package_power", "S1", "0", "690"), clock);
  ASSERT_TRUE(sensor.has_value());
  ASSERT_EQ((*sensor)->contents().signals.size(), 2u);
  EXPECT_NE((*sensor)->contents().signals[0].source, (*sensor)->contents().signals[1].source);
}

TEST(AmdExporterSensor, AnotherPageIsRefusedWithTheFieldsThatItMustHave) {
  FakeClock clock;
  const auto sensor = open_on("up 1\n", clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().hint.find("GPU_ENERGY_CONSUMED"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
