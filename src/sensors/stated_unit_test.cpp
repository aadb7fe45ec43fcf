#include "sensors/stated_unit.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(StatedUnit, IsPowerOrEnergyWithItsFactorToSi) {
  struct Case {
    const char* text;
    Measurand measurand;
    double to_si;
  };
  for (const Case& each :
       {Case{"W", Measurand::power, 1}, Case{"mW", Measurand::power, 1e-3},
        Case{"0.1W", Measurand::power, 0.1}, Case{"10W", Measurand::power, 10},
        Case{"0.01kW", Measurand::power, 10}, Case{"J", Measurand::energy, 1},
        Case{"uJ", Measurand::energy, 1e-6}, Case{"MJ", Measurand::energy, 1e6},
        Case{"Wh", Measurand::energy, 3600}, Case{"Wmin", Measurand::energy, 60},
        Case{"kWh", Measurand::energy, 3.6e6}, Case{"0.1kWh", Measurand::energy, 3.6e5}}) {
    const auto unit = stated_unit_in(each.text);
    ASSERT_TRUE(unit.has_value()) << each.text;
    EXPECT_EQ(unit->measurand, each.measurand) << each.text;
    EXPECT_DOUBLE_EQ(unit->to_si, each.to_si) << each.text;
    EXPECT_EQ(unit->name, each.text);
  }
}

TEST(StatedUnit, AnythingElseIsAUsageErrorThatNamesUnits) {
  for (const char* text : {"", "w", "V", "0W", "-1W", "1.2.3W", "W ", "GWh", "10", "kkW", "1e3W"}) {
    const auto unit = stated_unit_in(text);
    ASSERT_FALSE(unit.has_value()) << text;
    EXPECT_EQ(unit.error().kind, ErrorKind::usage);
    EXPECT_NE(unit.error().hint.find("0.1kWh"), std::string::npos);
  }
}

TEST(UnitAndBoundary, AreNeverAssumed) {
  const SensorSpec bare{"snmp", {}};
  EXPECT_EQ(unit_setting(bare).error().kind, ErrorKind::usage);
  EXPECT_EQ(boundary_setting(bare, std::nullopt).error().kind, ErrorKind::usage);
  EXPECT_EQ(*boundary_setting(bare, Boundary::rack), Boundary::rack);
  const SensorSpec stated{"snmp", {{"unit", "W"}, {"boundary", "node_ac"}}};
  EXPECT_EQ(unit_setting(stated)->name, "W");
  EXPECT_EQ(*boundary_setting(stated, std::nullopt), Boundary::node_ac);
  EXPECT_EQ(boundary_setting({"snmp", {{"boundary", "node"}}}, Boundary::rack).error().kind,
            ErrorKind::usage);
}

}  // namespace
}  // namespace tokenjoule
