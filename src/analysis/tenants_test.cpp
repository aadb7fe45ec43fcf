#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

std::vector<CheckFinding> findings_with(const std::string& fact) {
  test::TestRun made;
  made.run.devices.front().facts[kForeignProcessesFact] = fact;
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

TEST(ForeignProcess, ThereIsNone) { EXPECT_TRUE(findings_with("").empty()); }

}  // namespace
}  // namespace tokenjoule
