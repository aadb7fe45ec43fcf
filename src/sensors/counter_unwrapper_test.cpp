#include "sensors/counter_unwrapper.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

constexpr double kTwo32 = 4294967296.0;
MonoTime at(std::int64_t seconds) { return MonoTime{} + whole_seconds(seconds); }

TEST(CounterUnwrapper, AWrapAt32BitsGoesOn) {
  CounterUnwrapper counter(kTwo32, 3600);  // watt-hours
  EXPECT_EQ(counter.unwrapped(kTwo32 - 2, at(0)), kTwo32 - 2);
  EXPECT_EQ(counter.unwrapped(1, at(10)), kTwo32 + 1);  // 3 Wh in 10 s: 1.08 kW
  EXPECT_EQ(counter.unwrapped(5, at(20)), kTwo32 + 5);
}

TEST(CounterUnwrapper, AMeterThatWasResetIsNoWrap) {
  CounterUnwrapper counter(kTwo32, 3600);
  EXPECT_EQ(counter.unwrapped(5000, at(0)), 5000);
  EXPECT_EQ(counter.unwrapped(0, at(10)), 0);
  EXPECT_EQ(counter.unwrapped(3, at(20)), 3);
}

TEST(CounterUnwrapper, AResetAfterAWrapStartsFromNothing) {
  CounterUnwrapper counter(kTwo32, 3600);
  counter.unwrapped(kTwo32 - 1, at(0));
  EXPECT_EQ(counter.unwrapped(70, at(300)), kTwo32 + 70);  // 71 Wh in 300 s: 852 W
  EXPECT_EQ(counter.unwrapped(2, at(310)), 2);
}

TEST(CounterUnwrapper, AResetNearTheTopIsTakenForAWrapOnlyIfAMegawattCouldHaveFlowed) {
  CounterUnwrapper counter(kTwo32, 3600);
  counter.unwrapped(kTwo32 - 100000, at(0));
  // 100000 Wh in 10 s would be 36 MW.
  EXPECT_EQ(counter.unwrapped(0, at(10)), 0);
}

TEST(CounterUnwrapper, CoarseStepsMayWrapAtOnce) {
  CounterUnwrapper counter(2147483648.0, 3.6e5);  // 0.1 kWh
  counter.unwrapped(2147483647.0, at(0));
  EXPECT_EQ(counter.unwrapped(1, at(1)), 2147483649.0);
}

}  // namespace
}  // namespace tokenjoule
