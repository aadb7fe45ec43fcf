#include "sim/faults.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

Result<FaultPlan> plan_of(const std::vector<std::string>& words) { return faults_in(words); }

TEST(Faults, NoWordIsNoFault) {
  const auto plan = plan_of({});
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->counter_resets.empty());
  EXPECT_EQ(plan->counter_gain, 1);
}

TEST(Faults, ReadsTimesLengthsAndGpus) {
  const auto plan = plan_of({"counter_reset:at=40", "freeze:at=10,for=5,gpu=1"});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->counter_resets.at(0).at, Seconds(40));
  EXPECT_FALSE(plan->counter_resets.at(0).gpu.has_value());
  EXPECT_EQ(plan->freezes.at(0).length, Seconds(5));
  EXPECT_EQ(plan->freezes.at(0).gpu, 1);
}

TEST(Faults, ReadsEveryKind) {
  const auto plan = plan_of({"lost:at=1", "gain:factor=1.1", "power_gain:factor=0.9",
                             "noise:watts=3", "step:ms=1000", "no_counter", "no_power",
                             "exporter_down:at=3", "slow_page:ms=50", "error_in_stream:every=2",
                             "http_429:every=3", "http_500:every=4", "disconnect:every=5",
                             "no_done", "no_usage", "stall:at=1,for=2", "unauthorized", "html"});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->losses.size(), 1U);
  EXPECT_EQ(plan->counter_gain, 1.1);
  EXPECT_EQ(plan->power_gain, 0.9);
  EXPECT_EQ(plan->noise, Watts(3));
  EXPECT_EQ(plan->counter_step, whole_seconds(1));
  EXPECT_TRUE(plan->no_counter && plan->no_power && plan->no_done && plan->no_usage);
  EXPECT_TRUE(plan->unauthorized && plan->html);
  EXPECT_EQ(plan->exporter_down_at, Seconds(3));
  EXPECT_EQ(plan->slow_page, milliseconds(50));
  EXPECT_EQ(plan->error_in_stream_every, 2);
  EXPECT_EQ(plan->http_429_every, 3);
  EXPECT_EQ(plan->http_500_every, 4);
  EXPECT_EQ(plan->disconnect_every, 5);
  EXPECT_EQ(plan->stalls.at(0).length, Seconds(2));
}

TEST(Faults, AnUnknownKindIsAUsageErrorWithASuggestion) {
  const auto plan = plan_of({"frezze:at=1"});
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, ErrorKind::usage);
  EXPECT_NE(plan.error().message.find("did you mean freeze?"), std::string::npos);
}

TEST(Faults, AnUnknownKeyIsAUsageErrorWithASuggestion) {
  const auto plan = plan_of({"freeze:att=1"});
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().message.find("did you mean at?"), std::string::npos);
}

TEST(Faults, AMissingOrImpossibleValueIsAUsageError) {
  for (const char* word : {"freeze", "freeze:at=", "freeze:at=soon", "freeze:at=-1",
                           "gain:factor=0", "http_429:every=0", "http_429:every=1.5", "stall:at=1",
                           "freeze:at=1,gpu=0.5", "step:ms=0", "html:at=1"}) {
    const auto plan = plan_of({word});
    ASSERT_FALSE(plan.has_value()) << word;
    EXPECT_EQ(plan.error().kind, ErrorKind::usage) << word;
    EXPECT_FALSE(plan.error().hint.empty()) << word;
  }
}

TEST(Faults, AreOnFromTheirTimeForTheirLength) {
  const TimedFault fault{Seconds(10), Seconds(5), 1};
  EXPECT_FALSE(is_on(fault, mono_at(Seconds(9.999)), 1));
  EXPECT_TRUE(is_on(fault, mono_at(Seconds(10)), 1));
  EXPECT_FALSE(is_on(fault, mono_at(Seconds(10)), 0));
  EXPECT_FALSE(is_on(fault, mono_at(Seconds(15)), 1));
}

TEST(Faults, TheHelpNamesEveryKind) {
  EXPECT_NE(fault_help().find("counter_reset:at=…[,gpu=…]  "), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
