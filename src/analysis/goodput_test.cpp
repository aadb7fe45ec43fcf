#include "analysis/goodput.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::sound_run;
using test::TestRun;

constexpr const char* kLevel =
    R"({"mode": "open", "request_rate_per_s": 1, "slo": {"ttft_s": 1.5, "tpot_s": 1, "e2e_s": 4}})";

/// A window of 30 s with six requests: one good, the others each short of something.
TestRun mixed_run() {
  TestRun run = sound_run();
  run.run.requests.clear();
  run.run.header.configuration_json = kLevel;
  run.answer(20, {1, 2, 3});        // good: 1 s, then 1 s a token
  run.answer(20, {2, 3});           // first token after 2 s
  run.answer(20, {1, 2.5});         // 1.5 s a token
  run.answer(20, {1, 2, 3, 4, 5});  // 5 s in all
  run.answer(20, {1, 2}).outcome = Outcome::failed;
  run.answer(20, {1, 2}).planned = at(19);  // 2 s from the planned time
  return run;
}

TEST(Goodput, IsTheShareOfRequestsThatKeepToAllLimits) {
  const Report report = mixed_run().analysed();
  EXPECT_DOUBLE_EQ(*report.figures.at("good_request_share").value, 1.0 / 6);
  EXPECT_DOUBLE_EQ(*report.figures.at("good_requests_per_second").value, 1.0 / 30);
}

TEST(Goodput, DecidesWhichTokensAreGood) {
  const Report report = mixed_run().analysed();
  EXPECT_DOUBLE_EQ(*report.tokens.output_good, 3);
  EXPECT_DOUBLE_EQ(*report.figures.at("joules_per_good_output_token").value, 12'000.0 / 3);
}

TEST(Goodput, IsNoFigureWhereNoLimitWasSet) {
  EXPECT_EQ(sound_run().analysed().figures.count("good_request_share"), 0U);
}

TEST(Goodput, OneTokenHasNoRateAndSeveralAtOnceAnUnknownOne) {
  TestRun run = sound_run();
  const ServiceLevel level{.ttft = {}, .tpot = Seconds(0.001), .e2e = {}};
  const RequestRecord one = run.answer(20, {1});
  EXPECT_TRUE(meets(level, one, tokens_of(one), false));
  RequestRecord several = run.answer(20, {1});
  several.output_tokens = 5;
  EXPECT_FALSE(meets(level, several, tokens_of(several), false));
}

}  // namespace
}  // namespace tokenjoule
