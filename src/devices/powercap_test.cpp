#include "devices/powercap.hpp"

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"

namespace tokenjoule {
namespace {

TEST(PowercapTree, ReadsZonesWithHexadecimalNumbersAndTheZoneAroundThem) {
  const TestTree tree;
  tree.write("sys/class/powercap/intel-rapl/enabled", "1\n");
  tree.write("sys/class/powercap/intel-rapl:a/name", "package-10\n");
  tree.write("sys/class/powercap/intel-rapl:a/energy_uj", "5\n");
  tree.write("sys/class/powercap/intel-rapl:a/max_energy_range_uj", "262143328850\n");
  tree.write("sys/class/powercap/intel-rapl:a:0/name", "dram\n");
  tree.write("sys/class/powercap/intel-rapl:a:0/energy_uj", "5\n");
  tree.write("sys/class/powercap/intel-rapl:a:0/max_energy_range_uj", "0\n");
  const PowercapTree found = powercap_tree(tree.root());
  EXPECT_TRUE(found.present);
  ASSERT_EQ(found.zones.size(), 2u);
  EXPECT_EQ(found.zones[0].id, "intel-rapl:a");
  EXPECT_EQ(found.zones[0].parent, "");
  EXPECT_EQ(found.zones[0].range_uj, 262143328850.0);
  EXPECT_EQ(found.zones[1].parent, "intel-rapl:a");
  EXPECT_EQ(found.zones[1].control, "intel-rapl");
  EXPECT_EQ(found.zones[1].range_uj, std::nullopt);  // a range of 0 says nothing
}

TEST(PowercapTree, TellsAbsentFromHidden) {
  const TestTree tree;
  EXPECT_FALSE(powercap_tree(tree.root()).present);
  tree.link("sys/class/powercap/intel-rapl:0", "../../devices/virtual/powercap/intel-rapl:0");
  const PowercapTree found = powercap_tree(tree.root());
  EXPECT_TRUE(found.present);
  EXPECT_TRUE(found.zones.empty());
  EXPECT_EQ(found.masked, std::vector<std::string>{"intel-rapl:0"});
}

}  // namespace
}  // namespace tokenjoule
