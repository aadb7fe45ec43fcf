// Which tokens an answer holds, and when.

#include "engines/answer_fixture.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(AnswerDecoder, ARoleIsTheFirstChoiceButNotTheFirstToken) {  // L01
  Answer answer;
  answer.delta(50, R"({"role":"assistant","content":""})");
  for (int i = 0; i < 10; ++i) answer.delta(1350 + 20 * i, R"({"content":"a"})");
  const RequestRecord record = answer.finished(1531).usage(1532, 10).done(1533).end();
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.first_choices, at_ms(50));
  EXPECT_EQ(record.first_visible, at_ms(1350));
  EXPECT_EQ(record.token_times, "1350000 20000 20000 20000 20000 20000 20000 20000 20000 20000");
  EXPECT_EQ(record.token_events, 10);
  EXPECT_EQ(record.output_tokens, 10);
  EXPECT_EQ(record.prompt_tokens, 7);
  EXPECT_EQ(record.finish, at_ms(1531));
  EXPECT_EQ(record.usage, at_ms(1532));
  EXPECT_EQ(record.done, at_ms(1533));
  EXPECT_EQ(record.finish_reason, "length");
}

TEST(AnswerDecoder, TokenIdsCountTheTokensOfAnEvent) {  // L02
  Answer answer;
  for (int i = 0; i < 16; ++i) {
    answer.event(100 + 80 * i, R"({"choices":[{"text":"abc","token_ids":[1,2,3,4,5,6,7,8]}]})");
  }
  const RequestRecord record = answer.finished(1301).usage(1302, 128).done(1303).end();
  EXPECT_EQ(record.output_tokens, 128);
  EXPECT_EQ(record.token_events, 16);
  EXPECT_EQ(record.token_times.text().substr(0, 22), "100000x8 80000x8 80000");
}

TEST(AnswerDecoder, TokenIdsWithoutTextAreTokensToo) {
  const RequestRecord record =
      Answer().event(5, R"({"choices":[{"text":"","token_ids":[9]}]})").finished(6).done(6).end();
  EXPECT_EQ(record.token_times, "5000x1");
  EXPECT_EQ(record.first_visible, std::nullopt);
}

TEST(AnswerDecoder, UsageInTheChunkWithTheFinishReasonCountsForTheRequestOnly) {  // L04
  const RequestRecord record =
      Answer()
          .text(10)
          .text(20)
          .event(
              30,
              R"({"choices":[{"text":"c","finish_reason":"stop"}],"usage":{"completion_tokens":9}})")
          .end();
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.output_tokens, 9);
  EXPECT_EQ(record.token_times, "10000 10000 10000");
}

TEST(AnswerDecoder, CumulativeUsageCountsTheTokensOfEachEvent) {  // L05
  const RequestRecord record = Answer()
                                   .event(10, with_usage("a", 3))
                                   .event(20, with_usage("b", 4))
                                   .event(30, with_usage("c", 9))
                                   .usage(31, 9)
                                   .done(31)
                                   .end();
  EXPECT_EQ(record.token_times, "10000x3 10000x1 10000x5");
  EXPECT_EQ(record.output_tokens, 9);
}

TEST(AnswerDecoder, TokensWithoutAnEventAreInTheNextOne) {  // L07
  const RequestRecord record = Answer()
                                   .event(10, with_usage("a", 1))
                                   .event(20, with_usage("", 17))
                                   .event(30, with_usage("b", 18))
                                   .done(31)
                                   .end();
  EXPECT_EQ(record.token_times, "10000x1 20000x17");
  EXPECT_EQ(record.output_tokens, 18);
}

TEST(AnswerDecoder, AUsageOfZerosSaysNothingOfEvents) {
  const RequestRecord record = Answer()
                                   .event(10, with_usage("a", 0))
                                   .event(20, with_usage("b", 0))
                                   .event(30, with_usage("c", 3))
                                   .done(31)
                                   .end();
  EXPECT_EQ(record.token_times, "10000 10000 10000");
  EXPECT_EQ(record.output_tokens, 3);
}

TEST(AnswerDecoder, AUsageOfZeroWithTheRoleIsTheBeginOfTheCount) {
  const RequestRecord record =
      Answer()
          .event(
              5,
              R"({"choices":[{"delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":7,"completion_tokens":0}})")
          .event(10, with_usage("a", 2))
          .event(20, with_usage("b", 3))
          .usage(21, 3)
          .done(21)
          .end();
  EXPECT_EQ(record.token_times, "10000x2 10000x1");
  EXPECT_EQ(record.output_tokens, 3);
}

TEST(AnswerDecoder, UsageWithTheFinishReasonAndUsageBehindItAreOneCount) {
  const RequestRecord record =
      Answer()
          .event(10, with_usage("a", 4))
          .event(
              20,
              R"({"choices":[{"text":"b","finish_reason":"length"}],"usage":{"completion_tokens":8}})")
          .usage(21, 8)
          .done(21)
          .end();
  EXPECT_EQ(record.token_times, "10000x4 10000x4");
  EXPECT_EQ(record.output_tokens, 8);
  EXPECT_EQ(record.usage, at_ms(21));
}

TEST(AnswerDecoder, WithoutUsageTheOutputIsUnknownNotTheCountOfEvents) {  // L06
  const RequestRecord record = Answer().text(10).text(20).finished(21).done(22).end();
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.output_tokens, std::nullopt);
  EXPECT_EQ(record.usage, std::nullopt);
  EXPECT_EQ(record.token_events, 2);
}

