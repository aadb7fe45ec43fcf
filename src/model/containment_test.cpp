#include "model/containment.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

using Facts = std::map<std::string, std::string>;

Device device(const std::string& id, DeviceKind kind, Facts facts = {}) {
  Device device;
  device.id = id;
  device.kind = kind;
  device.facts = std::move(facts);
  return device;
}

Containment of(const Device& a, Boundary at, const Device& b, Boundary other,
               const std::string& sensor_a = "one", const std::string& sensor_b = "other") {
  const Scope first{&a, at, {sensor_a}}, second{&b, other, {sensor_b}};
  const Containment found = containment_of(first, second), back = containment_of(second, first);
  if (found == Containment::contains) {
    EXPECT_EQ(back, Containment::inside);
  } else if (found == Containment::inside) {
    EXPECT_EQ(back, Containment::contains);
  } else {
    EXPECT_EQ(back, found);
  }
  return found;
}

const Device gpu = device("GPU-a", DeviceKind::gpu);
const Device other_gpu = device("GPU-b", DeviceKind::gpu);
const Device cpu = device("cpu:package-0", DeviceKind::cpu);
const Device other_cpu = device("cpu:package-1", DeviceKind::cpu);
const Device memory = device("memory:package-0", DeviceKind::memory);
const Device platform = device("psys", DeviceKind::node);
const Device node = device("bmc-1", DeviceKind::node);
const Device outlet = device("pdu-1/outlet-3", DeviceKind::node, {{"outlet", "3"}});

TEST(ContainmentOf, OneDeviceReadTwiceIsTheSame) {
  EXPECT_EQ(of(gpu, Boundary::gpu_board, gpu, Boundary::gpu_board), Containment::same);
  EXPECT_EQ(of(cpu, Boundary::cpu_package, cpu, Boundary::cpu_package), Containment::same);
  EXPECT_EQ(of(gpu, Boundary::gpu_module, gpu, Boundary::gpu_board), Containment::contains);
  EXPECT_EQ(of(cpu, Boundary::cpu_package, cpu, Boundary::cpu_core), Containment::contains);
}

TEST(ContainmentOf, BoardsPackagesAndMemoriesOfTheirOwnAreDisjoint) {
  EXPECT_EQ(of(gpu, Boundary::gpu_board, other_gpu, Boundary::gpu_board), Containment::disjoint);
  EXPECT_EQ(of(cpu, Boundary::cpu_package, other_cpu, Boundary::cpu_package),
            Containment::disjoint);
  EXPECT_EQ(of(cpu, Boundary::cpu_package, memory, Boundary::dram), Containment::disjoint);
  EXPECT_EQ(of(gpu, Boundary::gpu_board, cpu, Boundary::cpu_package), Containment::disjoint);
  EXPECT_EQ(of(other_cpu, Boundary::cpu_package, cpu, Boundary::cpu_core), Containment::disjoint);
}

TEST(ContainmentOf, AGh200ModuleHoldsItsCpuAndMemorySinceItSaysSo) {
  const Device module = device("GPU-h", DeviceKind::gpu, {{"contains", "cpu, memory"}});
  EXPECT_EQ(of(module, Boundary::gpu_module, cpu, Boundary::cpu_package), Containment::contains);
  EXPECT_EQ(of(module, Boundary::gpu_module, memory, Boundary::dram), Containment::contains);
  EXPECT_EQ(of(module, Boundary::gpu_module, other_gpu, Boundary::gpu_module),
            Containment::disjoint);
}

TEST(ContainmentOf, AModuleByItsRailAndByItsGpusDriverIsNeverCountedAsTwoNorAsOneInTheOther) {
  const Device module = device("GPU-h", DeviceKind::gpu, {{"contains", "cpu, memory"}});
  const Device rail =
      device("module:package-0", DeviceKind::other, {{"contains", "cpu, memory, gpu"}});
  EXPECT_EQ(of(rail, Boundary::gpu_module, module, Boundary::gpu_module), Containment::overlaps);
  EXPECT_EQ(of(rail, Boundary::gpu_module, gpu, Boundary::gpu_board), Containment::contains);
}

TEST(ContainmentOf, TheBoardOfAGh200HoldsNeitherCpuNorMemory) {
  const Device module = device("GPU-h", DeviceKind::gpu, {{"contains", "cpu, memory"}});
  EXPECT_EQ(of(module, Boundary::gpu_board, cpu, Boundary::cpu_package), Containment::disjoint);
  EXPECT_EQ(of(memory, Boundary::dram, module, Boundary::gpu_board), Containment::disjoint);
}

TEST(ContainmentOf, AModuleThatDoesNotSaySoIsNeverAddedToACpu) {
  EXPECT_EQ(of(gpu, Boundary::gpu_module, cpu, Boundary::cpu_package), Containment::overlaps);
}

TEST(ContainmentOf, AnOamIsTheSameDeviceAtBoardAndModule) {
  const Device oam = device("pci:0000:c1:00.0", DeviceKind::gpu);
  EXPECT_EQ(of(oam, Boundary::gpu_module, oam, Boundary::gpu_board), Containment::contains);
  EXPECT_EQ(of(oam, Boundary::gpu_module, other_gpu, Boundary::gpu_board), Containment::disjoint);
}

