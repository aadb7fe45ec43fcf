#include "sensors/intel/intel_sensor.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"

namespace tokenjoule {
namespace {

const std::string kCard = "sys/class/drm/card1/device/";

void write_card(const TestTree& tree, const std::string& card, const std::string& address,
                const std::string& vendor = "0x8086") {
  const std::string device = "sys/class/drm/" + card + "/device/";
  tree.write(device + "uevent", "DRIVER=xe\nPCI_ID=8086:E20B\nPCI_SLOT_NAME=" + address + "\n");
  tree.write(device + "vendor", vendor + "\n");
  tree.write(device + "device", "0xe20b\n");
}

void write_channel(const TestTree& tree, int number, const std::string& label,
                   const std::string& energy) {
  const std::string file = kCard + "hwmon/hwmon4/energy" + std::to_string(number);
  tree.write(file + "_input", energy + "\n");
  if (!label.empty()) tree.write(file + "_label", label + "\n");
}

void write_xe(const TestTree& tree) {
  write_card(tree, "card1", "0000:03:00.0");
  tree.write(kCard + "hwmon/hwmon4/name", "xe\n");
}

Result<std::unique_ptr<Sensor>> opened(const TestTree& tree) {
  FakeClock clock;
  return open_intel({"intel", {{"root", tree.root().string()}}}, clock);
}

TEST(Intel, CardAndPackageAreTwoBoundariesOfOneGpu) {
  const TestTree tree;
  write_xe(tree);
  write_channel(tree, 1, "card", "5000000");
  write_channel(tree, 2, "pkg", "3000000");
  tree.write(kCard + "hwmon/hwmon4/power1_max", "190000000\n");
  tree.write(kCard + "hwmon/hwmon4/power2_max", "120000000\n");
  tree.write(kCard + "hwmon/hwmon4/power1_rated_max", "0\n");
  auto sensor = opened(tree);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const SensorContents& contents = (*sensor)->contents();
  ASSERT_EQ(contents.devices.size(), 1u);
  EXPECT_EQ(contents.devices[0].id, "pci:0000:03:00.0");
  EXPECT_EQ(contents.devices[0].facts.at("pci_device"), "e20b");
  ASSERT_EQ(contents.signals.size(), 4u);
  EXPECT_EQ(contents.signals[0].boundary, Boundary::gpu_board);
  EXPECT_EQ(contents.signals[0].kind, SignalKind::counter);
  EXPECT_EQ(contents.signals[0].modulus, std::nullopt);
  EXPECT_EQ(contents.signals[1].measurand, Measurand::power_limit_enforced);
  EXPECT_EQ(contents.signals[2].boundary, Boundary::chip);
  FakeClock clock;
  const auto sample = (*sensor)->poll(clock);
  ASSERT_EQ(sample->readings.size(), 2u);
  EXPECT_DOUBLE_EQ(sample->readings[0].raw * contents.signals[0].to_si, 5.0);
}

TEST(Intel, ACounterThatStandsAtZeroIsLeftOutAndNotZeroJoules) {
  const TestTree tree;
  write_xe(tree);
  write_channel(tree, 1, "card", "0");
  write_channel(tree, 2, "pkg", "3000000");
  const auto sensor = opened(tree);
  ASSERT_TRUE(sensor.has_value());
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_EQ((*sensor)->contents().signals[0].boundary, Boundary::chip);
  EXPECT_NE((*sensor)->contents().devices[0].facts.at("left_out").find("stands at 0"),
            std::string::npos);
}

TEST(Intel, TheOlderDriversOneChannelIsThePackagesAndTilesAreNotAddedToIt) {
  const TestTree tree;
  write_card(tree, "card1", "0000:03:00.0");
  tree.write(kCard + "hwmon/hwmon3/name", "i915_gt0\n");
  tree.write(kCard + "hwmon/hwmon3/energy1_input", "1000000\n");
  tree.write(kCard + "hwmon/hwmon4/name", "i915\n");
  write_channel(tree, 1, "", "3000000");
  const auto sensor = opened(tree);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_EQ((*sensor)->contents().signals[0].boundary, Boundary::chip);
}

TEST(Intel, ChannelsThatAreNotKnownAreNamed) {
  const TestTree tree;
  write_xe(tree);
  write_channel(tree, 1, "card", "5000000");
  write_channel(tree, 3, "mem", "1000000");
  const auto sensor = opened(tree);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().devices[0].facts.at("left_out"), "energy3 (\"mem\"): not known");
}

TEST(Intel, TwoNodesOfOneGpuCountOnceAndOtherMakersNot) {
  const TestTree tree;
  write_xe(tree);
  write_channel(tree, 1, "card", "5000000");
  write_card(tree, "card2", "0000:03:00.0");
  write_card(tree, "card3", "0000:04:00.0", "0x1002");
  tree.write("sys/class/drm/card3/device/hwmon/hwmon5/name", "xe\n");
  tree.write("sys/class/drm/card3/device/hwmon/hwmon5/energy1_input", "5\n");
  const auto sensor = opened(tree);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().devices.size(), 1u);
}

TEST(Intel, AReadThatFailsIsAbsentAndTheNextOneCounts) {
  const TestTree tree;
  write_xe(tree);
  write_channel(tree, 1, "card", "5000000");
  auto sensor = opened(tree);
  ASSERT_TRUE(sensor.has_value());
  FakeClock clock;
  write_channel(tree, 1, "card", "");
  EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::retry);
  write_channel(tree, 1, "card", "6000000");
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw, 6000000);
}

TEST(Intel, WithoutAnEnergyFileTheReasonNamesTheGpu) {
  const TestTree tree;
  EXPECT_NE(opened(tree).error().hint.find("rapl"), std::string::npos);
  write_xe(tree);
  EXPECT_NE(opened(tree).error().message.find("0000:03:00.0 gives no energy"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
