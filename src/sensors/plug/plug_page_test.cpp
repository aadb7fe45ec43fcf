#include "sensors/plug/plug_page.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

PlugValues values_of(PlugKind kind, const std::string& page, int outlet = 0) {
  const auto document = JsonDocument::parse(page);
  EXPECT_TRUE(document.has_value()) << page;
  return plug_values(kind, outlet, document->root());
}

double joules_of(PlugKind kind, double raw) { return raw * facts_of(kind).joules_per_unit; }

TEST(PlugPage, AShellyOfGeneration1CountsWattMinutes) {
  const std::string page = R"({"meters":[{"power":120.5,"is_valid":true,"total":600},
                                         {"power":7,"is_valid":true,"total":3}],"uptime":99})";
  const PlugValues first = values_of(PlugKind::shelly_gen1, page);
  EXPECT_EQ(first.power_w, 120.5);
  EXPECT_EQ(joules_of(PlugKind::shelly_gen1, *first.energy), 36'000);  // 600 W min of 60 J
  EXPECT_EQ(first.uptime_s, 99.0);
  EXPECT_EQ(values_of(PlugKind::shelly_gen1, page, 1).power_w, 7.0);
  EXPECT_EQ(values_of(PlugKind::shelly_gen1, page, 2).power_w, std::nullopt);
}

TEST(PlugPage, AShellyMeterOfGeneration1CountsWattHours) {
  const PlugValues values = values_of(PlugKind::shelly_gen1_meter,
                                      R"({"emeters":[{"power":90,"is_valid":true,"total":10.5}]})");
  EXPECT_EQ(values.power_w, 90.0);
  EXPECT_EQ(joules_of(PlugKind::shelly_gen1_meter, *values.energy), 37'800);  // 10.5 Wh of 3600 J
}

TEST(PlugPage, AShellyOfGeneration2CountsWattHoursAndNotKilowattHours) {
  const PlugValues values = values_of(
      PlugKind::shelly_gen2,
      R"({"id":0,"output":true,"apower":10.7,"aenergy":{"total":46791.262,"by_minute":[73.9]}})");
  EXPECT_EQ(values.power_w, 10.7);
  EXPECT_DOUBLE_EQ(joules_of(PlugKind::shelly_gen2, *values.energy), 168'448'543.2);
}

TEST(PlugPage, TasmotaCountsKilowattHours) {
  const PlugValues values = values_of(
      PlugKind::tasmota,
      R"({"StatusSNS":{"ENERGY":{"TotalStartTime":"2021-08-01T20:07:29","Total":284.509,"Power":2}}})");
  EXPECT_EQ(values.power_w, 2.0);
  EXPECT_DOUBLE_EQ(joules_of(PlugKind::tasmota, *values.energy), 1'024'232'400);  // of 3.6 MJ
  EXPECT_EQ(values.counting_since, "2021-08-01T20:07:29");
}

TEST(PlugPage, OfSeveralTasmotaOutletsASumIsNoOutletsEnergy) {
  const std::string sum = R"({"StatusSNS":{"ENERGY":{"Total":9.5,"Power":[2,30]}}})";
  EXPECT_EQ(values_of(PlugKind::tasmota, sum, 1).power_w, 30.0);
  EXPECT_EQ(values_of(PlugKind::tasmota, sum, 1).energy, std::nullopt);
  const std::string each = R"({"StatusSNS":{"ENERGY":{"Total":[9.5,1.5],"Power":[2,30]}}})";
  EXPECT_EQ(values_of(PlugKind::tasmota, each, 1).energy, 1.5);
  const std::string one = R"({"StatusSNS":{"ENERGY":{"Total":9.5,"Power":2}}})";
  EXPECT_EQ(values_of(PlugKind::tasmota, one, 1).power_w, std::nullopt);
}

TEST(PlugPage, WhatIsNullMissingNegativeOrInvalidIsAbsentAndNeverZero) {
  for (const char* page : {"{}", R"({"apower":null})", R"({"apower":-3,"aenergy":{"total":-1}})",
                           R"({"apower":"n/a","aenergy":7})", "[]"}) {
    EXPECT_EQ(values_of(PlugKind::shelly_gen2, page).power_w, std::nullopt) << page;
    EXPECT_EQ(values_of(PlugKind::shelly_gen2, page).energy, std::nullopt) << page;
  }
  const PlugValues invalid =
      values_of(PlugKind::shelly_gen1, R"({"meters":[{"power":0,"is_valid":false,"total":0}]})");
  EXPECT_EQ(invalid.power_w, std::nullopt);
  EXPECT_EQ(invalid.energy, std::nullopt);
  EXPECT_EQ(values_of(PlugKind::tasmota, R"({"StatusSNS":{}})").power_w, std::nullopt);
  // An outlet that is off draws nothing: of a plug 0 W is a reading.
  EXPECT_EQ(values_of(PlugKind::shelly_gen2, R"({"apower":0.0})").power_w, 0.0);
}

TEST(PlugPage, AShellySaysOfWhichKindItIs) {
  const auto kind_of = [](const std::string& page) {
    const auto document = JsonDocument::parse(page);
    return shelly_kind(document->root());
  };
  EXPECT_EQ(kind_of(R"({"type":"SHPLG-S","mac":"5C","num_meters":1})"), PlugKind::shelly_gen1);
  EXPECT_EQ(kind_of(R"({"type":"SHEM","num_emeters":2})"), PlugKind::shelly_gen1_meter);
  EXPECT_EQ(kind_of(R"({"id":"x","gen":3,"model":"S3PL"})"), PlugKind::shelly_gen2);
  EXPECT_EQ(kind_of(R"({"hello":1})"), std::nullopt);
}

}  // namespace
}  // namespace tokenjoule