TEST(ContainmentOf, OneBusAddressUnderTwoNamesIsOneDeviceUnlessUuidsDiffer) {
  const Facts at = {{"pci_address", "0000:c1:00.0"}};
  const Device by_address = device("pci:0000:c1:00.0", DeviceKind::gpu, at);
  const Device by_serial = device("serial-7", DeviceKind::gpu, at);
  EXPECT_EQ(of(by_address, Boundary::gpu_board, by_serial, Boundary::gpu_board), Containment::same);
  const Device here = device("GPU-1", DeviceKind::gpu, at),
               there = device("GPU-2", DeviceKind::gpu, at);
  EXPECT_EQ(of(here, Boundary::gpu_board, there, Boundary::gpu_board), Containment::disjoint);
}

TEST(ContainmentOf, PsysHoldsPackagesAndIsNotAddedToMemory) {
  EXPECT_EQ(of(platform, Boundary::psys, cpu, Boundary::cpu_package), Containment::contains);
  EXPECT_EQ(of(platform, Boundary::psys, memory, Boundary::dram), Containment::overlaps);
  EXPECT_EQ(of(platform, Boundary::psys, gpu, Boundary::gpu_board), Containment::disjoint);
  EXPECT_EQ(of(node, Boundary::node_dc, platform, Boundary::psys), Containment::contains);
}

TEST(ContainmentOf, ANodeHoldsEverythingAndAnOutletAShare) {
  EXPECT_EQ(of(node, Boundary::node_ac, gpu, Boundary::gpu_board), Containment::contains);
  EXPECT_EQ(of(node, Boundary::node_ac, memory, Boundary::dram), Containment::contains);
  EXPECT_EQ(of(outlet, Boundary::node_ac, gpu, Boundary::gpu_board), Containment::overlaps);
}

TEST(ContainmentOf, TwoMetersOfAMachineMayReadTheSamePower) {
  EXPECT_EQ(of(node, Boundary::node_ac, outlet, Boundary::node_ac), Containment::overlaps);
  const Device second = device("bmc-2", DeviceKind::node);
  EXPECT_EQ(of(node, Boundary::node_ac, second, Boundary::node_ac), Containment::overlaps);
}

TEST(ContainmentOf, TwoOutletsOfOneSensorAreDisjoint) {
  const Device second = device("pdu-1/outlet-4", DeviceKind::node, {{"outlet", "4"}});
  EXPECT_EQ(of(outlet, Boundary::node_ac, second, Boundary::node_ac, "snmp", "snmp"),
            Containment::disjoint);
  EXPECT_EQ(of(outlet, Boundary::node_ac, second, Boundary::node_ac, "snmp", "snmp#2"),
            Containment::overlaps);
}

TEST(ContainmentOf, FeedsOfANodeAreDisjointAndAMeterOfItOverlapsThem) {
  const Device a = device("pdu-a", DeviceKind::node, {{"node", "n1"}, {"feed", "a"}});
  const Device b = device("pdu-b", DeviceKind::node, {{"node", "n1"}, {"feed", "b"}});
  const Device whole = device("bmc-1", DeviceKind::node, {{"node", "n1"}});
  EXPECT_EQ(of(a, Boundary::node_ac, b, Boundary::node_ac), Containment::disjoint);
  EXPECT_EQ(of(a, Boundary::node_ac, whole, Boundary::node_ac), Containment::overlaps);
  EXPECT_EQ(of(a, Boundary::node_ac, gpu, Boundary::gpu_board), Containment::overlaps);
  const Device again = device("ipmi-1", DeviceKind::node, {{"node", "n1"}});
  EXPECT_EQ(of(whole, Boundary::node_ac, again, Boundary::node_ac), Containment::same);
}

TEST(ContainmentOf, DifferentNodesShareNothingButTheirRack) {
  const Device one = device("bmc-1", DeviceKind::node, {{"node", "n1"}});
  const Device two = device("bmc-2", DeviceKind::node, {{"node", "n2"}});
  const Device rack = device("inlet", DeviceKind::other);
  EXPECT_EQ(of(one, Boundary::node_ac, two, Boundary::node_ac), Containment::disjoint);
  EXPECT_EQ(of(rack, Boundary::rack, two, Boundary::node_ac), Containment::contains);
}

TEST(ContainmentOf, ASumOfGpusHoldsThoseThatAreReadOneByOne) {
  const Device sum = device("trtllm", DeviceKind::gpu, {{"sum_of_gpus", "which is not told"}});
  EXPECT_EQ(of(sum, Boundary::gpu_board, gpu, Boundary::gpu_board), Containment::contains);
  const Device second = device("trtllm-2", DeviceKind::gpu, {{"sum_of_gpus", ""}});
  EXPECT_EQ(of(sum, Boundary::gpu_board, second, Boundary::gpu_board), Containment::overlaps);
}

}  // namespace
}  // namespace tokenjoule
