#include "sensors/redfish/redfish_meters.hpp"

#include <map>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace tokenjoule {
namespace {

using Pages = std::map<std::string, std::string>;

Result<RedfishNode> node_of(const Pages& pages, RedfishWish wish = {}) {
  wish.host = "bmc";
  return redfish_node(
      [&](const std::string& path) -> Result<JsonDocument> {
        const auto page = pages.find(path);
        if (page == pages.end()) return failure(ErrorKind::missing, "no page " + path);
        return JsonDocument::parse(page->second);
      },
      wish);
}

std::optional<double> value_of(const RedfishMeter& meter, const std::string& page) {
  const auto document = JsonDocument::parse(page);
  return redfish_value(document->root(), meter);
}

/// "/redfish/v1/Chassis/X" with all that is named in `links`.
std::string chassis_page(const std::string& id, const std::vector<std::string>& links) {
  std::string text = "{";
  for (const std::string& link : links) {
    text += "\"" + link + "\":{\"@odata.id\":\"/redfish/v1/Chassis/" + id + "/" + link + "\"},";
  }
  return text + "\"Manufacturer\":\"ACME\",\"Model\":\"X8\"}";
}

std::string members(const std::string& folder, const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) {
    text += (text.empty() ? "" : ",") + ("{\"@odata.id\":\"" + folder) + "/" + id + "\"}";
  }
  return "{\"Members\":[" + text + "]}";
}

constexpr char kChassis[] = "/redfish/v1/Chassis";
const std::string kOne = "/redfish/v1/Chassis/1";

Pages old_service(const std::string& power) {
  return {{kChassis, members(kChassis, {"1"})},
          {kOne, chassis_page("1", {"Power"})},
          {kOne + "/Power", power}};
}

Pages new_service(const std::string& environment) {
  return {{kChassis, members(kChassis, {"1"})},
          {kOne, chassis_page("1", {"EnvironmentMetrics"})},
          {kOne + "/EnvironmentMetrics", environment}};
}

TEST(RedfishNode, TheOlderPageGivesWhatTheChassisDrawsNowAndNotItsParts) {
  const auto node = node_of(old_service(
      R"({"PowerControl":[{"PowerConsumedWatts":4712,"PowerMetrics":{"IntervalInMin":1,
          "AverageConsumedWatts":4600}},{"Name":"CPU","PowerConsumedWatts":600}]})"));
  ASSERT_TRUE(node.has_value()) << node.error().message;
  ASSERT_EQ(node->meters.size(), 1U);
  const Signal& signal = node->meters[0].signal;
  EXPECT_EQ(signal.measurand, Measurand::power);
  EXPECT_EQ(signal.boundary, Boundary::node_ac);
  EXPECT_EQ(signal.raw_unit, "W");
  EXPECT_EQ(signal.averaging, std::nullopt);  // as it is now
  EXPECT_EQ(value_of(node->meters[0], R"({"PowerControl":[{"PowerConsumedWatts":4713.5}]})"),
            4713.5);
  ASSERT_EQ(node->devices.size(), 1U);
  EXPECT_EQ(node->devices[0].id, "redfish:bmc/1");
  EXPECT_EQ(node->devices[0].name, "ACME X8");
  EXPECT_EQ(node->devices[0].kind, DeviceKind::node);
}

TEST(RedfishNode, TheNewerPageGivesPowerAndEnergyInKilowattHours) {
  const auto node =
      node_of(new_service(R"({"PowerWatts":{"Reading":374},"EnergykWh":{"Reading":1.5}})"));
  ASSERT_TRUE(node.has_value()) << node.error().message;
  ASSERT_EQ(node->meters.size(), 2U);
  const Signal& energy = node->meters[0].signal;
  EXPECT_EQ(energy.measurand, Measurand::energy);
  EXPECT_EQ(energy.kind, SignalKind::counter);
  EXPECT_EQ(energy.raw_unit, "kWh");
  EXPECT_DOUBLE_EQ(1.5 * energy.to_si, 5'400'000.0);  // 1.5 kWh of 3.6 MJ each
  EXPECT_EQ(node->meters[1].signal.measurand, Measurand::power);
}

TEST(RedfishNode, OfTwoUnitsOfOneCounterTheFinerOneIsRead) {
  const auto node =
      node_of(new_service(R"({"EnergyJoules":{"Reading":5400123},"EnergykWh":{"Reading":1.5}})"));
  ASSERT_TRUE(node.has_value());
  ASSERT_EQ(node->meters.size(), 1U);
  EXPECT_EQ(node->meters[0].signal.raw_unit, "J");
  EXPECT_EQ(node->meters[0].signal.to_si, 1.0);
}

