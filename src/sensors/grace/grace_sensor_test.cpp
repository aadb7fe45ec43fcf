#include "sensors/grace/grace_sensor.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"
#include "sensors/grace/grace_rails.hpp"

namespace tokenjoule {
namespace {

void write_rail(const TestTree& tree, const std::string& folder, const std::string& name,
                const std::string& microwatts) {
  tree.write("sys/class/hwmon/" + folder + "/power1_oem_info", name + "\n");
  tree.write("sys/class/hwmon/" + folder + "/power1_average", microwatts + "\n");
  tree.write("sys/class/hwmon/" + folder + "/power1_average_interval", "50\n");
}

void write_gh200(const TestTree& tree) {
  write_rail(tree, "hwmon1/device", "Module Power Socket 0", "700000000");
  write_rail(tree, "hwmon2/device", "Grace Power Socket 0", "150000000");
  write_rail(tree, "hwmon3/device", "CPU Power Socket 0", "100000000");
  write_rail(tree, "hwmon4/device", "SysIO Power Socket 0", "20000000");
}

Result<std::unique_ptr<Sensor>> opened(const TestTree& tree, Clock& clock,
                                       const std::string& module = "") {
  SensorSpec spec{"grace", {{"root", tree.root().string()}}};
  if (!module.empty()) spec.settings["module"] = module;
  return open_grace(spec, clock);
}

const Device& device_with(const Sensor& sensor, const std::string& id) {
  const auto& devices = sensor.contents().devices;
  return *std::find_if(devices.begin(), devices.end(),
                       [&](const Device& device) { return device.id == id; });
}

TEST(Grace, EachRailHasItsBoundaryAndTheIntervalOfItsMean) {
  const TestTree tree;
  write_gh200(tree);
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const auto& signals = (*sensor)->contents().signals;
  ASSERT_EQ(signals.size(), 4u);
  EXPECT_EQ(signals[0].boundary, Boundary::gpu_module);
  EXPECT_EQ(signals[1].boundary, Boundary::cpu_package);
  EXPECT_EQ(signals[2].boundary, Boundary::cpu_core);
  EXPECT_EQ(signals[1].device, signals[2].device);
  EXPECT_EQ(signals[1].averaging, Seconds(0.05));
  EXPECT_DOUBLE_EQ(signals[1].to_si, 1e-6);
}

TEST(Grace, TheModuleHoldsTheCpuAndIsNoPartOfFiguresUnlessAskedFor) {
  const TestTree tree;
  write_gh200(tree);
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  EXPECT_FALSE(device_with(**sensor, "module:package-0").chosen);
  EXPECT_FALSE(device_with(**sensor, "cpu:package-0:sysio").chosen);
  EXPECT_TRUE(device_with(**sensor, "cpu:package-0").chosen);
  EXPECT_TRUE(device_with(**opened(tree, clock, "yes"), "module:package-0").chosen);
  EXPECT_EQ(opened(tree, clock, "maybe").error().kind, ErrorKind::usage);
}

TEST(Grace, TheSentinelOfTheFirmwareIsAbsentAndNotFourMegawatts) {
  const TestTree tree;
  write_gh200(tree);
  write_rail(tree, "hwmon2/device", "Grace Power Socket 0", "4294967295000");
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  std::vector<Reading> readings;
  do {
    const auto sample = (*sensor)->poll(clock);
    ASSERT_TRUE(sample.has_value());
    readings.insert(readings.end(), sample->readings.begin(), sample->readings.end());
  } while ((*sensor)->has_more());
  EXPECT_EQ(readings.size(), 3u);
  EXPECT_TRUE(std::none_of(readings.begin(), readings.end(),
                           [](const Reading& reading) { return reading.signal == 1; }));
}

TEST(Grace, TwoSocketsAreTwoPackagesAndARepeatCountsOnce) {
  const TestTree tree;
  write_rail(tree, "hwmon1", "Grace Power Socket 0", "1");  // in the chip's own folder
  write_rail(tree, "hwmon2", "Grace Power Socket 1", "2");
  write_rail(tree, "hwmon3", "Total Power in uW socket 1", "3");
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().devices.size(), 2u);
  EXPECT_EQ((*sensor)->contents().signals.size(), 2u);
  const auto losses = (*sensor)->take_losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_NE(losses[0].reason.find("a repeat"), std::string::npos);
}

TEST(Grace, NamesOfOtherFirmwareAreUnderstoodAndOutputsAreNot) {
  EXPECT_EQ(grace_rail_in("CPU Rail Input Power in uW socket 1")->rail, GraceRail::cores);
  EXPECT_EQ(grace_rail_in("CPU Rail Input Power in uW socket 1")->socket, 1);
  EXPECT_EQ(grace_rail_in("SOC Rail Power in uW socket 0")->rail, GraceRail::sysio);
  EXPECT_EQ(grace_rail_in("DRAM Power socket 0")->rail, GraceRail::dram);
  for (const char* name :
       {"CPU Rail Output Power in uW socket 0", "Total CPU Energy In uJ socket 0",
        "Module Socket A", "Grace Power", ""}) {
    EXPECT_FALSE(grace_rail_in(name).has_value()) << name;
  }
}

TEST(Grace, PowerMetersOfOtherMachinesAreNotTakenForGrace) {
  const TestTree tree;
  write_rail(tree, "hwmon0/device", "Dell PSU 1", "400000000");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("Dell PSU 1"), std::string::npos);
  const TestTree empty;
  EXPECT_NE(opened(empty, clock).error().hint.find("force_cap_on"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
