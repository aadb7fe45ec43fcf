#include "sensors/ipmi/ipmi_sensor.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "sensors/ipmi/scripted_ipmitool.hpp"

namespace tokenjoule {
namespace {

class IpmiSensorTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Sensor>> opened(std::map<std::string, std::string> more = {}) {
    std::map<std::string, std::string> settings = {
        {"host", "bmc7"}, {"user", "reader"}, {"password_env", "TOKENJOULE_TEST_PASSWORD"}};
    for (auto& [key, value] : more) settings[key] = value;
    std::erase_if(settings, [](const auto& setting) { return setting.second.empty(); });
    return open_ipmi({"ipmi", settings}, clock);
  }
  /// The next poll whose time has come.
  Result<Sample> next_of(Sensor& sensor) {
    clock.advance(whole_seconds(2));
    return sensor.poll(clock);
  }

  ScriptedIpmitool ipmitool;
  FakeClock clock;
};

TEST_F(IpmiSensorTest, ReadsTheCurrentPowerAsAnInstantaneousReadingOfTheNode) {
  auto sensor = opened({{"group", "g"}});
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_TRUE((*sensor)->keeps_own_pace());
  const SensorContents& contents = (*sensor)->contents();
  ASSERT_EQ(contents.signals.size(), 1U);
  EXPECT_EQ(contents.signals[0].boundary, Boundary::node_ac);
  EXPECT_EQ(contents.signals[0].averaging, std::nullopt);
  EXPECT_EQ(contents.devices.at(0).id, "ipmi:a123456789abcdefa123456789abcdef");
  EXPECT_EQ(contents.devices[0].group, "g");
  EXPECT_TRUE(contents.devices[0].facts.empty());
  EXPECT_EQ(next_of(**sensor)->readings.at(0).raw, 412.0);
  ipmitool.answer("9d 01", "98 01", "e8 03 00 00", "40");
  EXPECT_EQ(next_of(**sensor)->readings.at(0).raw, 413.0);
}

TEST_F(IpmiSensorTest, ThePasswordGoesThroughTheEnvironmentAndNeverThroughTheArguments) {
  auto sensor = opened({{"port", "6230"}, {"cipher", "3"}, {"privilege", "OPERATOR"}});
  ASSERT_TRUE(sensor.has_value());
  const std::string first = ipmitool.calls().substr(0, ipmitool.calls().find('\n'));
  EXPECT_EQ(first,
            "-I lanplus -H bmc7 -p 6230 -U reader -E -L OPERATOR -N 1 -R 2 -C 3 raw 0x2c 0x02 "
            "0xdc 0x01 0x00 0x00 PASSWORD=s3cret");
  EXPECT_EQ(getenv("IPMI_PASSWORD"), nullptr);
}

TEST_F(IpmiSensorTest, TheAverageIsReadWhenAskedForAndOnlyOverTheTimeThatItTold) {
  auto sensor = opened({{"value", "average"}});
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().signals.at(0).averaging->value(), 1.0);
  EXPECT_EQ(next_of(**sensor)->readings.at(0).raw, 408.0);
  ipmitool.answer("9c 01", "98 01", "d0 07 00 00",
                  "40");  // over 2 s now: since it was started, maybe
  EXPECT_TRUE(next_of(**sensor)->readings.empty());
  EXPECT_EQ((*sensor)->take_losses().size(), 1U);
  ipmitool.answer("9c 01", "98 01", "00 00 00 00", "40");
  EXPECT_FALSE(opened({{"value", "average"}}).has_value());
  EXPECT_TRUE(opened().has_value());  // the current power needs no period
}

TEST_F(IpmiSensorTest, AMeasurementThatIsNotActiveIsAbsentAndNotZero) {
  auto sensor = opened();
  ASSERT_TRUE(sensor.has_value());
  ipmitool.answer("00 00", "00 00", "00 00 00 00", "00");
  const auto sample = next_of(**sensor);
  ASSERT_TRUE(sample.has_value());
  EXPECT_TRUE(sample->readings.empty());
  const auto losses = (*sensor)->take_losses();
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_NE(losses[0].reason.find("not measuring"), std::string::npos);
}

