#include "analysis/token_counts.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::span;

/// An answer sent at 0 s.
RequestRecord answer(const std::string& times, std::optional<std::int64_t> usage) {
  RequestRecord request;
  request.token_times = TokenTimes::in(times).value();
  request.output_tokens = usage;
  request.prompt_tokens = 100;
  request.end = at(10);
  return request;
}

ClientTokens counted(const RequestRecord& request, TimeSpan window) {
  return client_tokens({request}, {tokens_of(request)}, window);
}

TEST(AnswerTokens, CountsPerEventAreUsedWhereTheyAgreeWithUsage) {
  const auto tokens = tokens_of(answer("1000000x8 1000000x8 1000000x4", 20));
  EXPECT_EQ(tokens.source, TokenSource::event_ids);
  EXPECT_DOUBLE_EQ(tokens.total, 20);
  EXPECT_EQ(tokens.first, at(1));
  EXPECT_EQ(tokens.last, at(3));
}

TEST(AnswerTokens, UsageWinsWhereCountsPerEventDoNotAddUp) {
  const auto tokens = tokens_of(answer("1000000x8 1000000x8", 20));
  EXPECT_EQ(tokens.source, TokenSource::usage);
  EXPECT_DOUBLE_EQ(tokens.total, 20);
  EXPECT_DOUBLE_EQ(tokens.per_event, 10);
}

TEST(AnswerTokens, EventsAreNeverTokensWhereUsageIsKnown) {
  // 16 events of 8 tokens each, and nothing but usage says so.
  std::string times = "1000000";
  for (int i = 1; i < 16; ++i) times += " 80000";
  EXPECT_DOUBLE_EQ(tokens_of(answer(times, 128)).total, 128);
  EXPECT_EQ(tokens_of(answer(times, std::nullopt)).source, TokenSource::events);
  EXPECT_DOUBLE_EQ(tokens_of(answer(times, std::nullopt)).total, 16);
}

TEST(WindowShare, AnEventAtTheBeginCountsAndOneAtTheEndDoesNot) {
  const auto request = answer("1000000 1000000 1000000 1000000", 4);  // at 1, 2, 3 and 4 s
  const auto share = share_in(request, tokens_of(request), span(2, 4));
  EXPECT_DOUBLE_EQ(share.tokens, 2);
  EXPECT_DOUBLE_EQ(share.start_bound, 1);
  EXPECT_DOUBLE_EQ(share.end_bound, 1);
}

TEST(WindowShare, KnownCountsPerEventHaveNoBound) {
  const auto request = answer("1000000x1 1000000x9 1000000x1 1000000x1", 12);
  const auto share = share_in(request, tokens_of(request), span(2, 4));
  EXPECT_DOUBLE_EQ(share.tokens, 10);
  EXPECT_DOUBLE_EQ(share.start_bound, 0);
}

TEST(WindowShare, AnAnswerInOnePieceComesWhole) {
  auto request = answer("", 50);
  request.end = at(3);
  EXPECT_DOUBLE_EQ(share_in(request, tokens_of(request), span(2, 4)).tokens, 50);
  EXPECT_DOUBLE_EQ(share_in(request, tokens_of(request), span(2, 4)).start_bound, 50);
  EXPECT_DOUBLE_EQ(share_in(request, tokens_of(request), span(3.5, 4)).tokens, 0);
}

TEST(ClientTokens, APromptCountsWholeAtItsFirstToken) {
  const auto request = answer("1000000 1000000 1000000", 3);
  EXPECT_DOUBLE_EQ(*counted(request, span(0.5, 1.5)).counts.prompt_submitted, 100);
  EXPECT_DOUBLE_EQ(*counted(request, span(1.5, 9)).counts.prompt_submitted, 0);
}

TEST(ClientTokens, TokensOfFailedRequestsCountAndAreShown) {
  auto request = answer("1000000 1000000 1000000", std::nullopt);
  request.outcome = Outcome::failed;
  request.output_tokens_asked = 10;
  const auto tokens = counted(request, span(0, 9));
  EXPECT_DOUBLE_EQ(*tokens.counts.output, 3);
  EXPECT_DOUBLE_EQ(tokens.counts.output_by_failed.value(), 3);
  EXPECT_DOUBLE_EQ(*tokens.counts.output_good, 0);
  EXPECT_EQ(tokens.completed_by_events, 0);
  EXPECT_DOUBLE_EQ(tokens.output_run_low, 3);
  EXPECT_DOUBLE_EQ(*tokens.output_run_high, 10);  // the engine may have made all that was asked for
}

TEST(ClientTokens, WithoutRequestsAreUnknownRatherThanZero) {
  const auto tokens = client_tokens({}, {}, span(0, 9));
  EXPECT_EQ(tokens.counts.output, std::nullopt);
  EXPECT_EQ(tokens.counts.prompt_submitted, std::nullopt);
  EXPECT_NE(tokens.counts.reason, "");
}

}  // namespace
}  // namespace tokenjoule
