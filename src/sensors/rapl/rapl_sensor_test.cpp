#include "sensors/rapl/rapl_sensor.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"
#include "sensors/rapl/rapl_zones.hpp"

namespace tokenjoule {
namespace {

void write_zone(const TestTree& tree, const std::string& id, const std::string& name,
                const std::string& energy = "1000000", const std::string& range = "262143328850") {
  const std::string folder = "sys/class/powercap/" + id;
  tree.write(folder + "/name", name + "\n");
  tree.write(folder + "/energy_uj", energy + "\n");
  tree.write(folder + "/max_energy_range_uj", range + "\n");
}

void write_socket(const TestTree& tree, int cpu, int package) {
  tree.write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/physical_package_id",
             std::to_string(package) + "\n");
}

Result<std::unique_ptr<Sensor>> opened(const TestTree& tree, Clock& clock) {
  return open_rapl({"rapl", {{"root", tree.root().string()}}}, clock);
}

const Signal* signal_at(const Sensor& sensor, const std::string& device, Boundary boundary) {
  const auto& signals = sensor.contents().signals;
  const auto at = std::find_if(signals.begin(), signals.end(), [&](const Signal& signal) {
    return signal.device == device && signal.boundary == boundary;
  });
  return at == signals.end() ? nullptr : &*at;
}

std::string left_out(const Sensor& sensor) {
  const auto& facts = sensor.contents().devices.front().facts;
  return facts.count("left_out") != 0 ? facts.at("left_out") : "";
}

TEST(Rapl, TwoSocketsAreTwoPackagesAndTheirMemoryIsApart) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "1000000");
  write_zone(tree, "intel-rapl:0:0", "dram", "3000000");
  write_zone(tree, "intel-rapl:1", "package-1", "2000000");
  write_zone(tree, "intel-rapl:1:0", "dram", "4000000");
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  ASSERT_EQ((*sensor)->contents().devices.size(), 4u);
  const Signal* package = signal_at(**sensor, "cpu:package-1", Boundary::cpu_package);
  ASSERT_NE(package, nullptr);
  EXPECT_NE(signal_at(**sensor, "memory:package-0", Boundary::dram), nullptr);
  EXPECT_EQ(package->modulus, 262143328850.0);
  EXPECT_DOUBLE_EQ(package->to_si, 1e-6);
  double sum = 0;
  do {
    const auto sample = (*sensor)->poll(clock);
    for (const Reading& reading : sample->readings) sum += reading.raw;
  } while ((*sensor)->has_more());
  EXPECT_DOUBLE_EQ(sum, 10000000);
}

TEST(Rapl, CoreIsInsideItsPackageAndUncoreIsOnlyNamed) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  write_zone(tree, "intel-rapl:0:0", "core");
  write_zone(tree, "intel-rapl:0:1", "uncore");
  write_zone(tree, "intel-rapl:1", "psys");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_NE(signal_at(**sensor, "cpu:package-0", Boundary::cpu_core), nullptr);
  EXPECT_NE(signal_at(**sensor, "node:psys", Boundary::psys), nullptr);
  EXPECT_EQ((*sensor)->contents().signals.size(), 3u);
  EXPECT_NE(left_out(**sensor).find("uncore (intel-rapl:0:1): part of its package"),
            std::string::npos);
  EXPECT_NE(left_out(**sensor).find("memory: no counter"), std::string::npos);
}

TEST(Rapl, AZoneThatRepeatsAPackageByMemoryMappedRegistersCountsOnce) {
  const TestTree tree;
  write_zone(tree, "intel-rapl-mmio:0", "package-0", "77");
  write_zone(tree, "intel-rapl:0", "package-0", "1000000");
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw, 1000000);
  EXPECT_NE(left_out(**sensor).find("intel-rapl-mmio:0"), std::string::npos);
}

TEST(Rapl, MemoryMappedZonesServeWhereTheyAreTheOnlyOnes) {
  const TestTree tree;
  write_zone(tree, "intel-rapl-mmio:0", "package-0");
  FakeClock clock;
  EXPECT_TRUE(opened(tree, clock).has_value());
}

TEST(Rapl, NamesOfPackagesAndDiesAreUnderstood) {
  EXPECT_EQ(package_in("package-15")->package, 15);
  EXPECT_EQ(package_in("package-0-die-1")->die, 1);
  for (const char* name : {"package-", "package-x", "package-0-die-", "package-0-die-x", "core"}) {
    EXPECT_EQ(package_in(name), std::nullopt) << name;
  }
}

TEST(Rapl, EachDieOfAPackageIsADeviceAndOneAloneIsThePackage) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0-die-0");
  write_zone(tree, "intel-rapl:1", "package-0-die-1");
  write_zone(tree, "intel-rapl:2", "package-1-die-0");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  for (const char* device : {"cpu:package-0-die-0", "cpu:package-0-die-1", "cpu:package-1"}) {
    EXPECT_NE(signal_at(**sensor, device, Boundary::cpu_package), nullptr) << device;
  }
}

TEST(Rapl, UnknownNamesAreListedAndDoNoHarm) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  write_zone(tree, "intel-rapl:0:0", "npu");
  write_zone(tree, "dtpm:0", "dtpm");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_NE(left_out(**sensor).find("npu (intel-rapl:0:0): not known"), std::string::npos);
}

TEST(Rapl, OnAmdTheCoreRegisterIsNoSumOfCoresAndThereIsNoMemory) {
  const TestTree tree;
  tree.write("proc/cpuinfo", "vendor_id : AuthenticAMD\nmodel name : EPYC\n");
  write_zone(tree, "intel-rapl:0", "package-0", "5", "65532610987");
  write_zone(tree, "intel-rapl:0:0", "core", "5", "65532610987");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().devices.at(0).name, "EPYC");
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_EQ((*sensor)->contents().signals[0].modulus, 65532610987.0);
  EXPECT_NE(left_out(**sensor).find("one core's"), std::string::npos);
}

