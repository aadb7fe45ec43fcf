#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

std::vector<CheckFinding> findings_with(const std::string& fact,
                                        const char* key = kForeignProcessesFact) {
  test::TestRun made;
  made.run.devices.front().facts[key] = fact;
  std::vector<CheckFinding> found;
  for (const CheckFinding& finding : analyse(made.run, {}).verdict.reasons) {
    if (finding.code == "foreign_process") found.push_back(finding);
  }
  return found;
}

TEST(ForeignProcess, OnAChosenGpuNeedsCare) {
  const auto found = findings_with("4711 python");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::care);
  EXPECT_NE(found[0].message.find("4711 python"), std::string::npos);
}

TEST(ForeignProcess, ThatCannotBeToldIsANote) {
  const auto found = findings_with("unknown: pids of another namespace");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::note);
}

TEST(ForeignProcess, ThatCameDuringTheRunNeedsCareToo) {
  const auto found = findings_with("4711 python", kForeignProcessesAfterFact);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::care);
  EXPECT_NE(found[0].message.find("at the end"), std::string::npos);
}

TEST(ForeignProcess, ThatIsLearntLaterIsAFactOfTheSameDevice) {
  tokenjoule::Run run;
  add_event(run, Device{.id = "GPU-a", .name = "one"});
  Device later{.id = "GPU-a"};
  later.facts[kForeignProcessesAfterFact] = "4711 python";
  add_event(run, later);
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].name, "one");
  EXPECT_EQ(run.devices[0].facts.at(kForeignProcessesAfterFact), "4711 python");
}

TEST(ForeignProcess, ThereIsNone) { EXPECT_TRUE(findings_with("").empty()); }

}  // namespace
}  // namespace tokenjoule
