#include "analysis/clock_join.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::span;

ClockAnchor anchor(double steady_s, std::int64_t unix_ns) {
  return {{at(steady_s), at(steady_s)}, WallTime{unix_ns}};
}

TEST(WallTime, BetweenTwoAnchorsFollowsTheSlew) {
  const ClockAnchor anchors[] = {anchor(0, 1'000), anchor(10, 10'000'000'000 + 3'000)};
  // The wall clock gains 2 us in 10 s, so 1 us in the first 5.
  EXPECT_EQ(wall_time_at(anchors, at(5))->unix_ns, 5'000'000'000 + 2'000);
}

TEST(WallTime, OutsideOfTheAnchorsKeepsTheNearestOffset) {
  const ClockAnchor anchors[] = {anchor(1, 1'000'000'500), anchor(2, 2'000'000'700)};
  EXPECT_EQ(wall_time_at(anchors, at(0))->unix_ns, 500);
  EXPECT_EQ(wall_time_at(anchors, at(3))->unix_ns, 3'000'000'700);
}

TEST(WallTime, WithoutAnchorIsUnknown) { EXPECT_EQ(wall_time_at({}, at(1)), std::nullopt); }

TEST(ClockStep, IsTheMovedOffsetOfTheAnchorsAroundTheSpan) {
  const ClockAnchor anchors[] = {anchor(0, 0), anchor(60, 60'020'000'000)};
  EXPECT_EQ(clock_step_in(anchors, span(10, 40)), milliseconds(20));
}

TEST(ClockStep, OutsideOfTheSpanDoesNotCount) {
  const ClockAnchor anchors[] = {anchor(0, 0), anchor(50, 50'000'000'000),
                                 anchor(60, 60'020'000'000)};
  EXPECT_EQ(clock_step_in(anchors, span(10, 40)), milliseconds(0));
}

TEST(ClockStep, LessTheUncertaintyOfTheAnchors) {
  // Each anchor took 8 ms to read: 8 ms of the 20 may be theirs.
  const ClockAnchor anchors[] = {{span(-0.004, 0.004), WallTime{0}},
                                 {span(59.996, 60.004), WallTime{60'020'000'000}}};
  EXPECT_EQ(clock_step_in(anchors, span(10, 40)), milliseconds(12));
}

}  // namespace
}  // namespace tokenjoule