TEST(Rapl, SeveralPsysZonesAreNotReadSinceNobodySaysWhatEachCovers) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  write_zone(tree, "intel-rapl:1", "psys");
  write_zone(tree, "intel-rapl:2", "psys-1");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ(signal_at(**sensor, "node:psys", Boundary::psys), nullptr);
  EXPECT_NE(left_out(**sensor).find("one of several"), std::string::npos);
}

TEST(Rapl, ASocketWithoutAZoneStandsInTheRecordSoThatASumNeverLacksItUnseen) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  write_socket(tree, 0, 0);
  write_socket(tree, 1, 1);
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_NE(signal_at(**sensor, "cpu:package-1", Boundary::cpu_package), nullptr);
  while ((*sensor)->poll(clock), (*sensor)->has_more()) {
  }
  ASSERT_EQ((*sensor)->take_losses().size(), 1u);  // its reading, once
}

TEST(Rapl, OneBrokenZoneCostsItsOwnReadingsOnly) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  write_zone(tree, "intel-rapl:1", "package-1", "");  // reads as an error of the driver does
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().signals.size(), 2u);
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 1u);
  EXPECT_TRUE((*sensor)->poll(clock)->readings.empty());
}

TEST(Rapl, AMemoryZoneAtZeroIsAbsentAndNotZeroJoules) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  write_zone(tree, "intel-rapl:0:0", "dram", "0");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ(signal_at(**sensor, "memory:package-0", Boundary::dram), nullptr);
  EXPECT_NE(left_out(**sensor).find("stands at 0"), std::string::npos);
}

TEST(Rapl, ACounterThatHasJustWrappedToZeroIsLookedAtTwice) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "0");
  SleepingClock clock([&] { write_zone(tree, "intel-rapl:0", "package-0", "900"); });
  EXPECT_TRUE(opened(tree, clock).has_value());
}

TEST(Rapl, AWrapIsGivenOnAndAResetEndsTheCounter) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "65532000000", "65532610987");
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  clock.advance(milliseconds(100));
  write_zone(tree, "intel-rapl:0", "package-0", "40000000", "65532610987");  // 40.6 J on: 406 W
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw, 40000000);
  clock.advance(milliseconds(100));
  write_zone(tree, "intel-rapl:0", "package-0", "10", "65532610987");  // 65 kJ on: no CPU does that
  const auto after_reset = (*sensor)->poll(clock);
  EXPECT_EQ(after_reset.error().kind, ErrorKind::unavailable);
  EXPECT_NE(after_reset.error().message.find("reset"), std::string::npos);
}

TEST(Rapl, APauseInWhichTheCounterMayHaveWrappedEndsIt) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "1000", "65532610987");
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  clock.advance(whole_seconds(60));
  write_zone(tree, "intel-rapl:0", "package-0", "2000", "65532610987");
  EXPECT_NE((*sensor)->poll(clock).error().message.find("wrapped unseen"), std::string::npos);
}

TEST(Rapl, WithoutARangeNoWrapIsUndone) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "1000", "0");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().signals.at(0).modulus, std::nullopt);
}

TEST(Rapl, WithoutRightsTheCommandsThatGiveThemAreTold) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  tree.set_mode("sys/class/powercap/intel-rapl:0/energy_uj", 0);
  const WithoutRoot nobody;
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("only root"), std::string::npos);
  EXPECT_NE(sensor.error().hint.find("sudo chmod a+r"), std::string::npos);
  EXPECT_NE(sensor.error().hint.find("udev"), std::string::npos);
}

TEST(Rapl, RightsToOneSocketOnlyMakeTheOthersReadingsAbsentAndNotItsSignal) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  write_zone(tree, "intel-rapl:1", "package-1");
  tree.set_mode("sys/class/powercap/intel-rapl:1/energy_uj", 0);
  const WithoutRoot nobody;
  FakeClock clock;
  auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().signals.size(), 2u);
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 1u);
  EXPECT_TRUE((*sensor)->poll(clock)->readings.empty());
  EXPECT_NE((*sensor)->take_losses().at(0).reason.find("Permission denied"), std::string::npos);
}

TEST(Rapl, PowerLimitsAreNotReadHereSinceTheTwoWaysDiffer) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0");
  tree.write("sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw", "150000000");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_TRUE(sensor.has_value());
  for (const Signal& signal : (*sensor)->contents().signals) {
    EXPECT_EQ(signal.measurand, Measurand::energy);
  }
}

TEST(Rapl, AMachineWithoutZonesIsToldApartFromAVirtualOneAndAContainer) {
  FakeClock clock;
  const TestTree bare;
  EXPECT_NE(opened(bare, clock).error().hint.find("modprobe intel_rapl_msr"), std::string::npos);
  const TestTree guest;
  guest.write("proc/cpuinfo", "flags : hypervisor\n");
  guest.write("sys/class/powercap/intel-rapl/enabled", "1");
  EXPECT_NE(opened(guest, clock).error().message.find("no zones found"), std::string::npos);
  EXPECT_NE(opened(guest, clock).error().message.find("virtual machine"), std::string::npos);
  const TestTree container;
  container.link("sys/class/powercap/intel-rapl:0", "/no/such/place");
  EXPECT_NE(opened(container, clock).error().hint.find("root=/host"), std::string::npos);
}

TEST(Rapl, CountersThatAllStandAtZeroAreThoseOfAVirtualMachine) {
  const TestTree tree;
  write_zone(tree, "intel-rapl:0", "package-0", "0");
  FakeClock clock;
  const auto sensor = opened(tree, clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().hint.find("virtual machine"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
