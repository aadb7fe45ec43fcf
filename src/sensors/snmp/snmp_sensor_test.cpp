#include "sensors/snmp/snmp_sensor.hpp"

#include <gtest/gtest.h>

#include "sensors/snmp/testing_snmp_agent.hpp"

namespace tokenjoule {
namespace {

using Settings = std::map<std::string, std::string>;
using Agent = ScriptedAgent;

Result<std::unique_ptr<Sensor>> open_at(const Agent& agent, const Settings& more, Clock& clock) {
  Settings settings = {{"host", agent.host()}, {"community", "public"}};
  settings.insert(more.begin(), more.end());
  return open_snmp({"snmp", std::move(settings)}, clock);
}
const Settings kWattHours = {
    {"oid", "1.3.6.1.4.1.99.2"}, {"unit", "Wh"}, {"boundary", "node_ac"}, {"device", "node-7"}};

/// The readings of the next poll that is due.
std::vector<double> next_readings(Sensor& sensor, FakeClock& clock) {
  clock.advance(whole_seconds(1));
  const auto sample = sensor.poll(clock);
  std::vector<double> values;
  if (!sample) return values;
  for (const Reading& reading : sample->readings) values.push_back(reading.raw);
  return values;
}

TEST(SnmpSensor, ReadsPowerAndEnergyOfAnInlet) {
  Agent agent({{"1.3.6.1.4.1.318.1.1.26.4.3.1.5.1", {Agent::kInteger, 412}},
               {"1.3.6.1.4.1.318.1.1.26.4.3.1.9.1", {Agent::kInteger, 170982}}});
  FakeClock clock;
  auto sensor = open_at(agent, {{"profile", "apc"}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const SensorContents& contents = (*sensor)->contents();
  ASSERT_EQ(contents.devices.size(), 1u);
  EXPECT_EQ(contents.devices[0].id, "127.0.0.1/inlet-1");
  ASSERT_EQ(contents.signals.size(), 2u);
  EXPECT_EQ(contents.signals[0].boundary, Boundary::rack);
  EXPECT_EQ(contents.signals[0].kind, SignalKind::gauge);
  EXPECT_EQ(contents.signals[0].raw_unit, "0.01kW");
  EXPECT_EQ(contents.signals[1].kind, SignalKind::counter);
  EXPECT_EQ(contents.signals[1].source, "1.3.6.1.4.1.318.1.1.26.4.3.1.9.1");
  const auto values = next_readings(**sensor, clock);
  EXPECT_EQ(values, (std::vector<double>{412, 170982}));
  EXPECT_EQ(values[0] * contents.signals[0].to_si, 4120);  // 4.12 kW
}

TEST(SnmpSensor, APartThatThePduLacksIsLeftOutAndNeverZero) {
  // -1: this APC has no power there.
  Agent agent({{"1.3.6.1.4.1.318.1.1.26.4.3.1.5.1", {Agent::kInteger, -1}},
               {"1.3.6.1.4.1.318.1.1.26.4.3.1.9.1", {Agent::kInteger, 7}}});
  FakeClock clock;
  const auto sensor = open_at(agent, {{"profile", "apc"}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_EQ((*sensor)->contents().signals[0].measurand, Measurand::energy);
  const auto none = open_at(agent, {{"profile", "apc"}, {"outlet", "3"}}, clock);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::missing);
  EXPECT_NE(none.error().message.find("no such instance"), std::string::npos)
      << none.error().message;
}

TEST(SnmpSensor, AValueThatIsGoneForAWhileIsAGap) {
  Agent agent({{"1.3.6.1.4.1.99.2", {Agent::kGauge32, 5}}});
  FakeClock clock;
  auto sensor = open_at(agent, kWattHours, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  agent.set("1.3.6.1.4.1.99.2", {Agent::kInteger, -1});
  clock.advance(whole_seconds(1));
  EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::retry);
  agent.set("1.3.6.1.4.1.99.2", {Agent::kGauge32, 6});
  EXPECT_EQ(next_readings(**sensor, clock), std::vector<double>{6});
}

TEST(SnmpSensor, ACounterOf32BitsThatWrapsGoesOnAndOneThatWasResetFalls) {
  Agent agent({{"1.3.6.1.4.1.99.2", {Agent::kCounter32, 4294967295}}});
  FakeClock clock;
  auto sensor = open_at(agent, kWattHours, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ(next_readings(**sensor, clock), std::vector<double>{4294967295.0});
  agent.set("1.3.6.1.4.1.99.2", {Agent::kCounter32, 1});
  EXPECT_EQ(next_readings(**sensor, clock), std::vector<double>{4294967297.0});
  agent.set("1.3.6.1.4.1.99.2", {Agent::kCounter32, 9000});
  next_readings(**sensor, clock);
  agent.set("1.3.6.1.4.1.99.2", {Agent::kCounter32, 2});
  EXPECT_EQ(next_readings(**sensor, clock), std::vector<double>{2});
}

TEST(SnmpSensor, SixtyFourBitsAndDecimalsInTextAreRead) {
  Agent agent({{"1.3.6.1.4.1.99.2", {Agent::kCounter64, INT64_C(5000000000)}},
               {"1.3.6.1.4.1.99.3", {Agent::kText, 0, "412.5"}}});
  FakeClock clock;
  auto sensor = open_at(agent, kWattHours, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ(next_readings(**sensor, clock), std::vector<double>{5e9});
  auto text =
      open_at(agent, {{"oid", "1.3.6.1.4.1.99.3"}, {"unit", "W"}, {"boundary", "rack"}}, clock);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_EQ(next_readings(**text, clock), std::vector<double>{412.5});
}

Agent raritan(int unit, int digits) {
  return Agent({{"1.3.6.1.4.1.13742.6.5.4.3.1.4.1.6.5", {Agent::kGauge32, 4125}},
                {"1.3.6.1.4.1.13742.6.3.5.4.1.7.1.6.5", {Agent::kGauge32, digits}},
                {"1.3.6.1.4.1.13742.6.3.5.4.1.6.1.6.5", {Agent::kInteger, unit}}});
}

TEST(SnmpSensor, RaritanTellsItsDigitsAndItsUnit) {
  Agent agent = raritan(3, 1);
  FakeClock clock;
  const auto sensor = open_at(agent, {{"profile", "raritan"}, {"outlet", "6"}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_DOUBLE_EQ((*sensor)->contents().signals.at(0).to_si * 4125, 412.5);
}

TEST(SnmpSensor, AnotherUnitThanExpectedIsRefusedWithTheReason) {
  Agent agent = raritan(4, 0);  // volt-amperes
  FakeClock clock;
  const auto sensor = open_at(agent, {{"profile", "raritan"}, {"outlet", "6"}}, clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("unit 4"), std::string::npos) << sensor.error().message;
}

TEST(SnmpSensor, ThePduIsAskedNoMoreOftenThanItsPeriod) {
  Agent agent({{"1.3.6.1.4.1.99.2", {Agent::kGauge32, 5}}});
  FakeClock clock;
  auto sensor = open_at(agent, kWattHours, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().signals.at(0).period, Seconds(1));
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 1u);
  const int asked = agent.requests();
  clock.advance(milliseconds(500));
  EXPECT_TRUE((*sensor)->poll(clock)->readings.empty());
  EXPECT_EQ(agent.requests(), asked);
  clock.advance(milliseconds(500));
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 1u);
}

TEST(SnmpSensor, ManyOutletsComeInAFewExchanges) {
  std::map<std::string, Agent::Value> values;
  std::string outlets;
  for (int n = 1; n <= 42; ++n) {
    values["1.3.6.1.4.1.318.1.1.26.9.4.3.1.7." + std::to_string(n)] = {Agent::kInteger, 100 + n};
    outlets += (n > 1 ? "+" : "") + std::to_string(n);
  }
  Agent agent(values);
  FakeClock clock;
  auto sensor = open_at(agent, {{"profile", "apc"}, {"outlet", outlets}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  const int before = agent.requests();
  const auto readings = next_readings(**sensor, clock);
  EXPECT_EQ(agent.requests() - before, 2);
  ASSERT_EQ(readings.size(), 42u);
  EXPECT_EQ(readings[41], 142);
}

TEST(SnmpSensor, ASilentAgentIsGivenUpAfterItsTriesAndTriedAgainAtTheNextPoll) {
  Agent agent({{"1.3.6.1.4.1.99.2", {Agent::kGauge32, 5}}});
  FakeClock clock;
  Settings settings = kWattHours;
  settings.insert({{"timeout", "50ms"}, {"retries", "2"}});
  auto sensor = open_at(agent, settings, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  agent.set_silent(true);
  const int before = agent.requests();
  clock.advance(whole_seconds(1));
  const auto sample = (*sensor)->poll(clock);
  ASSERT_FALSE(sample.has_value());
  EXPECT_EQ(sample.error().kind, ErrorKind::retry);
  EXPECT_NE(sample.error().hint.find("community"), std::string::npos);
  EXPECT_EQ(agent.requests() - before, 3);
  agent.set_silent(false);
  EXPECT_EQ(next_readings(**sensor, clock), std::vector<double>{5});
}

TEST(SnmpSensor, NobodyThereIsAnErrorThatSaysWhatToCheck) {
  FakeClock clock;
  Settings settings = kWattHours;
  // Port 1 of loopback: nothing listens there.
  settings.insert(
      {{"host", "127.0.0.1:1"}, {"community", "public"}, {"timeout", "50ms"}, {"retries", "0"}});
  const auto sensor = open_snmp({"snmp", settings}, clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("127.0.0.1 port 1"), std::string::npos);
  EXPECT_FALSE(sensor.error().hint.empty());
}

}  // namespace
}  // namespace tokenjoule
