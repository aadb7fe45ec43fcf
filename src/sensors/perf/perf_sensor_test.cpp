#include "sensors/perf/perf_sensor.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "sensors/perf/scripted_perf.hpp"
#include "sensors/rapl/rapl_sensor.hpp"

namespace tokenjoule {
namespace {

void write_cpu(const TestTree& tree, int cpu, int package, int die) {
  const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
  tree.write(folder + "physical_package_id", std::to_string(package) + "\n");
  tree.write(folder + "die_id", std::to_string(die) + "\n");
}

Result<std::unique_ptr<Sensor>> opened(const TestTree& tree, ScriptedPerf& perf) {
  FakeClock clock;
  return open_perf_with({"perf", {{"root", tree.root().string()}}}, clock, perf.opener());
}

std::vector<std::string> device_ids(const Sensor& sensor) {
  std::vector<std::string> ids;
  for (const Device& device : sensor.contents().devices) ids.push_back(device.id);
  return ids;
}

TEST(Perf, ReadsScaleAndUnitFromSysfs) {
  const TestTree tree;
  write_perf_unit(tree, "0,8");
  write_perf_event(tree, "energy-pkg", "event=0x02");
  write_perf_event(tree, "energy-ram", "event=0x03");
  write_cpu(tree, 0, 0, 0);
  write_cpu(tree, 8, 1, 0);
  ScriptedPerf perf;
  // 2^32 counts of 2^-32 J are 1 J.
  perf.counts = {{{2, 0}, 1ULL << 32}, {{2, 8}, 1ULL << 33}, {{3, 0}, 7}, {{3, 8}, 8}};
  auto sensor = opened(tree, perf);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ(device_ids(**sensor),
            (std::vector<std::string>{"cpu:package-0", "cpu:package-1", "memory:package-0",
                                      "memory:package-1"}));
  const Signal& package = (*sensor)->contents().signals.at(0);
  FakeClock clock;
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw * package.to_si, 1.0);
  EXPECT_EQ(package.modulus, std::nullopt);  // the kernel unwraps it
  EXPECT_EQ((*sensor)->contents().signals.at(2).boundary, Boundary::dram);
}

TEST(Perf, GivesThePackageTheDeviceAndBoundaryThatRaplGivesIt) {
  const TestTree tree;
  write_perf_unit(tree, "0,1");
  write_perf_event(tree, "energy-pkg", "event=0x02");
  write_cpu(tree, 0, 0, 0);
  write_cpu(tree, 1, 0, 1);  // two dies of one package
  for (const char* die : {"0", "1"}) {
    const std::string zone = std::string("sys/class/powercap/intel-rapl:") + die;
    tree.write(zone + "/name", std::string("package-0-die-") + die);
    tree.write(zone + "/energy_uj", "5");
  }
  ScriptedPerf perf;
  perf.counts = {{{2, 0}, 5}, {{2, 1}, 5}};
  FakeClock clock;
  const auto by_perf = opened(tree, perf);
  const auto by_rapl = open_rapl({"rapl", {{"root", tree.root().string()}}}, clock);
  ASSERT_TRUE(by_perf.has_value() && by_rapl.has_value());
  EXPECT_EQ(device_ids(**by_perf), device_ids(**by_rapl));
  EXPECT_EQ((*by_perf)->contents().signals[1].boundary, (*by_rapl)->contents().signals[1].boundary);
}

TEST(Perf, AnEventWithoutTheUnitJoulesIsRefused) {
  const TestTree tree;
  write_perf_unit(tree, "0");
  write_perf_event(tree, "energy-pkg", "event=0x02", "mJoules");
  write_perf_event(tree, "energy-cores", "event=0x01");
  write_perf_event(tree, "energy-ram", "umask=0x01");
  write_cpu(tree, 0, 0, 0);
  ScriptedPerf perf;
  perf.counts = {{{1, 0}, 5}, {{2, 0}, 5}, {{3, 0}, 5}};
  const auto sensor = opened(tree, perf);
  ASSERT_TRUE(sensor.has_value());
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_EQ((*sensor)->contents().signals[0].boundary, Boundary::cpu_core);
  const std::string& left_out = (*sensor)->contents().devices[0].facts.at("left_out");
  EXPECT_NE(left_out.find("energy-pkg"), std::string::npos);
  EXPECT_NE(left_out.find("energy-ram"), std::string::npos);
}

TEST(Perf, GraphicsArePartOfThePackageAndSeveralPsysAreNotRead) {
  const TestTree tree;
  write_perf_unit(tree, "0,8");
  for (const char* name : {"energy-pkg", "energy-gpu", "energy-psys", "energy-new"}) {
    write_perf_event(tree, name, "event=0x02");
  }
  write_cpu(tree, 0, 0, 0);
  write_cpu(tree, 8, 1, 0);
  ScriptedPerf perf;
  perf.counts = {{{2, 0}, 5}, {{2, 8}, 5}};
  const auto sensor = opened(tree, perf);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().signals.size(), 2u);
}

TEST(Perf, WithoutRightsTheHintAndTheSettingOfTheKernelAreTold) {
  const TestTree tree;
  write_perf_unit(tree, "0");
  write_perf_event(tree, "energy-pkg", "event=0x02");
  write_cpu(tree, 0, 0, 0);
  tree.write("proc/sys/kernel/perf_event_paranoid", "3\n");
  ScriptedPerf perf;
  const auto sensor = opened(tree, perf);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("perf_event_paranoid is 3"), std::string::npos);
  EXPECT_EQ(sensor.error().hint, "ask for rights");
}

TEST(Perf, AMachineWithoutTheUnitSaysSo) {
  const TestTree tree;
  ScriptedPerf perf;
  EXPECT_NE(opened(tree, perf).error().hint.find("modprobe rapl"), std::string::npos);
}

TEST(Perf, ACpuThatGoesOfflineEndsItsCounter) {
  const TestTree tree;
  write_perf_unit(tree, "0");
  write_perf_event(tree, "energy-pkg", "event=0x02");
  write_cpu(tree, 0, 0, 0);
  ScriptedPerf perf;
  perf.counts = {{{2, 0}, 5}};
  auto sensor = opened(tree, perf);
  perf.counts.clear();
  FakeClock clock;
  EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::unavailable);
}

TEST(PerfCounter, TheKernelsOwnCallCountsAnEventThatEveryMachineHas) {
  constexpr std::uint32_t kSoftware = 1;  // PERF_TYPE_SOFTWARE; its event 0 is the CPU's clock
  auto counter = open_perf_counter(kSoftware, 0, 0);
  if (!counter) GTEST_SKIP() << counter.error().message << "; " << counter.error().hint;
  const auto first = (*counter)->count();
  const auto second = (*counter)->count();
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_GT(*second, *first);
}

TEST(PerfCounter, AUnitThatIsNotThereIsAnErrorWithAHint) {
  const auto counter = open_perf_counter(0xfffffff0, 0, 0);
  ASSERT_FALSE(counter.has_value());
  EXPECT_EQ(counter.error().kind, ErrorKind::missing);
  EXPECT_FALSE(counter.error().hint.empty());
}

}  // namespace
}  // namespace tokenjoule
