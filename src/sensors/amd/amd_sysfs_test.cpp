#include "sensors/amd/amd_sysfs.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"
#include "sensors/amd/amd_sensor.hpp"
#include "sensors/amd/gpu_metrics.hpp"
#include "sensors/amd/testing_metrics.hpp"

namespace tokenjoule {
namespace {

constexpr std::uint32_t kMi300x = 0x74a1;
constexpr std::uint32_t kMi210 = 0x740f;
constexpr std::uint32_t kNavi31 = 0x744c;

std::string device_of(const std::string& card) { return "sys/class/drm/" + card + "/device/"; }

void write_power(const TestTree& tree, const std::string& card, const std::string& file,
                 const std::string& microwatts) {
  tree.write(device_of(card) + "hwmon/hwmon2/" + file, microwatts + "\n");
}

/// 60 W on a counter that stands at 1000 J.
void write_mi300x(const TestTree& tree) {
  write_amd_card(tree, "card1", "0000:c1:00.0", "0x74a1");
  write_power(tree, "card1", "power1_input", "60000000");
  tree.write(device_of("card1") + "gpu_metrics", metrics_table(4, 288, 24, 1000 * 65536));
}

/// A clock in whose sleep MI300X draws `joules`.
SleepingClock while_drawing(const TestTree& tree, std::uint64_t joules) {
  return SleepingClock([&tree, joules] {
    tree.write(device_of("card1") + "gpu_metrics",
               metrics_table(4, 288, 24, (1000 + joules) * 65536));
  });
}

const Signal* signal_of(const AmdGpus& found, Measurand measurand) {
  const auto at =
      std::find_if(found.values.begin(), found.values.end(),
                   [&](const SensorValue& value) { return value.signal.measurand == measurand; });
  return at == found.values.end() ? nullptr : &at->signal;
}

TEST(GpuMetrics, OneCountIsTwoToTheMinusSixteenJoules) {
  // 65 536 000 counts are 1000 J; by AMD's 15.3 uJ they would be 1002.7 J.
  const auto counts = energy_counts_in(metrics_table(4, 288, 24, 65'536'000), kMi300x);
  ASSERT_TRUE(counts.has_value());
  EXPECT_DOUBLE_EQ(static_cast<double>(*counts) * kAmdJoulesPerCount, 1000.0);
}

TEST(GpuMetrics, EachKnownLayoutHasItsEnergyAtItsOwnPlace) {
  EXPECT_EQ(*energy_counts_in(metrics_table(5, 328, 56, 7), kMi300x), 7u);
  EXPECT_EQ(*energy_counts_in(metrics_table(6, 1664, 16, 7), kMi300x), 7u);
  EXPECT_EQ(*energy_counts_in(metrics_table(7, 2208, 24, 7), kMi300x), 7u);
  EXPECT_EQ(*energy_counts_in(metrics_table(8, 3360, 24, 7), kMi300x), 7u);
}

TEST(GpuMetrics, UnknownVersionsAndSizesAreRefused) {
  EXPECT_EQ(energy_counts_in(metrics_table(9, 288, 24, 7), kMi300x).error().kind,
            ErrorKind::missing);
  EXPECT_EQ(energy_counts_in(metrics_table(4, 296, 24, 7), kMi300x).error().kind,
            ErrorKind::missing);
  EXPECT_FALSE(energy_counts_in(metrics_table(4, 288, 24, 7).substr(0, 200), kMi300x).has_value());
  EXPECT_FALSE(energy_counts_in("", kMi300x).has_value());
}

TEST(GpuMetrics, AnAccumulatorOfAnotherUnitIsNotTakenForTheOneOfMi200) {
  EXPECT_TRUE(energy_counts_in(metrics_table(3, 120, 24, 7), kMi210).has_value());
  EXPECT_FALSE(energy_counts_in(metrics_table(3, 120, 24, 7), kNavi31).has_value());
}

TEST(GpuMetrics, AllOnesAreNotKnown) {
  EXPECT_EQ(energy_counts_in(metrics_table(4, 288, 24, UINT64_MAX), kMi300x).error().kind,
            ErrorKind::retry);
}

TEST(AmdSysfs, ReadsEnergyAndPowerOfAGpuKnownByItsAddress) {
  const TestTree tree;
  write_mi300x(tree);
  tree.write(device_of("card1") + "product_name", "AMD Instinct MI300X OAM\n");
  tree.write(device_of("card1") + "current_compute_partition", "CPX\n");
  SleepingClock clock = while_drawing(tree, 15);  // 60 W for 0.25 s
  const auto found = amd_gpus_in_sysfs(tree.root(), clock);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->devices.size(), 1u);
  EXPECT_EQ(found->devices[0].id, "pci:0000:c1:00.0");
  EXPECT_EQ(found->devices[0].name, "AMD Instinct MI300X OAM");
  EXPECT_EQ(found->devices[0].facts.at("current_compute_partition"), "CPX");
  const Signal* energy = signal_of(*found, Measurand::energy);
  ASSERT_NE(energy, nullptr);
  EXPECT_EQ(energy->boundary, Boundary::gpu_board);
  EXPECT_DOUBLE_EQ(energy->to_si, 1.0 / 65536);
  EXPECT_EQ(signal_of(*found, Measurand::power)->source, "power1_input");
}

TEST(AmdSysfs, ACounterThatIsConstantOrFarFromThePowerIsNotUsed) {
  for (const std::uint64_t joules : {0u, 4u, 40u}) {  // 15 J would be right
    const TestTree tree;
    write_mi300x(tree);
    SleepingClock clock = while_drawing(tree, joules);
    const auto found = amd_gpus_in_sysfs(tree.root(), clock);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(signal_of(*found, Measurand::energy), nullptr) << joules;
    EXPECT_NE(signal_of(*found, Measurand::power), nullptr);
    EXPECT_NE(found->devices[0].facts.at("left_out").find("does not agree"), std::string::npos);
  }
}

TEST(AmdSysfs, AverageAndPresentPowerAreTwoSignals) {
  const TestTree tree;
  write_amd_card(tree, "card1", "0000:c1:00.0", "0x740f");
  write_power(tree, "card1", "power1_average", "90000000");
  write_power(tree, "card1", "power1_input", "100000000");
  FakeClock clock;
  auto found = amd_gpus_in_sysfs(tree.root(), clock);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->values.size(), 2u);
  EXPECT_EQ(found->values[0].signal.source, "power1_average");
  EXPECT_EQ(found->values[1].signal.source, "power1_input");
}

