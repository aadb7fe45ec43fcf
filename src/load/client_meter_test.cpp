#include "load/client_meter.hpp"

#include <gtest/gtest.h>

#include "load/client_reporter.hpp"

namespace tokenjoule {
namespace {

TEST(LagBucket, HoldsPowersOfTwoOfMicroseconds) {
  EXPECT_EQ(time_bucket(Nanoseconds{-5}), 0U);
  EXPECT_EQ(time_bucket(microseconds(1)), 0U);
  EXPECT_EQ(time_bucket(microseconds(2)), 1U);
  EXPECT_EQ(time_bucket(microseconds(3)), 1U);
  EXPECT_EQ(time_bucket(microseconds(4)), 2U);
  EXPECT_EQ(time_bucket(microseconds(1023)), 9U);
  EXPECT_EQ(time_bucket(microseconds(1024)), 10U);
  EXPECT_EQ(time_bucket(whole_seconds(100'000)), 31U);
}

TEST(LoopTotals, AReadIsLateAbove5Milliseconds) {
  LoopTotals totals;
  totals.add_read(milliseconds(5));
  totals.add_read(milliseconds(6));
  EXPECT_EQ(totals.reads, 2);
  EXPECT_EQ(totals.reads_late, 1);
}

TEST(ClientState, HoldsTheChangeBetweenTwoLooks) {
  LoopTotals earlier;
  earlier.add_read(microseconds(1));
  earlier.cpu = milliseconds(100);
  LoopTotals later = earlier;
  later.add_read(microseconds(3));
  later.add_read(milliseconds(6));
  later.cpu = milliseconds(350);
  later.queue_full = milliseconds(40);
  later.connections_opened = 2;
  const ClientState state = client_state({}, {later.since(earlier)}, 5, 7);
  EXPECT_EQ(state.reads, 2);
  EXPECT_EQ(state.reads_late, 1);
  EXPECT_EQ(state.reads_coalesced, 5);
  EXPECT_EQ(state.lag_histogram[0], 0);
  EXPECT_EQ(state.lag_histogram[1], 1);
  EXPECT_DOUBLE_EQ(state.cpu.value(), 0.25);
  EXPECT_DOUBLE_EQ(state.queue_full.value(), 0.04);
  EXPECT_EQ(state.connections_opened, 2);
  EXPECT_EQ(state.in_flight, 7);
  EXPECT_EQ(state.stamps, "kernel");
}

TEST(ClientState, HasEachThreadApartAndKnowsNoWaitThatTheKernelDoesNotKeep) {
  LoopTotals first, second;
  first.cpu = milliseconds(300);
  first.run_queue_wait = milliseconds(20);
  first.connections_open = 3;
  second.cpu = milliseconds(100);
  second.run_queue_wait = milliseconds(5);
  second.connections_open = 4;
  second.add_turn(microseconds(9));
  const ClientState state = client_state({}, {first, second}, 0, 0);
  ASSERT_EQ(state.threads.size(), 2U);
  EXPECT_DOUBLE_EQ(state.threads[1].cpu.value(), 0.1);
  EXPECT_DOUBLE_EQ(state.threads[0].run_queue_wait->value(), 0.02);
  EXPECT_DOUBLE_EQ(state.cpu.value(), 0.4);
  EXPECT_DOUBLE_EQ(state.run_queue_wait->value(), 0.025);
  EXPECT_EQ(state.connections_open, 7);
  EXPECT_EQ(state.loop_histogram[3], 1);
  second.run_queue_wait.reset();
  EXPECT_EQ(client_state({}, {first, second}, 0, 0).run_queue_wait, std::nullopt);
}

TEST(OpenLimits, AreThoseOfThisProgram) {
  const OpenLimits limits = open_limits();
  EXPECT_GT(limits.local_ports.value_or(1), 0);
  EXPECT_GE(limits.descriptors_open.value_or(3), 3);  // standard input, output and error
  EXPECT_GE(limits.descriptors_allowed.value_or(1024), limits.descriptors_open.value_or(3));
}

TEST(ClientState, OneReadWithoutAKernelStampMakesTheStampsOurOwn) {
  LoopTotals change;
  change.reads_user_stamped = 1;
  EXPECT_EQ(client_state({}, {change}, 0, 0).stamps, "user");
}

TEST(ThreadTimes, ABusyThreadUsesCpuTime) {
  const ThreadTimes times;
  const Nanoseconds before = ThreadTimes::cpu();
  while (ThreadTimes::cpu() == before) {
  }
  EXPECT_GT(ThreadTimes::cpu(), before);
  EXPECT_GE(times.run_queue_wait().value_or(Nanoseconds{}).count, 0);
}

}  // namespace
}  // namespace tokenjoule
