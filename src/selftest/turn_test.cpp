#include "selftest/turn.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

EmitterPlan short_plan() {
  EmitterPlan plan;
  plan.streams = 8;
  plan.rate = 50;
  plan.lead = Seconds(0.05);
  plan.window = Seconds(0.15);
  return plan;  // 50 x (0.05 + 0.15 + 0.2) = 20 events of each
}

TurnPlan turn_plan(const Emitter& emitter, const EmitterPlan& plan) {
  TurnPlan turn{.root = emitter.root(), .streams = plan.streams, .tokens = plan.events()};
  turn.emitter = &emitter;
  return turn;
}

TEST(EmitterPlan, CountsItsEvents) { EXPECT_EQ(short_plan().events(), 20); }

TEST(ReadWithClient, ReadsEveryEventThatTheEmitterSent) {
  const EmitterPlan plan = short_plan();
  const auto emitter = Emitter::start(plan).value();
  SystemClock clock;
  const auto reading = read_with_client(turn_plan(*emitter, plan), clock);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->events, 8 * 20);
  EXPECT_EQ(emitter->counts().events, 8 * 20);
  EXPECT_EQ(reading->failed, 0);
  EXPECT_GT(reading->arrivals.events(), 0);
  EXPECT_GT(reading->whole_cpu, Seconds());
}

TEST(ReadBare, ReadsEveryEventThatTheEmitterSent) {
  const EmitterPlan plan = short_plan();
  const auto emitter = Emitter::start(plan).value();
  SystemClock clock;
  const auto reading = read_bare(turn_plan(*emitter, plan), clock);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->events, 8 * 20);
  EXPECT_EQ(reading->failed, 0);
}

TEST(ReadWithClient, ReadsAnUnpacedServerToItsEnd) {
  EmitterPlan plan = short_plan();
  plan.rate = 0;
  plan.lead = Seconds();
  const auto emitter = Emitter::start(plan).value();
  SystemClock clock;
  TurnPlan turn = turn_plan(*emitter, plan);
  turn.tokens = 100;
  turn.stamps = false;
  const auto reading = read_with_client(turn, clock);
  ASSERT_TRUE(reading);
  EXPECT_GT(reading->events, 0);
  EXPECT_EQ(reading->events, emitter->counts().events);
}

}  // namespace
}  // namespace tokenjoule