TEST(AmdSysfs, TheSecondDieOfAModuleIsNoGpuOfItsOwn) {
  const TestTree tree;
  write_amd_card(tree, "card1", "0000:c1:00.0", "0x740c");
  write_power(tree, "card1", "power1_average", "300000000");
  write_amd_card(tree, "card2", "0000:c6:00.0", "0x740c");
  write_power(tree, "card2", "power1_average", "0");
  FakeClock clock;
  const auto found = amd_gpus_in_sysfs(tree.root(), clock);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->devices.size(), 1u);
  EXPECT_EQ(found->devices[0].facts.at("covers"), "both dies of its module");
  ASSERT_EQ(found->notes.size(), 1u);
  EXPECT_NE(found->notes[0].find("0000:c6:00.0 (card2): the second die"), std::string::npos);
}

TEST(AmdSysfs, PartitionsOfAGpuHaveNoAddressOfTheirOwnAndCountWithIt) {
  const TestTree tree;
  write_mi300x(tree);
  tree.write("sys/class/drm/card2/device/uevent", "DRIVER=amdgpu_xcp_drv\n");
  write_power(tree, "card2", "power1_input", "60000000");
  FakeClock clock;
  EXPECT_EQ(amd_gpus_in_sysfs(tree.root(), clock)->devices.size(), 1u);
}

TEST(AmdSysfs, GraphicsInsideACpuAndSleepingGpusAreNamedAndNotRead) {
  const TestTree tree;
  write_amd_card(tree, "card1", "0000:c1:00.0", "0x15bf");
  write_power(tree, "card1", "power1_input", "20000000");
  tree.write(device_of("card1") + "gpu_metrics", std::string("\x78\x00\x02\x01", 4));
  write_amd_card(tree, "card2", "0000:c2:00.0", "0x744c");
  tree.write(device_of("card2") + "power/runtime_status", "suspended\n");
  FakeClock clock;
  const auto found = amd_gpus_in_sysfs(tree.root(), clock);
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message.find("graphics inside a CPU"), std::string::npos);
  EXPECT_NE(found.error().message.find("asleep"), std::string::npos);
}

TEST(AmdSysfs, ASocketThatHoldsCpuCoresIsAModule) {
  const TestTree tree;
  write_amd_card(tree, "card1", "0000:c1:00.0", "0x74a0");
  write_power(tree, "card1", "power1_input", "500000000");
  FakeClock clock;
  EXPECT_EQ(amd_gpus_in_sysfs(tree.root(), clock)->values.at(0).signal.boundary,
            Boundary::gpu_module);
}

TEST(AmdSysfs, LimitsTemperatureClocksAndUseAreReadOnceASecond) {
  const TestTree tree;
  write_mi300x(tree);
  write_power(tree, "card1", "power1_cap", "750000000");
  write_power(tree, "card1", "power1_cap_min", "0");
  write_power(tree, "card1", "temp1_label", "edge");
  write_power(tree, "card1", "temp1_input", "40000");
  write_power(tree, "card1", "temp2_label", "junction");
  write_power(tree, "card1", "temp2_input", "55000");
  write_power(tree, "card1", "freq1_label", "sclk");
  write_power(tree, "card1", "freq1_input", "2100000000");
  tree.write(device_of("card1") + "gpu_busy_percent", "97\n");
  FakeClock clock;
  const auto found = amd_gpus_in_sysfs(tree.root(), clock);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(signal_of(*found, Measurand::power_limit_min), nullptr);
  EXPECT_EQ(signal_of(*found, Measurand::temperature)->source, "temp2_input");
  EXPECT_DOUBLE_EQ(signal_of(*found, Measurand::sm_clock)->to_si * 2.1e9, 2100.0);  // MHz
  EXPECT_NE(signal_of(*found, Measurand::power_limit_enforced), nullptr);
  EXPECT_NE(signal_of(*found, Measurand::utilisation), nullptr);
}

TEST(Amd, APowerOfZeroIsAbsentAndTheCounterGoesOn) {
  const TestTree tree;
  write_mi300x(tree);
  SleepingClock clock = while_drawing(tree, 15);
  auto sensor = open_amd({"amd", {{"root", tree.root().string()}, {"group", "g"}}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().devices[0].group, "g");
  write_power(tree, "card1", "power1_input", "0");
  const auto sample = (*sensor)->poll(clock);
  ASSERT_EQ(sample->readings.size(), 1u);
  EXPECT_DOUBLE_EQ(sample->readings[0].raw / 65536, 1015.0);
}

TEST(Amd, AMachineWithoutSuchAGpuIsToldWhatToDo) {
  const TestTree tree;
  FakeClock clock;
  const auto sensor = open_amd({"amd", {{"root", tree.root().string()}}}, clock);
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().hint.find("modprobe amdgpu"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
