#include "sensors/jetson/jetson_sensor.hpp"

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"
#include "sensors/jetson/jetson_rails.hpp"

namespace tokenjoule {
namespace {

void write_rail(const TestTree& tree, const std::string& device, int number,
                const std::string& name, const std::string& millivolts,
                const std::string& milliamperes) {
  const std::string folder = "sys/bus/i2c/drivers/ina3221/" + device + "/hwmon/hwmon3/";
  const std::string n = std::to_string(number);
  tree.write(folder + "name", "ina3221\n");
  tree.write(folder + "in" + n + "_label", name + "\n");
  tree.write(folder + "in" + n + "_input", millivolts + "\n");
  tree.write(folder + "curr" + n + "_input", milliamperes + "\n");
}

void write_orin_nx(const TestTree& tree) {
  tree.write("proc/device-tree/model", std::string("NVIDIA Jetson Orin NX\0", 22));
  write_rail(tree, "1-0040", 1, "VDD_IN", "5000", "3000");
  write_rail(tree, "1-0040", 2, "VDD_CPU_GPU_CV", "5000", "1000");
  write_rail(tree, "1-0040", 3, "VDD_SOC", "5000", "500");
  write_rail(tree, "1-0040", 7, "sum of shunt voltages", "1", "4500");
}

Result<std::unique_ptr<Sensor>> opened(const TestTree& tree, const std::string& rails = "") {
  FakeClock clock;
  SensorSpec spec{"jetson", {{"root", tree.root().string()}}};
  if (!rails.empty()) spec.settings["rails"] = rails;
  return open_jetson(spec, clock);
}

TEST(Jetson, OnlyTheModulesInputIsInTheFiguresAndItsPartsAreShownApart) {
  const TestTree tree;
  write_orin_nx(tree);
  auto sensor = opened(tree);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const SensorContents& contents = (*sensor)->contents();
  ASSERT_EQ(contents.devices.size(), 3u);
  EXPECT_EQ(contents.devices[0].id, "jetson:module");
  EXPECT_EQ(contents.devices[0].name, "NVIDIA Jetson Orin NX");
  EXPECT_TRUE(contents.devices[0].chosen);
  EXPECT_FALSE(contents.devices[1].chosen);
  EXPECT_FALSE(contents.devices[2].chosen);
  EXPECT_EQ(contents.signals[0].boundary, Boundary::gpu_module);
  FakeClock clock;
  // 5 V and 3 A are 15 W; the parts would add 7.5 W that are already in it.
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw * contents.signals[0].to_si, 15.0);
}

TEST(Jetson, OlderReleasesGiveMilliwatts) {
  const TestTree tree;
  const std::string folder = "sys/bus/i2c/drivers/ina3221x/6-0040/iio:device0/";
  tree.write(folder + "rail_name_0", "POM_5V_IN\n");
  tree.write(folder + "in_power0_input", "4200\n");
  auto sensor = opened(tree);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  FakeClock clock;
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw * 1e-6, 4.2);
}

void write_agx_orin(const TestTree& tree) {
  write_rail(tree, "1-0040", 1, "VDD_GPU_SOC", "20000", "500");
  write_rail(tree, "1-0040", 2, "VDD_CPU_CV", "20000", "250");
  write_rail(tree, "1-0040", 3, "VIN_SYS_5V0", "5000", "600");
  write_rail(tree, "1-0041", 1, "NC", "0", "0");
  write_rail(tree, "1-0041", 2, "VDDQ_VDD2_1V8AO", "5000", "200");
}

TEST(Jetson, WithoutARailOfTheWholeModuleNothingIsAddedUpUnasked) {
  const TestTree tree;
  write_agx_orin(tree);
  const auto sensor = opened(tree);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("VDD_GPU_SOC, VDD_CPU_CV, VIN_SYS_5V0, VDDQ_VDD2_1V8AO"),
            std::string::npos);
}

TEST(Jetson, RailsThatTheUserStatesAreAddedUp) {
  const TestTree tree;
  write_agx_orin(tree);
  auto sensor = opened(tree, "VDD_GPU_SOC+VDD_CPU_CV+VIN_SYS_5V0");
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  FakeClock clock;
  // 20 V x 0.5 A + 20 V x 0.25 A + 5 V x 0.6 A
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw * 1e-6, 18.0);
  EXPECT_NE((*sensor)->contents().signals[0].source.find("(stated)"), std::string::npos);
}

TEST(Jetson, AStatedSumNeverHoldsARailTwiceNorTheInputWithItsParts) {
  const TestTree tree;
  write_orin_nx(tree);
  for (const char* rails : {"VDD_IN+VDD_SOC", "VDD_SOC+VDD_SOC", "VDD_XYZ", "+"}) {
    const auto sensor = opened(tree, rails);
    ASSERT_FALSE(sensor.has_value()) << rails;
    EXPECT_EQ(sensor.error().kind, ErrorKind::usage);
  }
}

TEST(Jetson, AnUnreadableCurrentMakesThePowerAbsent) {
  const TestTree tree;
  write_orin_nx(tree);
  auto sensor = opened(tree);
  write_rail(tree, "1-0040", 1, "VDD_IN", "5000", "");
  FakeClock clock;
  EXPECT_TRUE((*sensor)->poll(clock)->readings.empty());
}

TEST(Jetson, AMachineWithoutTheMonitorIsToldSo) {
  const TestTree tree;
  EXPECT_EQ(opened(tree).error().kind, ErrorKind::missing);
  EXPECT_NE(opened(tree).error().hint.find("ina3221"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
