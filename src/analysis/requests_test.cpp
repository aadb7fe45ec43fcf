#include "analysis/requests.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::span;

std::map<std::string, Summary> latencies_of(const Run& run, bool open_loop = false) {
  std::vector<AnswerTokens> answers;
  for (const RequestRecord& request : run.requests) answers.push_back(tokens_of(request));
  return latencies(run, answers, span(0, 100), open_loop);
}

RequestCounts counts_of(const Run& run, TimeSpan window) {
  std::vector<AnswerTokens> answers;
  for (const RequestRecord& request : run.requests) answers.push_back(tokens_of(request));
  return request_counts(run, answers, window, false);
}

TEST(RequestCounts, InWindowIsTheShareFromSendToLastToken) {
  test::TestRun run;
  run.answer(8, {1, 2, 4});   // 8 to 12: half of it behind 10
  run.answer(20, {1, 2});     // inside
  run.answer(39, {1, 3, 4});  // 39 to 43: a quarter before 40
  run.answer(25, {1}).outcome = Outcome::failed;
  const auto counts = counts_of(run.run, span(10, 40));
  EXPECT_DOUBLE_EQ(counts.in_window, 0.5 + 1 + 0.25);
  EXPECT_EQ(counts.completed, 3);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.failures.at("unknown"), 1);
}

TEST(RequestCounts, WhatWasPlannedAndNeverSentIsPlannedToo) {
  test::TestRun run;
  run.answer(20, {1, 2});
  run.run.losses.push_back({span(21, 50), "arrival", "load", 7, "no stream was free"});
  run.run.losses.push_back({span(21, 22), "scrape", "engine", 3, "late"});
  const auto open = [&] {
    return request_counts(run.run, {tokens_of(run.run.requests[0])}, span(10, 40), true);
  };
  EXPECT_EQ(open().never_sent, std::nullopt);  // the record ends before the load did
  run.mark(50, Phase::drain);
  EXPECT_EQ(open().never_sent, 7);
  EXPECT_EQ(open().planned, 8);
  EXPECT_EQ(counts_of(run.run, span(10, 40)).never_sent, std::nullopt);  // a closed loop
}

TEST(RequestCounts, OfARecordThatWasCutOffTellNotWhatWasUnderWay) {
  test::TestRun run;
  run.answer(20, {1, 2});
  EXPECT_EQ(counts_of(run.run, span(10, 40)).planned, 1);
  run.run.close.reset();
  const auto counts = counts_of(run.run, span(10, 40));
  EXPECT_EQ(counts.planned, std::nullopt);
  EXPECT_EQ(counts.cancelled, std::nullopt);
  EXPECT_EQ(counts.failed, 0);
}

TEST(RequestCounts, FailuresAreCountedByClassWithTheFirstMessage) {
  test::TestRun run;
  for (const char* const failure : {"rate_limited: http 429: slow down", "reset",
                                    "rate_limited: http 429: slow down, please"}) {
    RequestRecord& request = run.answer(20, {1});
    request.outcome = Outcome::failed;
    request.failure = failure;
  }
  run.run.requests[0].retry_after = Seconds(7);
  run.run.requests[2].retry_after = Seconds(3);
  const auto counts = counts_of(run.run, span(10, 40));
  EXPECT_EQ(counts.failures,
            (std::map<std::string, std::int64_t>{{"rate_limited", 2}, {"reset", 1}}));
  EXPECT_EQ(counts.failure_messages,
            (std::map<std::string, std::string>{{"rate_limited", "http 429: slow down"},
                                                {"reset", "the server broke the connection off"}}));
  EXPECT_EQ(counts.asked_to_wait, 2);
  EXPECT_EQ(counts.longest_asked_wait, Seconds(7));
}

TEST(MeanInFlight, IsTheTimeInFlightOverTheLength) {
  test::TestRun run;
  run.answer(0, {1, 20});
  run.answer(15, {1, 2});
  EXPECT_DOUBLE_EQ(mean_in_flight(run.run, span(10, 20)), 1.2);  // 10 s + 2 s of 10 s
}

