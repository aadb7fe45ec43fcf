#include "sensors/ptd/ptd_sensor.hpp"

#include <gtest/gtest.h>

#include "sensors/ptd/scripted_ptd.hpp"

namespace tokenjoule {
namespace {

class PtdSensorTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Sensor>> opened(std::map<std::string, std::string> settings = {}) {
    settings.try_emplace("host", "127.0.0.1");
    settings.try_emplace("port", std::to_string(analyser.port()));
    return open_ptd({"ptd", std::move(settings)}, clock);
  }
  /// With four samples of a second each to learn from.
  Result<std::unique_ptr<Sensor>> opened_with_samples(
      std::map<std::string, std::string> settings = {}) {
    analyser.add({1, 2, 3, 4}, "400");
    return opened(std::move(settings));
  }
  Result<Sample> next_look(Sensor& sensor) {
    clock.advance(whole_seconds(1));
    return sensor.poll(clock);
  }

  ScriptedPtd analyser;
  FakeClock clock;
};

TEST_F(PtdSensorTest, LearnsTheIntervalAndReadsWithoutTouchingTheAnalyser) {
  {
    auto sensor = opened_with_samples({{"group", "g"}});
    ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
    const SensorContents& contents = (*sensor)->contents();
    EXPECT_EQ(contents.devices.at(0).name, "Yokogawa WT310E");
    EXPECT_EQ(contents.devices[0].group, "g");
    EXPECT_EQ(contents.signals.at(0).boundary, Boundary::node_ac);
    EXPECT_EQ(contents.signals[0].averaging->value(), 1.0);
    EXPECT_EQ(contents.signals[0].period->value(), 1.0);
    analyser.add({5}, "412.5");
    const auto sample = next_look(**sensor);
    ASSERT_TRUE(sample.has_value()) << sample.error().message;
    EXPECT_EQ(sample->readings.at(0).raw, 412.5);
    EXPECT_EQ(sample->read.end, clock.now());
  }
  EXPECT_EQ(analyser.commands(), "Hello;Identify;RL,*;RL,*;");  // no Go, no Stop, no range
}

TEST_F(PtdSensorTest, StartsAMeasurementAndStopsItOnlyIfAsked) {
  {
    const auto sensor = opened_with_samples({{"start", "yes"}, {"interval", "0.5s"}});
    ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  }
  // The connection is served by one thread: a second one begins when the first has been read out.
  auto again = opened_with_samples();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(analyser.commands().rfind("Hello;Identify;Go,500,0,tokenjoule;RL,*;Stop;", 0), 0U)
      << analyser.commands();
}

TEST_F(PtdSensorTest, SamplesThatComeTogetherKeepTheirDistance) {
  auto sensor = opened_with_samples();
  ASSERT_TRUE(sensor.has_value());
  analyser.add({5, 6, 8}, "500");
  const auto first = next_look(**sensor);
  ASSERT_TRUE((*sensor)->has_more());
  const auto second = (*sensor)->poll(clock);
  const auto third = (*sensor)->poll(clock);
  EXPECT_FALSE((*sensor)->has_more());
  EXPECT_EQ(third->read.end, clock.now());
  EXPECT_EQ((third->read.end - second->read.end).count, whole_seconds(2).count);
  EXPECT_EQ((second->read.end - first->read.end).count, whole_seconds(1).count);
  EXPECT_EQ(third->read.length().count, whole_seconds(1).count);  // since the last look
}

TEST_F(PtdSensorTest, ValuesThatItDoesNotKnowAreGapsThatAreTold) {
  auto sensor = opened_with_samples();
  ASSERT_TRUE(sensor.has_value());
  analyser.add({6}, "-1");
  analyser.add({7}, "9.91E+37");
  const auto sample = next_look(**sensor);
  ASSERT_TRUE(sample.has_value());
  EXPECT_TRUE(sample->readings.empty());
  EXPECT_EQ((*sensor)->take_losses().size(), 2U);
}

TEST_F(PtdSensorTest, AComplaintAmongTheSamplesLosesNoneOfThem) {
  auto sensor = opened_with_samples();
  ASSERT_TRUE(sensor.has_value());
  analyser.add_line("ERROR,Bad volts reading nan");  // counted as one of the samples
  analyser.add({6}, "410");
  EXPECT_EQ(next_look(**sensor)->readings.at(0).raw, 410.0);
  // Not counted: the sample behind it comes in front of the next answer.
  analyser.answer("RL,*",
                  "Last 1 samples\r\nERROR,Bad volts reading nan\r\n"
                  "Time,11-30-2026 18:00:07.000,Watts,411");
  EXPECT_TRUE(next_look(**sensor)->readings.empty());
  analyser.answer("RL,*", "No unread samples");
  EXPECT_EQ(next_look(**sensor)->readings.at(0).raw, 411.0);
  EXPECT_EQ((*sensor)->take_losses().size(), 2U);
}

TEST_F(PtdSensorTest, ALostConnectionIsAGapAndIsMadeAnew) {
  auto sensor = opened_with_samples();
  ASSERT_TRUE(sensor.has_value());
  analyser.drop_connection();
  EXPECT_EQ(next_look(**sensor).error().kind, ErrorKind::retry);
  analyser.add({9}, "420");
  const auto sample = next_look(**sensor);
  ASSERT_TRUE(sample.has_value()) << sample.error().message;
  EXPECT_EQ(sample->readings.at(0).raw, 420.0);
}

TEST_F(PtdSensorTest, AClockThatWasSetLosesWhatItStamped) {
  auto sensor = opened_with_samples();
  ASSERT_TRUE(sensor.has_value());
  analyser.add({30, 7}, "400");  // back by 23 s: only the newest has a time
  EXPECT_EQ(next_look(**sensor)->readings.size(), 1U);
  EXPECT_FALSE((*sensor)->has_more());
  EXPECT_EQ((*sensor)->take_losses().size(), 1U);
}

TEST_F(PtdSensorTest, AChannelIsReadByItself) {
  analyser.add({1, 2, 3, 4}, "-1", ",Ch1,Watts,100,Volts,230,Ch2,Watts,200,Volts,230");
  auto sensor = opened({{"channel", "2"}});
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  analyser.add({5}, "-1", ",Ch1,Watts,100,Volts,230,Ch2,Watts,201,Volts,230");
  EXPECT_EQ(next_look(**sensor)->readings.at(0).raw, 201.0);
  EXPECT_NE(analyser.commands().find("RL,*,*;"), std::string::npos);
}

TEST_F(PtdSensorTest, AnOlderOneIsAskedAsItUnderstands) {
  analyser.answer("RL,*", "Invalid number of parameters");
  const auto sensor = opened_with_samples();
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_NE(analyser.commands().find("RL,*;RL;"), std::string::npos);
}

TEST_F(PtdSensorTest, WhatCannotBeReadIsSaidWithWhatToDo) {
  const auto is_told = [&](std::map<std::string, std::string> settings, const std::string& what) {
    const auto sensor = opened(std::move(settings));
    if (sensor) return false;
    EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
    EXPECT_FALSE(sensor.error().hint.empty());
    EXPECT_NE((sensor.error().message + sensor.error().hint).find(what), std::string::npos)
        << sensor.error().message;
    return true;
  };
  EXPECT_TRUE(is_told({}, "start=yes"));  // nobody measures
  analyser.add({1, 2, 3, 4}, "-1");
  EXPECT_TRUE(is_told({}, "does not know the watts"));
  analyser.answer("Go,1000,0,tokenjoule", "Error: busy");
  EXPECT_TRUE(is_told({{"start", "yes"}}, "starts no measurement"));
  analyser.answer("Hello", "220 mail ready");
  EXPECT_TRUE(is_told({}, "no PTDaemon"));
}

TEST_F(PtdSensorTest, SettingsThatDoNotFitAreUsageErrors) {
  for (const std::map<std::string, std::string>& bad :
       {std::map<std::string, std::string>{{"port", "x"}},
        {{"channel", "7"}},
        {{"start", "1"}},
        {{"interval", "1s"}},
        {{"boundary", "dram"}}}) {
    EXPECT_EQ(opened(bad).error().kind, ErrorKind::usage) << bad.begin()->first;
  }
}

}  // namespace
}  // namespace tokenjoule
