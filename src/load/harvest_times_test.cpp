#include "load/harvest_times.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

MonoTime at_us(std::int64_t us) { return MonoTime{} + microseconds(us); }

TEST(HarvestTimes, ABurstAfterTheServerStoodStillCameAtOnceHoweverLongItIsRead) {
  HarvestTimes times;
  times.start(at_us(0));
  // Two seconds of nothing; then 256 streams get theirs within 0.1 ms of each other.
  times.woke(at_us(10), at_us(2'000'000), true);
  EXPECT_LE(times.spread_of(at_us(1'999'990)), microseconds(10));
  // The loop reads for 3 ms, then takes up the rest of the burst.
  times.woke(at_us(2'003'000), at_us(2'003'010), false);
  EXPECT_LE(times.spread_of(at_us(2'000'080)), microseconds(100));
}

TEST(HarvestTimes, WhatCameWhileTheLoopStoodStillCanHaveComeAtAnyTimeMeanwhile) {
  HarvestTimes times;
  times.start(at_us(0));
  times.woke(at_us(1), at_us(1000), false);
  // 40 ms in the loop's own hands; two events lie in the socket, and the stamp is of the second.
  times.woke(at_us(41'000), at_us(41'005), false);
  EXPECT_EQ(times.spread_of(at_us(40'900)), microseconds(39'900));
}

TEST(HarvestTimes, ALateWakeUpShowsInTheStampsOfThoseThatCameFirst) {
  HarvestTimes times;
  times.start(at_us(0));
  // It slept, but its CPU was taken for 30 ms when the first of them came.
  times.woke(at_us(10), at_us(60'000), false);
  EXPECT_EQ(times.spread_of(at_us(30'000)), milliseconds(30));
  EXPECT_EQ(times.spread_of(at_us(59'990)), milliseconds(30));
}

TEST(HarvestTimes, WhatComesDuringATurnCameSinceTheWaitBeforeIt) {
  HarvestTimes times;
  times.start(at_us(0));
  times.woke(at_us(10), at_us(1000), false);
  times.spread_of(at_us(990));
  times.woke(at_us(1500), at_us(1505), false);  // reading took 0.5 ms
  EXPECT_EQ(times.spread_of(at_us(1400)), microseconds(400));
  EXPECT_EQ(times.spread_unstamped(at_us(1600)), microseconds(600));
}

}  // namespace
}  // namespace tokenjoule
