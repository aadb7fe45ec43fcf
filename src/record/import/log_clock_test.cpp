#include "record/import/log_clock.hpp"

#include <gtest/gtest.h>

#include "record/import/test_files.hpp"

namespace tokenjoule {
namespace {

constexpr double kIdle = 200, kLoaded = 800;

/// One reading a second from `from` to `to` (seconds from the load's begin, on the load's clock);
/// high between the two edges, and the whole log's clock `behind` seconds behind the load's.
std::vector<TotalPoint> log_of(double from, double to, double rise, double fall,
                               double behind = 0) {
  std::vector<TotalPoint> points;
  for (double at = from; at <= to; at += 1) {
    const bool loaded = at > rise && at <= fall;
    points.push_back(
        {kSampleBegin + static_cast<std::int64_t>((at - behind) * 1e9), loaded ? kLoaded : kIdle});
  }
  return points;
}

ClockQuestion question_of(std::vector<TotalPoint> points) {
  ClockQuestion question;
  question.points = std::move(points);
  question.begin_ns = kSampleBegin;
  question.length = whole_seconds(60);
  question.half_load = whole_seconds(60);
  return question;
}

TEST(JoinedClock, BelievesStampsThatTheStepDoesNotContradict) {
  const auto join = joined_clock(question_of(log_of(-20.5, 80, 0, 60)));
  ASSERT_TRUE(join) << join.error().message;
  EXPECT_EQ(join->shift_ns, 0);
  EXPECT_FALSE(join->estimated);
  // The load ended between the reading at 59.5 (less 2 s) and the one at 60.5: -0.5 to +2.5 s; it
  // began between -0.5 (less 2 s) and 0.5, the same. The further of the two is the bound.
  ASSERT_TRUE(join->bound);
  EXPECT_NEAR(join->bound->value(), 2.5, 1e-6);
}

TEST(JoinedClock, EstimatesTheOffsetOfAClockThatIsBehind) {
  const auto join = joined_clock(question_of(log_of(-20.5, 80, 0, 60, 10)));
  ASSERT_TRUE(join) << join.error().message;
  EXPECT_TRUE(join->estimated);
  // 10 s behind, and the step allows -0.5 to +2.5 s of that: 11 s ± 1.5 s.
  EXPECT_NEAR(to_seconds(Nanoseconds{join->shift_ns}).value(), 11, 1e-6);
  EXPECT_NEAR(join->bound->value(), 1.5, 1e-6);
}

TEST(JoinedClock, AWarmupBeforeTheLoadIsNoContradiction) {
  const auto join = joined_clock(question_of(log_of(-40.5, 80, -20, 60)));
  ASSERT_TRUE(join);
  EXPECT_EQ(join->shift_ns, 0);
}

TEST(JoinedClock, FindsTheTimeZoneInWhichTheLogCoversTheLoad) {
  auto points = log_of(-20.5, 80, 0, 60, -7200);  // two hours ahead: local time of UTC+2
  ClockQuestion question = question_of(points);
  question.zones_known = false;
  const auto join = joined_clock(question);
  ASSERT_TRUE(join) << join.error().message;
  EXPECT_EQ(join->zone_ns, -7200 * kOneSecond);
  EXPECT_EQ(join->shift_ns, join->zone_ns);
  EXPECT_TRUE(join->zone_found);
  question.points = log_of(-20.5, 80, -100, 100, -7200);
  EXPECT_FALSE(joined_clock(question)) << "without a step it may be of another run";
  question.zones_known = true;
  EXPECT_FALSE(joined_clock(question)) << "it says that it is of two hours later";
}

TEST(JoinedClock, AmongSeveralTimeZonesTheStepDecides) {
  ClockQuestion question = question_of(log_of(-4000.5, 4000, 0, 60));
  question.zones_known = false;
  const auto join = joined_clock(question);
  ASSERT_TRUE(join) << join.error().message;
  EXPECT_EQ(join->zone_ns, 0);
  question.points = log_of(-4000.5, 4000, -5000, 5000);  // always loaded
  EXPECT_FALSE(joined_clock(question));
}

TEST(JoinedClock, WithoutAStepStampsAreUnverifiedAndRoughTimesUseless) {
  ClockQuestion question = question_of(log_of(-20.5, 80, -100, 100));
  const auto join = joined_clock(question);
  ASSERT_TRUE(join);
  EXPECT_FALSE(join->bound) << "nothing tells: no bound, not 0";
  question.slack = Seconds(60);
  EXPECT_FALSE(joined_clock(question));
}

TEST(JoinedClock, WithoutStampsTheStepMustBeAsLongAsTheLoad) {
  ClockQuestion question = question_of(log_of(-20.5, 80, 0, 60));
  question.begin_ns.reset();
  const auto join = joined_clock(question);
  ASSERT_TRUE(join) << join.error().message;
  // The load's clock then begins at 0.
  EXPECT_NEAR(to_seconds(Nanoseconds{join->shift_ns + kSampleBegin}).value(), 1, 1.5);
  question.length = whole_seconds(30);
  EXPECT_FALSE(joined_clock(question));
}

TEST(JoinedClock, TakesTheUsersWord) {
  ClockQuestion question = question_of(log_of(-20.5, 80, 0, 60));
  question.stated_offset = Seconds(-0.25);
  question.stated_bound = Seconds(0.01);
  const auto join = joined_clock(question);
  ASSERT_TRUE(join);
  EXPECT_EQ(join->shift_ns, -250'000'000);
  EXPECT_EQ(join->bound, Seconds(0.01));
}

TEST(JoinedClock, TheWrongLogIsOneLine) {
  const auto join = joined_clock(question_of(log_of(5000, 5100, 5020, 5080)));
  ASSERT_FALSE(join);
  EXPECT_NE(join.error().message.find("does not cover it"), std::string::npos);
  EXPECT_FALSE(joined_clock(question_of({})));
}

TEST(TotalPower, AddsUpDevicesRoundByRound) {
  PowerLog log;
  log.devices.resize(2);
  log.rows = {{0, 0, {{Measurand::power, 100}}},
              {10, 1, {{Measurand::power, 50}}},
              {20, 0, {{Measurand::power, 110}}}};
  const auto both = total_power(log, {});
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].watts, 150);
  EXPECT_EQ(total_power(log, {0}).size(), 2U);
}

TEST(TotalPower, TakesDifferencesOfACounter) {
  PowerLog log;
  log.devices.resize(1);
  log.rows = {{0, 0, {{Measurand::energy, 1000}}},
              {2 * kOneSecond, 0, {{Measurand::energy, 1400}}}};
  const auto points = total_power(log, {});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].watts, 200);  // 400 J in 2 s
}

}  // namespace
}  // namespace tokenjoule
