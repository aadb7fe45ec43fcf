#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

// What is added up at a boundary, and what never is. Windows are 30 s long.

namespace tokenjoule {
namespace {

using test::severity_of;
using test::sound_run;
using test::TestRun;

Device& last_device(TestRun& run) { return run.run.devices.back(); }

/// The energy of a boundary; nullptr where nothing is read there.
const BoundaryEnergy* energy_at(const Report& report, Boundary boundary) {
  for (const BoundaryEnergy& energy : report.energy) {
    if (energy.boundary == boundary) return &energy;
  }
  return nullptr;
}

std::optional<double> joules_at(const Report& report, Boundary boundary) {
  const BoundaryEnergy* energy = energy_at(report, boundary);
  return energy != nullptr && energy->joules ? std::optional(energy->joules->value())
                                             : std::nullopt;
}

std::string reason_for(const Report& report, const std::string& what) {
  for (const Excluded& item : report.excluded) {
    if (item.what == what) return item.reason;
  }
  return "";
}

/// A further device whose power is read by that sensor.
TestRun& add_power(TestRun& run, std::uint32_t id, const std::string& device, DeviceKind kind,
                   Boundary boundary, double watts, const std::string& sensor) {
  const bool known = std::any_of(run.run.devices.begin(), run.run.devices.end(),
                                 [&](const Device& other) { return other.id == device; });
  if (!known) run.device(device, kind);
  run.power(id, device, boundary).sensor = sensor;
  return run.steady_power(id, watts);
}

TEST(Boundaries, ScopesThatHoldEachOtherAreNeverAdded) {
  TestRun run = sound_run();  // GPU-a draws 400 W
  add_power(run, 1, "cpu:package-0", DeviceKind::cpu, Boundary::cpu_package, 100, "rapl");
  add_power(run, 2, "cpu:package-1", DeviceKind::cpu, Boundary::cpu_package, 120, "rapl");
  add_power(run, 3, "psys", DeviceKind::node, Boundary::psys, 250, "rapl");
  add_power(run, 4, "bmc", DeviceKind::node, Boundary::node_ac, 900, "ipmi");
  const Report report = run.analysed();
  EXPECT_EQ(joules_at(report, Boundary::gpu_board), 12000);
  EXPECT_EQ(joules_at(report, Boundary::cpu_package), 6600);  // two packages: (100 + 120) W x 30 s
  EXPECT_EQ(joules_at(report, Boundary::psys), 7500);
  EXPECT_EQ(joules_at(report, Boundary::node_ac), 27000);
  EXPECT_EQ(report.figures_by_boundary.size(), 4u);
  EXPECT_EQ(report.figures_by_boundary.at(Boundary::node_ac).at("joules_per_output_token").value,
            9000);
  EXPECT_EQ(report.boundary, Boundary::gpu_board);
  EXPECT_EQ(reason_for(report, "cpu_package"), "measured, shown apart");
}

TEST(Boundaries, APackageThatRaplAndPerfBothReadCountsOnce) {
  TestRun run = sound_run();
  add_power(run, 1, "cpu:package-0", DeviceKind::cpu, Boundary::cpu_package, 100, "rapl");
  add_power(run, 2, "cpu:package-0", DeviceKind::cpu, Boundary::cpu_package, 100, "perf");
  EXPECT_EQ(joules_at(run.analysed(), Boundary::cpu_package), 3000);
}

TEST(Boundaries, AGpuThatNvmlAndDcgmBothReadCountsOnce) {
  TestRun run = sound_run();
  run.device("GPU-a");  // listed by the second sensor as well
  run.power(1).sensor = "dcgm";
  run.steady_power(1, 400);
  const Report report = run.analysed();
  EXPECT_EQ(joules_at(report, Boundary::gpu_board), 12000);
  EXPECT_EQ(energy_at(report, Boundary::gpu_board)->devices.size(), 1u);
}

TEST(Boundaries, AGpuUnderTwoNamesCountsOnceAndThatIsSaid) {
  TestRun run = sound_run();
  run.run.devices[0].facts["pci_address"] = "0000:c1:00.0";
  add_power(run, 1, "serial-7", DeviceKind::gpu, Boundary::gpu_board, 400, "amd_exporter");
  last_device(run).facts["pci_address"] = "0000:c1:00.0";
  const Report report = run.analysed();
  EXPECT_EQ(joules_at(report, Boundary::gpu_board), 12000);
  EXPECT_EQ(reason_for(report, "serial-7"), "the same power as GPU-a, counted once");
}

TEST(Boundaries, ASumOfGpusIsNotAddedToThoseThatAreReadOneByOne) {
  TestRun run = sound_run();
  add_power(run, 1, "trtllm", DeviceKind::gpu, Boundary::gpu_board, 400, "trtllm");
  last_device(run).facts["sum_of_gpus"] = "which ones is not told";
  const Report report = run.analysed();
  EXPECT_EQ(joules_at(report, Boundary::gpu_board), 12000);
  EXPECT_EQ(reason_for(report, "trtllm"), "holds GPUs that are read one by one");
}

TEST(Boundaries, AModuleThatHoldsItsCpuIncludesItAndIsNotExcludedFromIt) {
  TestRun run;
  run.run.devices[0].facts["contains"] = "cpu, memory";
  run.power(0, "GPU-a", Boundary::gpu_module);
  run.steady_power(0, 700);
  add_power(run, 1, "cpu:package-0", DeviceKind::cpu, Boundary::cpu_package, 100, "grace");
  run.answer(20, {1, 2, 3});
  const Report report = run.analysed();
  EXPECT_EQ(report.boundary, Boundary::gpu_module);
  EXPECT_EQ(joules_at(report, Boundary::gpu_module), 21000);
  EXPECT_EQ(reason_for(report, "cpu_package"), "");
  EXPECT_NE(report.included.at(0).find("CPU package on it"), std::string::npos);
}

TEST(Boundaries, AModelOfTheCpuIsNotAddedToItsMeter) {
  TestRun run = sound_run();
  add_power(run, 1, "cpu:package-0", DeviceKind::cpu, Boundary::cpu_package, 100, "rapl");
  add_power(run, 2, "cpu", DeviceKind::cpu, Boundary::cpu_package, 90, "cpu-model");
  run.run.signals.back().modelled = true;
  const Report report = run.analysed();
  EXPECT_EQ(joules_at(report, Boundary::cpu_package), 3000);
}

std::string severity_of_code(const Report& report, const std::string& code) {
  for (const CheckFinding& finding : report.verdict.reasons) {
    if (finding.code == code) return std::string(name_of(finding.severity));
  }
  return "none";
}

TEST(Boundaries, OneDeviceOfWhichTwoSensorsSayDifferentPowersIsToldWhicheverIsListedFirst) {
  for (const double other : {250.0, 90.0, 30.0}) {
    TestRun run = sound_run();
    add_power(run, 1, "bmc", DeviceKind::node, Boundary::node_ac, 1000, "ipmi");
    add_power(run, 2, "bmc", DeviceKind::node, Boundary::node_ac, 10 * other, "redfish");
    const Report report = run.analysed();
    EXPECT_EQ(severity_of_code(report, "sensors_disagree"), other == 90 ? "care" : "unusable")
        << other;
  }
  TestRun run = sound_run();
  add_power(run, 1, "bmc", DeviceKind::node, Boundary::node_ac, 1000, "ipmi");
  add_power(run, 2, "bmc", DeviceKind::node, Boundary::node_ac, 1020, "redfish");
  EXPECT_EQ(severity_of_code(run.analysed(), "sensors_disagree"), "none");
}

TEST(Boundaries, APowerThatNoDeviceOfItsKindDrawsIsRefusedWithoutAnyLimit) {
  const auto severity = [](Boundary boundary, double watts) {
    TestRun run = sound_run();
    add_power(run, 1, "meter", DeviceKind::other, boundary, watts, "exec");
    return severity_of_code(run.analysed(), "implausible_power");
  };
  EXPECT_EQ(severity(Boundary::node_ac, 0.4), "unusable");  // W for kW
  EXPECT_EQ(severity(Boundary::node_ac, 800), "none");
  EXPECT_EQ(severity(Boundary::node_ac, 800'000), "unusable");
  EXPECT_EQ(severity(Boundary::cpu_package, 0.4), "none");  // a socket may sleep
  EXPECT_EQ(severity(Boundary::cpu_package, 250'000), "unusable");
  EXPECT_EQ(severity(Boundary::rack, 800'000), "none");
  TestRun boards = sound_run();
  add_power(boards, 1, "GPU-b", DeviceKind::gpu, Boundary::gpu_board, 0.4, "dcgm");
  EXPECT_EQ(severity_of_code(boards.analysed(), "implausible_power"), "unusable");
}

/// A node of two feeds of 500 W and 300 W with its GPU at 400 W; the second may be absent.
TestRun with_feeds(bool both) {
  TestRun run = sound_run();
  add_power(run, 1, "pdu-a/outlet-3", DeviceKind::node, Boundary::node_ac, 500, "pdu-a");
  last_device(run).facts = {{"node", "n1"}, {"feed", "pdu-a"}, {"node_feeds", "pdu-a, pdu-b"}};
  if (!both) return run;
  add_power(run, 2, "pdu-b/outlet-3", DeviceKind::node, Boundary::node_ac, 300, "pdu-b");
  last_device(run).facts = {{"node", "n1"}, {"feed", "pdu-b"}, {"node_feeds", "pdu-a, pdu-b"}};
  return run;
}

TEST(Boundaries, SeveralFeedsMakeOneNode) {
  const Report report = with_feeds(true).analysed();
  EXPECT_EQ(joules_at(report, Boundary::node_ac), 24000);  // 800 W x 30 s
  EXPECT_EQ(severity_of(report, "partial_node"), "none");
  EXPECT_EQ(severity_of(report, "scopes_overlap"), "none");
}

TEST(Boundaries, AMissingFeedMakesThePartOfANodeNoFigureOfIt) {
  const Report report = with_feeds(false).analysed();
  EXPECT_EQ(severity_of(report, "partial_node"), "unusable");
  EXPECT_EQ(joules_at(report, Boundary::node_ac), 15000);  // what was read stays
  const Figure& figure =
      report.figures_by_boundary.at(Boundary::node_ac).at("joules_per_output_token");
  EXPECT_EQ(figure.value, std::nullopt);
  EXPECT_EQ(figure.reason, "unusable: partial_node");
  // Another boundary is not touched.
  EXPECT_EQ(report.verdict.status, VerdictStatus::care);
  EXPECT_TRUE(report.figures.at("joules_per_output_token").value.has_value());
}

TEST(Boundaries, AMeterOfTheWholeNodeIsNotAddedToItsFeeds) {
  TestRun run = with_feeds(true);
  add_power(run, 3, "bmc", DeviceKind::node, Boundary::node_ac, 790, "ipmi");
  last_device(run).facts = {{"node", "n1"}};
  const Report report = run.analysed();
  EXPECT_EQ(joules_at(report, Boundary::node_ac), 24000);
  ASSERT_EQ(energy_at(report, Boundary::node_ac)->not_added.size(), 1u);
  EXPECT_EQ(energy_at(report, Boundary::node_ac)->not_added[0].what, "bmc");
}

TEST(Boundaries, AMeterOfTheWholeNodeStandsInForAMissingFeed) {
  TestRun run = with_feeds(false);
  add_power(run, 3, "bmc", DeviceKind::node, Boundary::node_ac, 790, "ipmi");
  last_device(run).facts = {{"node", "n1"}};
  const Report report = run.analysed();
  EXPECT_EQ(joules_at(report, Boundary::node_ac), 23700);
  EXPECT_EQ(severity_of(report, "partial_node"), "none");
}

TEST(Boundaries, TwoMetersOfWhichNothingIsStatedAreRefusedRatherThanAdded) {
  TestRun run = sound_run();
  add_power(run, 1, "bmc", DeviceKind::node, Boundary::node_ac, 790, "ipmi");
  add_power(run, 2, "pdu", DeviceKind::node, Boundary::node_ac, 800, "snmp");
  const Report report = run.analysed();
  EXPECT_EQ(joules_at(report, Boundary::node_ac), std::nullopt);
  EXPECT_EQ(severity_of(report, "scopes_overlap"), "unusable");
  EXPECT_EQ(report.verdict.status, VerdictStatus::care);  // the GPU's figures stand
}

TEST(Boundaries, TwoNamedNodesAreAdded) {
  TestRun run = sound_run();
  add_power(run, 1, "bmc-1", DeviceKind::node, Boundary::node_ac, 790, "ipmi");
  last_device(run).facts = {{"node", "n1"}};
  add_power(run, 2, "bmc-2", DeviceKind::node, Boundary::node_ac, 600, "ipmi#2");
  last_device(run).facts = {{"node", "n2"}};
  EXPECT_EQ(joules_at(run.analysed(), Boundary::node_ac), 41700);  // 1390 W x 30 s
}

TEST(Boundaries, AnOutletWithoutANodeNeedsCare) {
  TestRun run = sound_run();
  add_power(run, 1, "pdu/outlet-3", DeviceKind::node, Boundary::node_ac, 900, "snmp");
  last_device(run).facts = {{"outlet", "3"}};
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "partial_node"), "care");
  EXPECT_EQ(joules_at(report, Boundary::node_ac), 27000);
}

TEST(Boundaries, ANodeBelowItsGpusIsRefusedAlsoWhereAnOutletIsAShareOfIt) {
  TestRun run = sound_run();
  add_power(run, 1, "pdu/outlet-3", DeviceKind::node, Boundary::node_ac, 300, "snmp");
  last_device(run).facts = {{"outlet", "3"}};
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "node_below_gpus"), "unusable");
  EXPECT_EQ(report.figures_by_boundary.at(Boundary::node_ac).at("joules_per_output_token").value,
            std::nullopt);
}

TEST(Boundaries, GpusOfAnotherNodeSayNothingOfThisOne) {
  TestRun run = sound_run();
  run.run.devices[0].facts["node"] = "n2";
  add_power(run, 1, "bmc-1", DeviceKind::node, Boundary::node_ac, 300, "ipmi");
  last_device(run).facts = {{"node", "n1"}};
  EXPECT_EQ(severity_of(run.analysed(), "node_below_gpus"), "none");
}

TEST(Boundaries, WhatIsNotMeasuredSaysWhatTheSensorsForItSaid) {
  TestRun run = sound_run();
  run.run.header.configuration_json =
      R"({"sensors_absent": {
            "rapl": {"reason": "only root may read it", "reads": ["cpu_package", "dram"]},
            "ipmi": {"reason": "no /dev/ipmi0", "reads": ["node_ac"]}}})";
  const Report report = run.analysed();
  EXPECT_EQ(reason_for(report, "cpu_package"), "not measured; rapl: only root may read it");
  EXPECT_EQ(reason_for(report, "node_ac"), "not measured; ipmi: no /dev/ipmi0");
  EXPECT_EQ(reason_for(report, "cooling"), "outside");
}

// calibration

TEST(Calibration, ItsGainIsAppliedAndItsHalfWidthTakesThePlaceOfTheAssumedOne) {
  TestRun run = sound_run();
  run.run.signals[0].calibration = Calibration{1.01, 0.002, "C-17", "2026-03-01"};
  const Report report = run.analysed();
  const BoundaryEnergy& energy = report.energy.at(0);
  EXPECT_DOUBLE_EQ(energy.joules->value(), 12120);  // 400 W x 1.01 x 30 s
  EXPECT_DOUBLE_EQ(energy.components.at(0).half_width, 12120 * 0.002);
  EXPECT_EQ(energy.components.at(0).source, "calibration C-17 of 2026-03-01");
  ASSERT_TRUE(report.instruments.at(0).calibration.has_value());
  EXPECT_EQ(report.instruments[0].calibration->certificate, "C-17");
  EXPECT_EQ(report.instruments[0].accuracy.basis, "certificate");
}

TEST(Calibration, OfACounterAsWell) {
  TestRun run;
  run.counter(0).calibration = Calibration{0.98, 0.001, "C-18", "2026-03-01"};
  for (int t = 0; t <= 50; ++t) run.sample(t, {{0, 400.0 * t}});
  run.answer(20, {1, 2, 3});
  EXPECT_NEAR(run.analysed().energy.at(0).joules->value(), 11760, 1e-9);  // 12000 x 0.98
}

}  // namespace
}  // namespace tokenjoule