TEST(RedfishNode, AnAverageIsReadWhereThereIsNothingElseAndOnlyOverTheTimeThatItTold) {
  const std::string power = R"({"PowerControl":[{"PowerConsumedWatts":null,
      "PowerMetrics":{"IntervalInMin":1,"AverageConsumedWatts":4600}}]})";
  const auto node = node_of(old_service(power));
  ASSERT_TRUE(node.has_value()) << node.error().message;
  ASSERT_EQ(node->meters.size(), 1U);
  EXPECT_EQ(node->meters[0].signal.averaging->value(), 60.0);
  EXPECT_EQ(value_of(node->meters[0], power), 4600.0);
  EXPECT_EQ(value_of(node->meters[0], R"({"PowerControl":[{"PowerMetrics":{"IntervalInMin":20,
      "AverageConsumedWatts":4600}}]})"),
            std::nullopt);
  EXPECT_FALSE(node_of(old_service(R"({"PowerControl":[{"PowerMetrics":
      {"AverageConsumedWatts":4600}}]})"))
                   .has_value());  // over which time is not told
}

TEST(RedfishValue, NullTextMissingAndNegativeAreAbsentAndNeverZero) {
  const auto node = node_of(old_service(R"({"PowerControl":[{"PowerConsumedWatts":"344"}]})"));
  ASSERT_TRUE(node.has_value()) << "a number written as text is a number";
  const auto value = [&](const std::string& written) {
    return value_of(node->meters[0],
                    "{\"PowerControl\":[{\"PowerConsumedWatts\":" + written + "}]}");
  };
  EXPECT_EQ(value("\" 344.5 \""), 344.5);
  for (const char* absent : {"null", "\"n/a\"", "-1", "{}", "[]", "true", "NaN", "\"\""}) {
    EXPECT_EQ(value(absent), std::nullopt) << absent;
  }
  EXPECT_EQ(value_of(node->meters[0], "{}"), std::nullopt);
  EXPECT_EQ(value_of(node->meters[0], R"({"PowerControl":[]})"), std::nullopt);
  EXPECT_EQ(value_of(node->meters[0], R"({"PowerControl":null})"), std::nullopt);
}

TEST(RedfishValue, ZeroWattsOfAWholeNodeIsNoReading) {
  const auto node = node_of(new_service(R"({"PowerWatts":{"Reading":374}})"));
  EXPECT_EQ(value_of(node->meters.at(0), R"({"PowerWatts":{"Reading":0}})"), std::nullopt);
  EXPECT_FALSE(node_of(new_service(R"({"PowerWatts":{"Reading":0}})")).has_value());
}

constexpr char kTwoListed[] = R"({"PowerSupplies":[
    {"@odata.id":"/p#/0","MemberId":"0","PowerInputWatts":210,"LastPowerOutputWatts":190},
    {"@odata.id":"/p#/1","MemberId":"1","PowerInputWatts":202,"LastPowerOutputWatts":184},
    {"@odata.id":"/p#/1","MemberId":"1","PowerInputWatts":202},
    {"@odata.id":"/p#/2","MemberId":"2","Status":{"State":"Absent"},"PowerInputWatts":null}]})";

TEST(RedfishNode, SuppliesAreReadWhereTheChassisTellsNothingEachOnceAndNotThoseUnplugged) {
  const auto node = node_of(old_service(kTwoListed));
  ASSERT_TRUE(node.has_value()) << node.error().message;
  ASSERT_EQ(node->meters.size(), 2U);
  EXPECT_EQ(node->devices.at(0).id, "redfish:bmc/1/0");
  EXPECT_EQ(node->devices.at(1).id, "redfish:bmc/1/1");
  EXPECT_EQ(node->meters[0].signal.boundary, Boundary::node_ac);  // inputs, not outputs
  EXPECT_EQ(value_of(node->meters[0], kTwoListed), 210.0);
  EXPECT_EQ(value_of(node->meters[1], kTwoListed), 202.0);
}

TEST(RedfishNode, ASupplyThatIsPulledDoesNotHandItsPlaceToTheNextOne) {
  const auto node = node_of(old_service(kTwoListed));
  ASSERT_TRUE(node.has_value());
  const std::string without_the_first =
      R"({"PowerSupplies":[{"@odata.id":"/p#/1","MemberId":"1","PowerInputWatts":390}]})";
  EXPECT_EQ(value_of(node->meters[0], without_the_first), std::nullopt);
  EXPECT_EQ(value_of(node->meters[1], without_the_first), std::nullopt);
}

TEST(RedfishNode, ASupplyWithoutAValueStaysInTheNodeSoThatItIsNotASmallerSum) {
  const auto node = node_of(old_service(R"({"PowerSupplies":[
      {"MemberId":"0","PowerInputWatts":210},{"MemberId":"1","PowerInputWatts":null}]})"));
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->devices.size(), 2U);
  EXPECT_EQ(node->meters.size(), 2U);
}

TEST(RedfishNode, OutputsOfSuppliesAreBehindThem) {
  const auto node =
      node_of(old_service(R"({"PowerSupplies":[{"MemberId":"0","LastPowerOutputWatts":190}]})"));
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->meters[0].signal.boundary, Boundary::node_dc);
}