TEST(Latency, SixteenEventsOfEightTokensAreASpeculativeStream) {
  test::TestRun run;
  std::string times = "1350000";
  for (int i = 1; i < 16; ++i) times += " 80000";
  RequestRecord& request = run.answer(0, {1});
  request.token_times = TokenTimes::in(times).value();
  request.output_tokens = 128;
  const auto all = latencies_of(run.run);
  EXPECT_NEAR(*all.at("ttft_seconds").p50, 1.350, 1e-9);
  EXPECT_NEAR(*all.at("tpot_seconds").p50, 1.200 / 127, 1e-9);  // 9.449 ms, not 80
  EXPECT_NEAR(*all.at("itl_seconds").p50, 0.010, 1e-9);         // 80 ms / 8 tokens
  EXPECT_NEAR(*all.at("interactivity_tokens_per_second").p50, 127 / 1.2, 1e-6);
}

TEST(Latency, BehindAFirstEventOfSeveralTokensHasItsOwnRate) {
  test::TestRun run;
  std::string times = "1350000x8";
  for (int i = 1; i < 16; ++i) times += " 80000x8";
  RequestRecord& request = run.answer(0, {1});
  request.token_times = TokenTimes::in(times).value();
  request.output_tokens = 128;
  const auto all = latencies_of(run.run);
  EXPECT_NEAR(*all.at("tpot_seconds").p50, 1.200 / 127, 1e-9);
  EXPECT_NEAR(*all.at("tpot_behind_first_event_seconds").p50, 1.200 / 120, 1e-9);
}

TEST(Latency, BehindTheFirstEventIsNotGivenWhereEventsDoNotSayTheirTokens) {
  test::TestRun run;
  run.answer(0, {1, 2, 3});
  EXPECT_EQ(latencies_of(run.run).count("tpot_behind_first_event_seconds"), 0U);
}

TEST(Latency, OneTokenHasNoTimePerOutputToken) {
  test::TestRun run;
  run.answer(0, {1});
  const auto all = latencies_of(run.run);
  EXPECT_EQ(all.at("ttft_seconds").n, 1);
  EXPECT_EQ(all.at("tpot_seconds").n, 0);
  EXPECT_NE(all.at("tpot_seconds").reason, "");
}

TEST(Latency, OpenLoopCountsFromThePlannedTime) {
  test::TestRun run;
  run.answer(5, {1, 2}).planned = at(3);
  EXPECT_NEAR(*latencies_of(run.run, false).at("ttft_seconds").p50, 1, 1e-9);
  EXPECT_NEAR(*latencies_of(run.run, true).at("ttft_seconds").p50, 3, 1e-9);
  EXPECT_NEAR(*latencies_of(run.run, true).at("e2e_latency_seconds").p50, 4, 1e-9);
}

TEST(Latency, GapsOfALateReadAreAnythingFromNothingToTheWhole) {
  test::TestRun run;
  RequestRecord& request = run.answer(0, {1});
  request.token_times = TokenTimes::in("1000000 60000 0~ 0~").value();
  request.output_tokens = 4;
  const auto all = latencies_of(run.run);
  EXPECT_NEAR(*all.at("itl_seconds").mean, 0.020, 1e-9);        // 60, 0 and 0 ms
  EXPECT_NEAR(*all.at("itl_upper_seconds").mean, 0.060, 1e-9);  // 60, 60 and 60 ms
}

TEST(Latency, IsOfCompletedRequestsOfTheWindow) {
  test::TestRun run;
  run.answer(5, {1, 2}).outcome = Outcome::cancelled;
  const auto all = latencies_of(run.run);
  EXPECT_EQ(all.at("ttft_seconds").n, 0);
  EXPECT_EQ(all.count("itl_upper_seconds"), 0u);
}

}  // namespace
}  // namespace tokenjoule