TEST_F(IpmiSensorTest, AnInactiveMeasurementWithAValueIsTakenOnlyWhenAskedForAndIsMarked) {
  ipmitool.answer("9c 01", "98 01", "00 00 00 00", "00");  // as seen on OpenBMC
  const auto refused = opened();
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("412 W"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().hint.find("accept_inactive=yes"), std::string::npos);
  auto sensor = opened({{"accept_inactive", "yes"}});
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().devices[0].facts.at("dcmi_power_measurement"), "inactive");
  EXPECT_EQ(next_of(**sensor)->readings.at(0).raw, 412.0);
  ipmitool.answer("00 00", "98 01", "00 00 00 00", "00");
  EXPECT_TRUE(next_of(**sensor)->readings.empty());
}

TEST_F(IpmiSensorTest, ZeroWattsAndAllOnesAreNoReading) {
  auto sensor = opened();
  ASSERT_TRUE(sensor.has_value());
  for (const char* watts : {"00 00", "ff ff"}) {
    ipmitool.answer(watts, "98 01", "e8 03 00 00", "40");
    EXPECT_TRUE(next_of(**sensor)->readings.empty()) << watts;
  }
}

TEST_F(IpmiSensorTest, WhatPassesIsTriedAgainAndWhatDoesNotEndsTheSensor) {
  auto sensor = opened();
  ASSERT_TRUE(sensor.has_value());
  ipmitool.write("power", "Unable to send RAW command (rsp=0xc0): Node busy\n");
  EXPECT_EQ(next_of(**sensor).error().kind, ErrorKind::retry);
  ipmitool.write("power", "Error: Unable to establish IPMI v2 / RMCP+ session\n");
  EXPECT_EQ(next_of(**sensor).error().kind, ErrorKind::retry);
  ipmitool.answer("9c 01", "98 01", "e8 03 00 00", "40");
  EXPECT_EQ(next_of(**sensor)->readings.size(), 1U);
  ipmitool.write("power", "Unable to send RAW command (rsp=0xc1): Invalid command\n");
  EXPECT_EQ(next_of(**sensor).error().kind, ErrorKind::unavailable);
  const auto absent = opened();
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().kind, ErrorKind::missing);
  EXPECT_NE(absent.error().message.find("does not know the command"), std::string::npos);
}

TEST_F(IpmiSensorTest, AControllerThatDoesNotAnswerIsCutOffInTime) {
  ipmitool.write("ipmitool", "#!/bin/sh\nexec tail -f /dev/null\n");
  const auto sensor = opened({{"timeout", "0.1s"}});
  ASSERT_FALSE(sensor.has_value());
  EXPECT_NE(sensor.error().message.find("in time"), std::string::npos) << sensor.error().message;
}

TEST_F(IpmiSensorTest, WithoutIpmitoolItSaysWhatToInstall) {
  setenv("PATH", "/no/such/folder", 1);
  const auto sensor = opened();
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().hint.find("install ipmitool"), std::string::npos);
}

TEST_F(IpmiSensorTest, InBandItNeedsTheKernelsDevice) {
  const auto absent = open_ipmi({"ipmi", {{"file", "/no/such/ipmi0"}}}, clock);
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().kind, ErrorKind::missing);
  EXPECT_NE(absent.error().hint.find("modprobe"), std::string::npos);
  const auto other = open_ipmi({"ipmi", {{"file", "/dev/null"}}}, clock);  // no IPMI device
  ASSERT_FALSE(other.has_value());
  EXPECT_NE(other.error().message.find("takes no request"), std::string::npos);
}

TEST_F(IpmiSensorTest, SettingsThatDoNotFitAreUsageErrors) {
  for (const std::map<std::string, std::string>& bad :
       {std::map<std::string, std::string>{{"user", ""}},
        {{"password_env", ""}},
        {{"host", ""}},
        {{"file", "/dev/ipmi0"}},
        {{"port", "70000"}},
        {{"privilege", "ROOT"}},
        {{"cipher", "x"}},
        {{"value", "maximum"}},
        {{"accept_inactive", "1"}},
        {{"boundary", "gpu_board"}}}) {
    const auto sensor = opened(bad);
    ASSERT_FALSE(sensor.has_value()) << bad.begin()->first;
    EXPECT_EQ(sensor.error().kind, ErrorKind::usage) << sensor.error().message;
  }
}

}  // namespace
}  // namespace tokenjoule
