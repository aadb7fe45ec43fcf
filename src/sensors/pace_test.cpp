#include "sensors/pace.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(Pace, TheFirstSlotComesAtOnceAndTheNextAPeriodLater) {
  FakeClock clock;
  Pace pace(whole_seconds(2));
  EXPECT_TRUE(pace.wait_for_slot(clock));
  EXPECT_EQ(clock.now().ns, 0);
  int waits = 1;
  while (!pace.wait_for_slot(clock)) ++waits;
  EXPECT_EQ(waits, 20);  // 2 s in pieces of 100 ms
  EXPECT_EQ(clock.now().ns, whole_seconds(2).count);
}

TEST(Pace, AnAnswerSlowerThanThePeriodIsFollowedByTheNextSlot) {
  FakeClock clock;
  Pace pace(whole_seconds(2));
  EXPECT_TRUE(pace.wait_for_slot(clock));
  clock.advance(whole_seconds(3));
  EXPECT_TRUE(pace.wait_for_slot(clock));  // the slot at 2 s, late
  clock.advance(whole_seconds(9));         // 12 s: those at 4, 6, 8 and 10 s are left out
  EXPECT_TRUE(pace.wait_for_slot(clock));
  EXPECT_TRUE(pace.wait_for_slot(clock));
  EXPECT_EQ(clock.now().ns, whole_seconds(12).count);
}

}  // namespace
}  // namespace tokenjoule
