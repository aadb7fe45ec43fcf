#include "base/stamp.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

constexpr std::int64_t kAt = 1'790'000'000'000'000'000;  // 2026-09-21 14:13:20 UTC

TEST(StampIn, ReadsTheFormatsOfLogs) {
  EXPECT_EQ(stamp_in("2026/09/21 14:13:20.165")->ns, kAt + 165'000'000);
  EXPECT_EQ(stamp_in("09-21-2026 14:13:20.000")->ns, kAt);
  EXPECT_EQ(stamp_in("20260921-141320")->ns, kAt);
  EXPECT_EQ(stamp_in("2026-09-21T14:13:20Z")->ns, kAt);
  EXPECT_EQ(stamp_in("2026-09-21T16:13:20+02:00")->ns, kAt);
  EXPECT_EQ(stamp_in("2026-09-21 08:43:20 -0530")->ns, kAt);
}

TEST(StampIn, TellsUnixTimesApartByTheirSize) {
  EXPECT_EQ(stamp_in("1790000000")->ns, kAt);
  EXPECT_EQ(stamp_in("1790000000.5")->ns, kAt + 500'000'000);
  EXPECT_EQ(stamp_in("1790000000250")->ns, kAt + 250'000'000);
  EXPECT_EQ(stamp_in("1790000000000250")->ns, kAt + 250'000);
  EXPECT_EQ(stamp_in("1790000000000000250")->ns, kAt + 250);
  EXPECT_FALSE(stamp_in("12.5")->absolute);
  EXPECT_EQ(stamp_in("12.5")->ns, 12'500'000'000);
}

TEST(StampIn, SaysWhetherTheZoneIsKnown) {
  EXPECT_FALSE(stamp_in("2026/09/21 14:13:20.165")->zone_known);
  EXPECT_TRUE(stamp_in("2026-09-21T14:13:20+02:00")->zone_known);
  EXPECT_TRUE(stamp_in("1790000000")->zone_known);
}

TEST(StampIn, KnowsItsResolution) {
  EXPECT_DOUBLE_EQ(stamp_in("2026/09/21 14:13:20.165")->resolution.value(), 1e-3);
  EXPECT_DOUBLE_EQ(stamp_in("20260921-141320")->resolution.value(), 1);
}

TEST(StampIn, RefusesWhatIsNoTime) {
  for (const char* text : {"", "soon", "2026/13/01 00:00:00", "2026-02-30T00:00:00", "nan", "-5",
                           "2026/09/21", "2026/09/21 25:00:00", "2026-09-21T14:13:20+99:00",
                           "99999999999999999999", "2026/09-21 14:13:20"})
    EXPECT_FALSE(stamp_in(text)) << text;
}

TEST(ZoneIn, ReadsOffsets) {
  EXPECT_EQ(zone_in("UTC")->count, 0);
  EXPECT_EQ(zone_in("+02:00")->count, 7200 * 1'000'000'000LL);
  EXPECT_EQ(zone_in("-0530")->count, -19800 * 1'000'000'000LL);
  EXPECT_FALSE(zone_in("CET"));
}

TEST(DatedStampIn, TakesNoNumberForATime) {
  EXPECT_EQ(dated_stamp_in("09-21-2026 14:13:20.250")->ns, kAt + 250'000'000);
  EXPECT_FALSE(dated_stamp_in("1790000000"));
}

TEST(IsCalendarDay, KnowsMonthsAndLeapYears) {
  EXPECT_TRUE(is_calendar_day("2026-07-13"));
  EXPECT_TRUE(is_calendar_day("2028-02-29"));
  for (const auto* wrong : {"2026-02-31", "2026-02-29", "2026-13-01", "2026-00-10", "2026-7-13",
                            "2026/07/13", "20260713", "2026-07-13T00:00", "13-07-2026", "", "x"})
    EXPECT_FALSE(is_calendar_day(wrong)) << wrong;
}

TEST(UnixSecondsOf, KeepsTheFraction) {
  EXPECT_EQ(unix_seconds_of(*stamp_in("2026/09/21 14:13:20.250")), 1'790'000'000.25);
}

}  // namespace
}  // namespace tokenjoule
