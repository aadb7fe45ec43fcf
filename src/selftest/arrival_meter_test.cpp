#include "selftest/arrival_meter.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

constexpr MonoTime at_ms(std::int64_t ms) { return MonoTime{} + milliseconds(ms); }
constexpr MonoTime at_us(std::int64_t us) { return MonoTime{} + microseconds(us); }
const std::optional<TimeSpan> kWindow = TimeSpan{at_ms(0), at_ms(1000)};

void add(ArrivalMeter& meter, const StampedRead& read, std::vector<MonoTime> sent,
         const std::optional<TimeSpan>& window = kWindow) {
  meter.add(read, sent, window);
}

TEST(ArrivalMeter, TakesTheDelayByTheOwnStampAndTheGapByTheReceiveStamp) {
  ArrivalMeter meter(1);
  add(meter, {0, at_us(10'003), microseconds(20)}, {at_us(10'000)});
  add(meter, {0, at_us(30'004), microseconds(500)}, {at_us(30'000)});
  EXPECT_EQ(meter.events(), 2);
  EXPECT_EQ(meter.delays().count(), 2);
  EXPECT_NEAR(static_cast<double>(meter.delays().quantile(1.0)->count), 504e3, 504e3 / 64);
  EXPECT_NEAR(static_cast<double>(meter.receive_delays().quantile(1.0)->count), 4e3, 4e3 / 64);
  ASSERT_EQ(meter.itl_errors().count(), 1);
  // Gap by stamps 20 001 us, by send times 20 000 us.
  EXPECT_NEAR(static_cast<double>(meter.itl_errors().quantile(1.0)->count), 1000, 1000.0 / 64);
}

TEST(ArrivalMeter, KeepsStreamsApart) {
  ArrivalMeter meter(2);
  add(meter, {0, at_ms(1), {}}, {at_ms(1)});
  add(meter, {1, at_ms(2), {}}, {at_ms(2)});
  EXPECT_EQ(meter.itl_errors().count(), 0);
}

TEST(ArrivalMeter, LeavesOutGapsWithinALateReadAndCountsThem) {
  ArrivalMeter meter(1);
  add(meter, {0, at_ms(10), {}}, {at_ms(10)});
  // Two events of a read that came 30 ms late: both gaps are not known.
  add(meter, {0, at_ms(50), milliseconds(30), milliseconds(30)}, {at_ms(30), at_ms(50)});
  EXPECT_EQ(meter.censored(), 2);
  EXPECT_EQ(meter.itl_errors().count(), 0);
  EXPECT_EQ(meter.state().reads, 2);
  EXPECT_EQ(meter.state().reads_late, 1);
  EXPECT_EQ(meter.state().reads_coalesced, 1);
}

TEST(ArrivalMeter, AReadIsLateAlsoWhereOnlyItsFirstBytesWaited) {
  ArrivalMeter meter(1);
  add(meter, {0, at_ms(50), {}, milliseconds(20)}, {at_ms(30), at_ms(50)});
  EXPECT_EQ(meter.censored(), 2);
  EXPECT_EQ(meter.state().reads_late, 0);
  EXPECT_EQ(meter.state().reads_coalesced, 1);
}

TEST(ArrivalMeter, JudgesEventsThatTheServerSentTogether) {
  ArrivalMeter meter(1);
  add(meter, {0, at_ms(10), {}}, {at_ms(10), at_ms(10)});
  EXPECT_EQ(meter.censored(), 0);
  EXPECT_EQ(meter.itl_errors().count(), 1);  // gap 0, and truly 0
  EXPECT_EQ(meter.itl_errors().quantile(1.0)->count, 0);
  EXPECT_EQ(meter.state().reads_coalesced, 0);
}

TEST(ArrivalMeter, CountsNothingOutsideTheWindow) {
  ArrivalMeter meter(1);
  add(meter, {0, at_ms(-1), {}}, {at_ms(-1)});
  add(meter, {0, at_ms(1), {}}, {at_ms(1)}, std::nullopt);
  add(meter, {0, at_ms(1000), {}}, {at_ms(1000)});
  EXPECT_EQ(meter.events(), 0);
  EXPECT_EQ(meter.state().reads, 0);
}

TEST(ArrivalMeter, KnowsTheGapAcrossTheEdgeOfTheWindow) {
  ArrivalMeter meter(1);
  add(meter, {0, at_ms(-10), {}}, {at_ms(-10)});
  add(meter, {0, at_ms(10), {}}, {at_ms(10)});
  EXPECT_EQ(meter.itl_errors().count(), 1);
}

}  // namespace
}  // namespace tokenjoule
