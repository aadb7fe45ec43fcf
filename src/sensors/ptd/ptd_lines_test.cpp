#include "sensors/ptd/ptd_lines.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

const std::string kLine =
    "Time,12-31-2026 23:59:59.250,Watts,412.5,Volts,230.1,Amps,1.8,PF,0.99,Mark,run,"
    "Ch1,Watts,400.5,Volts,230,Amps,1,PF,1,Ch2,Watts,12,Volts,230,Amps,1,PF,1";

PtdSample sample_of(const std::string& watts) {
  const auto sample = ptd_sample_in("Time,01-01-1970 00:00:01.500,Watts," + watts + ",Volts,1", 0);
  EXPECT_TRUE(sample.has_value()) << watts;
  return sample.value_or(PtdSample{});
}

TEST(PtdSample, HasItsTimeAndTheWattsOfAllOrOfAChannel) {
  EXPECT_EQ(ptd_sample_in(kLine, 0)->power, Watts(412.5));
  EXPECT_EQ(ptd_sample_in(kLine, 1)->power, Watts(400.5));
  EXPECT_EQ(ptd_sample_in(kLine, 2)->power, Watts(12));
  EXPECT_FALSE(ptd_sample_in(kLine, 3).has_value());
  EXPECT_EQ(sample_of("1").stamp.value(), 1.5);
  // 20818 days from 1970 to the last one of 2026: 56 years of 365, 14 leap days, 364 days.
  EXPECT_EQ(ptd_sample_in(kLine, 0)->stamp.value(), 20818 * 86400.0 + 86399.25);
}

TEST(PtdSample, UnknownOutOfRangeAndReversedAreAbsentAndNeverZero) {
  for (const char* watts :
       {"-1", "-1.000000", "9.91E+37", "9.9e37", "nan", "inf", "", "-12.5", "x"}) {
    EXPECT_EQ(sample_of(watts).power, std::nullopt) << watts;
    EXPECT_NE(sample_of(watts).why_absent, "") << watts;
  }
  EXPECT_NE(sample_of("-12.5").why_absent.find("wired"), std::string::npos);
  EXPECT_EQ(sample_of("0.000").power, Watts(0));  // an analyser knows 0 W
  EXPECT_EQ(sample_of("0.000").why_absent, "");
}

TEST(PtdSample, OtherLinesAreNone) {
  for (const char* line :
       {"", "Watts,1,2,3", "Time", "Time,yesterday,Watts,1", "Time,13-01-2026 00:00:00,Watts,1",
        "Time,12-31-2026,Watts,1", "Time,12-31-2026 00:00,Watts,1",
        "Time,12-31-2026 00:00:00,Watts", "ERROR,Bad volts reading nan"}) {
    EXPECT_FALSE(ptd_sample_in(line, 0).has_value()) << line;
  }
}

TEST(PtdCount, StandsBeforeTheSamples) {
  EXPECT_EQ(ptd_count_in("Last 3 samples"), 3);
  EXPECT_EQ(ptd_count_in("Last 1 sample"), 1);
  EXPECT_EQ(ptd_count_in("No unread samples available"), 0);
  EXPECT_EQ(ptd_count_in("Insufficient unread samples"), 0);
  for (const char* line : {"", "Last x samples", "Last -1 samples", "Unknown command", "Last 3"}) {
    EXPECT_EQ(ptd_count_in(line), std::nullopt) << line;
  }
}

}  // namespace
}  // namespace tokenjoule
