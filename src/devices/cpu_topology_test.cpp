#include "devices/cpu_topology.hpp"

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"

namespace tokenjoule {
namespace {

TEST(CpuPlaces, AreThoseOfWhichThePackageIsKnown) {
  const TestTree tree;
  const std::string folder = "sys/devices/system/cpu/";
  tree.write(folder + "cpu0/topology/physical_package_id", "0\n");
  tree.write(folder + "cpu10/topology/physical_package_id", "1\n");
  tree.write(folder + "cpu10/topology/die_id", "2\n");
  tree.write(folder + "cpu3/online", "0\n");
  tree.write(folder + "cpu4/topology/physical_package_id", "-1\n");  // some ARM firmware
  tree.write(folder + "cpufreq/boost", "1\n");
  const auto places = cpu_places(tree.root());
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].die, std::nullopt);
  EXPECT_EQ(places[1].cpu, 10);
  EXPECT_EQ(places[1].package, 1);
  EXPECT_EQ(places[1].die, 2);
}

TEST(CpuListIn, TakesRangesAndSingleNumbers) {
  EXPECT_EQ(cpu_list_in("0-2,8\n"), (std::vector<int>{0, 1, 2, 8}));
  for (const char* text : {"", "a", "3-1", "0-", "-1", "0-99999999"}) {
    EXPECT_EQ(cpu_list_in(text), std::nullopt) << text;
  }
}

TEST(CpuModelIn, TellsVendorNameAndWhetherThisIsAGuest) {
  const TestTree tree;
  tree.write("cpuinfo",
             "processor : 0\nvendor_id\t: AuthenticAMD\nmodel name\t: Test 9000\n"
             "flags\t\t: fpu hypervisor sse\n\nprocessor : 1\nvendor_id : Other\n");
  const CpuModel model = cpu_model_in(tree.root());
  EXPECT_EQ(model.vendor, "AuthenticAMD");
  EXPECT_EQ(model.name, "Test 9000");
  EXPECT_TRUE(model.virtual_machine);
  EXPECT_EQ(cpu_model_in(tree.root() / "no").vendor, "");
}

}  // namespace
}  // namespace tokenjoule