Pages service_with_subsystem() {
  const std::string supplies = kOne + "/PowerSubsystem/PowerSupplies";
  return {
      {kChassis, members(kChassis, {"1"})},
      {kOne, chassis_page("1", {"PowerSubsystem", "EnvironmentMetrics"})},
      {kOne + "/EnvironmentMetrics", R"({"PowerWatts":{"Reading":null}})"},
      {kOne + "/PowerSubsystem", "{\"PowerSupplies\":{\"@odata.id\":\"" + supplies + "\"}}"},
      {supplies, members(supplies, {"A", "B", "B", "C"})},
      {supplies + "/A", "{\"Metrics\":{\"@odata.id\":\"" + supplies + "/A/Metrics\"}}"},
      {supplies + "/B", "{\"Metrics\":{\"@odata.id\":\"" + supplies + "/B/Metrics\"}}"},
      {supplies + "/C", R"({"Status":{"State":"Absent"}})"},
      {supplies + "/A/Metrics", R"({"InputPowerWatts":{"Reading":200},"EnergykWh":{"Reading":7}})"},
      {supplies + "/B/Metrics", R"({"InputPowerWatts":{"Reading":0}})"}};
}

TEST(RedfishNode, TheNewerSuppliesHavePagesOfTheirOwn) {
  const auto node = node_of(service_with_subsystem());
  ASSERT_TRUE(node.has_value()) << node.error().message;
  ASSERT_EQ(node->meters.size(), 3U);  // power and energy of A, power of B
  EXPECT_EQ(node->devices.size(), 2U);
  EXPECT_EQ(node->meters[1].signal.measurand, Measurand::energy);
  // A supply in standby may draw nothing: of it 0 W is a reading.
  EXPECT_EQ(value_of(node->meters[2], R"({"InputPowerWatts":{"Reading":0}})"), 0.0);
}

TEST(RedfishNode, ChassisAndSuppliesAreNeverBothRead) {
  Pages pages = service_with_subsystem();
  pages[kOne + "/EnvironmentMetrics"] = R"({"PowerWatts":{"Reading":400}})";
  const auto chassis = node_of(pages);
  ASSERT_TRUE(chassis.has_value());
  EXPECT_EQ(chassis->devices.size(), 1U);
  const auto supplies = node_of(pages, {.source = RedfishWish::Source::supplies});
  ASSERT_TRUE(supplies.has_value());
  EXPECT_EQ(supplies->devices.size(), 2U);
}

Pages service_with_a_baseboard() {
  Pages pages = old_service(R"({"PowerControl":[{"PowerConsumedWatts":6000}],
                               "PowerSupplies":[{"MemberId":"0"}]})");
  pages[kChassis] = members(kChassis, {"HGX", "1"});
  pages["/redfish/v1/Chassis/HGX"] = chassis_page("HGX", {"Power"});
  pages["/redfish/v1/Chassis/HGX/Power"] = R"({"PowerControl":[{"PowerConsumedWatts":5000}]})";
  return pages;
}

TEST(RedfishNode, OfSeveralChassisTheOneWithPowerSuppliesIsTheNode) {
  const auto node = node_of(service_with_a_baseboard());
  ASSERT_TRUE(node.has_value()) << node.error().message;
  ASSERT_EQ(node->meters.size(), 1U);
  EXPECT_EQ(node->meters[0].page, kOne + "/Power");
  const auto named = node_of(service_with_a_baseboard(), {.chassis = "HGX"});
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->meters[0].page, "/redfish/v1/Chassis/HGX/Power");
}

TEST(RedfishNode, WhereTheNodeCannotBeToldTheChoicesAreNamed) {
  Pages pages = service_with_a_baseboard();
  pages[kOne + "/Power"] = R"({"PowerControl":[{"PowerConsumedWatts":6000}]})";
  const auto undecided = node_of(pages);
  ASSERT_FALSE(undecided.has_value());
  EXPECT_NE(undecided.error().message.find("HGX, 1"), std::string::npos)
      << undecided.error().message;
  EXPECT_NE(undecided.error().hint.find("chassis="), std::string::npos);
  const auto unknown = node_of(pages, {.chassis = "HGY"});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("did you mean HGX"), std::string::npos);
}

TEST(RedfishNode, TheUserSaysWhatAReadingCoversAndWhoseItIs) {
  const auto node = node_of(old_service(R"({"PowerControl":[{"PowerConsumedWatts":90}]})"),
                            {.boundary = Boundary::node_dc, .device = "node7"});
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->meters[0].signal.boundary, Boundary::node_dc);
  EXPECT_EQ(node->meters[0].signal.device, "node7");
  EXPECT_EQ(node->devices[0].id, "node7");
}

}  // namespace
}  // namespace tokenjoule
