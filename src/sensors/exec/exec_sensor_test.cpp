#include "sensors/exec/exec_sensor.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

SensorSpec spec_of(const std::string& command) { return {"exec", {{"command", command}}}; }

constexpr char kTwoRounds[] =
    "echo '{\"signal\":\"p\",\"device\":\"pdu\",\"boundary\":\"node_ac\",\"watts\":5}';"
    "echo '{\"signal\":\"p\",\"device\":\"pdu\",\"boundary\":\"node_ac\",\"watts\":6}'";

/// The first result that is not an empty sample.
Result<Sample> next_of(Sensor& sensor, Clock& clock) {
  auto sample = sensor.poll(clock);
  while (sample && sample->readings.empty()) sample = sensor.poll(clock);
  return sample;
}

TEST(ExecSensor, LearnsItsSignalsAndGivesReadings) {
  SystemClock clock;
  auto sensor = open_exec(spec_of(std::string(kTwoRounds) + "; exec tail -f /dev/null"), clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_TRUE((*sensor)->keeps_own_pace());
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  const auto sample = next_of(**sensor, clock);
  ASSERT_TRUE(sample.has_value());
  EXPECT_GE(sample->readings.at(0).raw, 5.0);
  EXPECT_LE(sample->read.end, clock.now());
}

TEST(ExecSensor, AProgramThatEndsWellIsGoneAndOneThatFailsIsUnavailable) {
  SystemClock clock;
  for (const auto& [end, kind] :
       {std::pair{"; exit 0", ErrorKind::gone}, {"; exit 3", ErrorKind::unavailable}}) {
    auto sensor = open_exec(spec_of(std::string(kTwoRounds) + end), clock);
    ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
    auto sample = next_of(**sensor, clock);
    while (sample) sample = next_of(**sensor, clock);
    EXPECT_EQ(sample.error().kind, kind) << sample.error().message;
    EXPECT_NE(sample.error().message.find("exit status"), std::string::npos);
  }
}

TEST(ExecSensor, AProgramWithoutAReadingCannotBeOpenedAndTheErrorQuotesIt) {
  SystemClock clock;
  const auto sensor = open_exec(spec_of("echo hello"), clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("hello"), std::string::npos);
  EXPECT_NE(sensor.error().hint, "");
  const auto silent = open_exec(spec_of("exit 7"), clock);
  ASSERT_FALSE(silent.has_value());
  EXPECT_NE(silent.error().message.find("exit status 7"), std::string::npos)
      << silent.error().message;
}

}  // namespace
}  // namespace tokenjoule