TEST(AnswerDecoder, ReasoningIsTheFirstTokenAndContentTheFirstVisibleOne) {  // L08
  Answer answer;
  for (int i = 0; i < 40; ++i) answer.delta(100 + i, R"({"reasoning_content":"hm"})");
  const RequestRecord record =
      answer.delta(500, R"({"content":"yes"})").finished(501).done(502).end();
  EXPECT_EQ(record.token_events, 41);
  EXPECT_EQ(record.token_times.text().substr(0, 6), "100000");
  EXPECT_EQ(record.first_visible, at_ms(500));
}

TEST(AnswerDecoder, OneChunkMayHoldReasoningAndContent) {  // L09
  const RequestRecord record = Answer()
                                   .delta(10, R"({"reasoning_content":"hm","content":"yes"})")
                                   .finished(11)
                                   .done(12)
                                   .end();
  EXPECT_EQ(record.token_times, "10000");
  EXPECT_EQ(record.first_visible, at_ms(10));
}

TEST(AnswerDecoder, TheReasoningKeyCountsLikeReasoningContent) {  // L10
  const RequestRecord record =
      Answer().delta(10, R"({"reasoning":"hm"})").finished(11).done(12).end();
  EXPECT_EQ(record.token_events, 1);
  EXPECT_EQ(record.first_visible, std::nullopt);
}

TEST(AnswerDecoder, ToolCallsAndRefusalsAreTokens) {  // L11, L12
  const RequestRecord tool = Answer()
                                 .delta(10, R"({"tool_calls":[{"index":0}]})")
                                 .delta(20, R"({"tool_calls":[]})")
                                 .done(21)
                                 .end();
  EXPECT_EQ(tool.token_times, "10000");
  const RequestRecord refusal =
      Answer().delta(10, R"({"refusal":null})").delta(20, R"({"refusal":"no"})").done(21).end();
  EXPECT_EQ(refusal.token_times, "20000");
  EXPECT_EQ(refusal.first_visible, at_ms(20));
}

TEST(AnswerDecoder, AFirstChunkOfManyTokensKeepsItsCount) {  // L13
  const RequestRecord record = Answer()
                                   .event(10, with_usage("many", 32))
                                   .event(20, with_usage("b", 33))
                                   .event(30, with_usage("c", 34))
                                   .done(31)
                                   .end();
  EXPECT_EQ(record.token_times, "10000x32 10000x1 10000x1");
}

TEST(AnswerDecoder, ACensoredEventIsMarked) {
  const RequestRecord record = Answer()
                                   .event(10, R"({"choices":[{"text":"a"}]})")
                                   .event(10, R"({"choices":[{"text":"b"}]})", true)
                                   .done(11)
                                   .end();
  EXPECT_EQ(record.token_times, "10000 0~");
}

TEST(AnswerDecoder, APlainAnswerIsOneTokenEventAtItsEnd) {  // L16
  const RequestRecord record =
      Answer()
          .body(
              300,
              R"({"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],
                        "usage":{"prompt_tokens":5,"completion_tokens":12}})")
          .end();
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.token_times, "300000");
  EXPECT_EQ(record.output_tokens, 12);
}

TEST(AnswerDecoder, EmptyStringsBetweenTokensAreNone) {  // L20
  const RequestRecord record =
      Answer().text(10, "").text(20).text(30, "").text(40).finished(41).done(42).end();
  EXPECT_EQ(record.token_times, "20000 20000");
}

TEST(AnswerDecoder, TheLastUsageWinsWithItsDetails) {
  const RequestRecord record =
      Answer()
          .text(10)
          .event(
              11,
              R"({"choices":[{"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":4,"completion_tokens":1}})")
          .event(12, R"({"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":2,
                        "prompt_tokens_details":{"cached_tokens":3},
                        "completion_tokens_details":{"reasoning_tokens":1}}})")
          .done(13)
          .end();
  EXPECT_EQ(record.output_tokens, 2);
  EXPECT_EQ(record.cached_tokens, 3);
  EXPECT_EQ(record.reasoning_tokens, 1);
  EXPECT_EQ(record.usage, at_ms(12));
}

TEST(AnswerDecoder, ReasoningTokensMayStandBesideTheCounts) {
  const RequestRecord record =
      Answer()
          .text(1)
          .event(2, R"({"choices":[],"usage":{"completion_tokens":2,"reasoning_tokens":2}})")
          .done(3)
          .end();
  EXPECT_EQ(record.reasoning_tokens, 2);
}

TEST(AnswerDecoder, TimingsOfLlamaCppStandInForAMissingUsage) {
  const RequestRecord record = Answer()
                                   .text(10)
                                   .event(20, R"({"choices":[{"text":"","finish_reason":"length"}],
                        "timings":{"cache_n":2,"prompt_n":6,"predicted_n":4}})")
                                   .done(21)
                                   .end();
  EXPECT_EQ(record.prompt_tokens, 8);
  EXPECT_EQ(record.output_tokens, 4);
  EXPECT_EQ(record.cached_tokens, 2);
  EXPECT_EQ(record.usage, std::nullopt);
}

TEST(AnswerDecoder, AMegabyteInOneEventIsOneEvent) {  // L15
  const RequestRecord record = Answer().text(10, std::string(1'000'000, 'y')).finished(11).end();
  EXPECT_EQ(record.token_times, "10000");
}

}  // namespace
}  // namespace tokenjoule
