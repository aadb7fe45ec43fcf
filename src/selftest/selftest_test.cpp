#include "selftest/selftest.hpp"

#include <gtest/gtest.h>

#include "base/json_view.hpp"
#include "selftest/client_guard.hpp"

namespace tokenjoule {
namespace {

SelfTestPoint quiet_point() {
  SelfTestPoint point;
  point.load = {1024, 50};
  point.window = Seconds(5);
  point.events_per_s = 51'200;
  point.loop_cpu_us_per_event = 7.5;
  point.stamp_delay = {microseconds(20), microseconds(60)};
  point.stamps = "kernel";
  return point;
}

SelfTestResult result_of(const SelfTestPoint& point) {
  SelfTestResult result;
  result.cpus = {0, 1};
  result.window = Seconds(5);
  result.points.push_back(point);
  return result;
}

TEST(DefaultRate, KeepsTheSumNearOneHundredThousandEvents) {
  EXPECT_EQ(default_rate(256), 50);
  EXPECT_EQ(default_rate(1024), 50);
  EXPECT_EQ(default_rate(4096), 25);    // 102 400 / 4 096
  EXPECT_EQ(default_rate(10'000), 10);  // 10.24, in whole events
  EXPECT_EQ(default_rate(100'000), 1);
}

TEST(ChooseCpus, GivesEachItsOwnCore) {
  const CpuChoice choice = choose_cpus({0, 1, 2, 3}, {0, 3});
  EXPECT_EQ(choice.emitter, 0);
  EXPECT_EQ(choice.client, 2);  // 3 is the other thread of the emitter's core
}

TEST(ChooseCpus, TakesTheOtherThreadOfTheCoreWhereThereIsNoOther) {
  EXPECT_EQ(choose_cpus({4, 5}, {4, 5}).client, 5);
}

TEST(ChooseCpus, PinsNobodyOnOneCpu) {
  EXPECT_FALSE(choose_cpus({0}, {0}).separate());
  EXPECT_EQ(choose_cpus({0}, {0}).client, std::nullopt);
}

TEST(ClientGuard, IsThatOfAMeasurement) {
  TurnReading reading(1);
  const std::optional<TimeSpan> window = TimeSpan{MonoTime{}, MonoTime{} + whole_seconds(1)};
  const MonoTime sent[] = {MonoTime{}};
  for (int i = 0; i < 97; ++i) reading.arrivals.add({0, MonoTime{}, {}}, sent, window);
  EXPECT_EQ(why_client_limited(reading, Seconds(1)), "");
  for (int i = 0; i < 3; ++i) {
    reading.arrivals.add({0, MonoTime{}, milliseconds(6)}, sent, window);
  }
  EXPECT_NE(why_client_limited(reading, Seconds(1)).find("3.0 % of the reads"), std::string::npos);
}

TEST(Warnings, AreNoneForAQuietRun) { EXPECT_TRUE(warnings_of(result_of(quiet_point())).empty()); }

TEST(Warnings, TellOfABusyMachineAndOfALateEmitter) {
  SelfTestPoint point = quiet_point();
  point.run_queue_wait = 0.02;
  point.late_sent = 2561;  // of 256 000 due: 1.0004 %
  const auto warnings = warnings_of(result_of(point));
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("not quiet"), std::string::npos);
  EXPECT_NE(warnings[1].find("emitter is the limit"), std::string::npos);
}

TEST(Warnings, TellThatOneCpuIsNoComparison) {
  SelfTestResult result = result_of(quiet_point());
  result.cpus = {};
  ASSERT_EQ(warnings_of(result).size(), 1U);
  EXPECT_NE(selftest_json(result).find("\"comparable\": false"), std::string::npos);
}

TEST(SelftestJson, WritesNullForWhatIsNotKnown) {
  const std::string json = selftest_json(result_of(quiet_point()));
  EXPECT_NE(json.find("\"bare_loop_cpu_us_per_event\": null"), std::string::npos);
  EXPECT_NE(json.find("\"memory_mb\": null"), std::string::npos);
  EXPECT_NE(json.find("\"unpaced_events_per_s\": null"), std::string::npos);
  EXPECT_NE(json.find("\"p50\": 20.0"), std::string::npos);
}

TEST(SelftestTable, SaysWhatLoopbackLeavesOut) {
  const std::string table = selftest_table(result_of(quiet_point()));
  EXPECT_NE(table.find("loopback; a network card adds tens of microseconds"), std::string::npos);
  EXPECT_NE(table.find("emitter on CPU 0, client on CPU 1"), std::string::npos);
  EXPECT_NE(table.find("n/a"), std::string::npos);
}

TEST(Budget, RefusesMoreStreamsThanThereArePortsOrFiles) {
  const Status status = check_budget(10'000'000);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::missing);
  EXPECT_NE(status.error().hint.find("fewer --streams"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
