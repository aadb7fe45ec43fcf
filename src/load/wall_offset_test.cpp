#include "load/wall_offset.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TimeSpan read_at(std::int64_t us, std::int64_t width_us = 0) {
  return {MonoTime{us * 1000}, MonoTime{(us + width_us) * 1000}};
}
WallTime wall_us(std::int64_t us) { return {us * 1000}; }

TEST(WallOffset, AStampIsCarriedOverByTheDifferenceOfTheClocks) {
  WallOffset offset;
  EXPECT_EQ(offset.sample(read_at(100), wall_us(1'000'100)), std::nullopt);
  EXPECT_EQ(offset.steady_time(wall_us(1'000'250)), MonoTime{250'000});
}

TEST(WallOffset, TheMiddleOfTheReadingCounts) {
  WallOffset offset;
  offset.sample(read_at(100, 20), wall_us(1'000'110));
  EXPECT_EQ(offset.steady_time(wall_us(1'000'110)), MonoTime{110'000});
}

TEST(WallOffset, SlowDriftIsFollowedWithoutAWord) {
  WallOffset offset;
  offset.sample(read_at(0), wall_us(1'000'000));
  EXPECT_EQ(offset.sample(read_at(5000), wall_us(1'005'300)), std::nullopt);
  EXPECT_EQ(offset.steady_time(wall_us(1'005'300)), MonoTime{5'000'000});
}

TEST(WallOffset, AStepOfMoreThanTenMillisecondsIsReportedInBothDirections) {
  WallOffset offset;
  offset.sample(read_at(0), wall_us(1'000'000));
  EXPECT_EQ(offset.sample(read_at(5000), wall_us(1'016'000)), Nanoseconds{11'000'000});
  EXPECT_EQ(offset.sample(read_at(6000), wall_us(1'000'000)), Nanoseconds{-17'000'000});
  EXPECT_EQ(offset.sample(read_at(7000), wall_us(1'001'000)), std::nullopt);
}

TEST(WallOffset, AReadingThatWasInterruptedIsNotUsed) {
  WallOffset offset;
  offset.sample(read_at(0), wall_us(1'000'000));
  EXPECT_EQ(offset.sample(read_at(5000, 30'000), wall_us(1'005'000)), std::nullopt);
  EXPECT_EQ(offset.steady_time(wall_us(1'000'000)), MonoTime{0});
}

}  // namespace
}  // namespace tokenjoule
