#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::severity_of;
using test::sound_run;
using test::TestRun;

void fail(TestRun& run, double sent, const char* failure) {
  RequestRecord& request = run.answer(sent, {});
  request.outcome = Outcome::failed;
  request.failure = failure;
  request.output_tokens.reset();
  request.end = at(sent + 0.1);
}

/// One answer up to 23 s in a window from 10 to 40 s, and three requests that nobody answers.
TestRun run_that_lost_its_engine() {
  TestRun run = sound_run();
  fail(run, 24, "reset");
  fail(run, 25, "refused");
  fail(run, 26, "refused");
  return run;
}

TEST(EngineLost, IsNobodyThereFromSomeTimeInTheWindowOn) {
  const Report report = run_that_lost_its_engine().analysed();
  EXPECT_EQ(severity_of(report, "engine_lost"), "unusable");
  EXPECT_EQ(report.verdict.status, VerdictStatus::unusable);
  EXPECT_EQ(test::finding_of(report, "engine_lost")->message,
            "the engine was lost: the last token came 13.0 s into the window of 30.0 s, and 3 "
            "requests failed from then on (refused 2, reset 1)");
}

TEST(EngineLost, IsNotSaidOfAnEngineThatAnswersAgain) {
  TestRun run = run_that_lost_its_engine();
  run.answer(30, {1, 2});
  EXPECT_EQ(severity_of(run.analysed(), "engine_lost"), "none");
}

TEST(EngineLost, IsNotSaidOfTwoFailuresOrOfRefusals) {
  TestRun two = sound_run();
  fail(two, 24, "reset");
  fail(two, 25, "refused");
  EXPECT_EQ(severity_of(two.analysed(), "engine_lost"), "none");
  TestRun limited = sound_run();
  for (const double sent : {24, 25, 26}) fail(limited, sent, "rate_limited: http 429: slow down");
  EXPECT_EQ(severity_of(limited.analysed(), "engine_lost"), "none");
}

TEST(EngineLost, IsNotSaidWhereItAnsweredUntilTheWindowsEnd) {
  TestRun run = sound_run();
  run.answer(39, {1, 2});
  for (const double sent : {42, 43, 44}) fail(run, sent, "refused");
  EXPECT_EQ(severity_of(run.analysed(), "engine_lost"), "none");
}

TEST(EngineLost, IsSaidWhereTheRunWasGivenUpForIt) {
  TestRun run = sound_run();
  run.run.close->reason = "engine_lost";
  EXPECT_EQ(severity_of(run.analysed(), "engine_lost"), "unusable");
}

}  // namespace
}  // namespace tokenjoule
