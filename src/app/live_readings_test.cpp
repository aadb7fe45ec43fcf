#include "app/live_readings.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

Sample read_at(double seconds, std::uint32_t signal, double raw) {
  const MonoTime at = mono_at(Seconds(seconds));
  return {{at, at}, {{signal, raw}}};
}

TEST(LiveReadings, KnowTheStepOfACounterOnceItSteppedTwice) {
  LiveReadings readings;
  readings.watch({{.id = "GPU-1"}}, {{.id = 7, .device = "GPU-1", .measurand = Measurand::energy}});
  EXPECT_FALSE(readings.steps_known());
  readings.see(read_at(0, 7, 100));
  readings.see(read_at(1, 7, 100));
  readings.see(read_at(5, 7, 200));
  EXPECT_FALSE(readings.steps_known());  // one step: how long it is cannot be told
  readings.see(read_at(10, 7, 300));
  EXPECT_TRUE(readings.steps_known());
  EXPECT_EQ(readings.longest_step(), whole_seconds(5));
}

TEST(LiveReadings, WithoutACounterHaveNothingToWaitFor) {
  LiveReadings readings;
  readings.watch({{.id = "GPU-1"}}, {{.id = 8, .device = "GPU-1", .to_si = 1}});
  EXPECT_TRUE(readings.steps_known());
  EXPECT_FALSE(readings.watts());
  readings.see(read_at(0, 8, 120));
  EXPECT_EQ(readings.watts(), Watts(120));
}

TEST(LiveReadings, SumNothingWhereADeviceHasNoPower) {
  LiveReadings readings;
  readings.watch({{.id = "GPU-1"}, {.id = "GPU-2"}}, {{.id = 8, .device = "GPU-1"}});
  readings.see(read_at(0, 8, 120));
  EXPECT_FALSE(readings.watts());
}

}  // namespace
}  // namespace tokenjoule
