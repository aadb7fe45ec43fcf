#include "engines/answer_decoder.hpp"

#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

MonoTime at_ms(std::int64_t ms) { return MonoTime{} + milliseconds(ms); }

/// An answer to a request that was sent at 0.
class Answer {
 public:
  Answer& event(std::int64_t ms, std::string_view data, bool censored = false) {
    decoder_.event(reader_, data, at_ms(ms), censored);
    return *this;
  }
  Answer& text(std::int64_t ms, std::string_view text = "x") {
    return event(
        ms, fmt::format(
                R"({{"choices":[{{"index":0,"text":"{}","finish_reason":null}}],"usage":null}})",
                text));
  }
  Answer& delta(std::int64_t ms, std::string_view delta) {
    return event(ms, fmt::format(R"({{"choices":[{{"delta":{}}}]}})", delta));
  }
  Answer& finished(std::int64_t ms, std::string_view reason = "length") {
    return event(ms, fmt::format(R"({{"choices":[{{"text":"","finish_reason":"{}"}}]}})", reason));
  }
  Answer& usage(std::int64_t ms, int tokens) {
    return event(
        ms, fmt::format(R"({{"choices":[],"usage":{{"prompt_tokens":7,"completion_tokens":{}}}}})",
                        tokens));
  }
  Answer& done(std::int64_t ms) { return event(ms, "[DONE]"); }
  Answer& body(std::int64_t ms, std::string_view body) {
    decoder_.plain_body(reader_, body, at_ms(ms));
    return *this;
  }

  RequestRecord end(AnswerEnd end = AnswerEnd::whole, std::string failure = {}) {
    RequestRecord record;
    if (end != AnswerEnd::whole) record.outcome = Outcome::failed;
    if (end == AnswerEnd::cancelled) record.outcome = Outcome::cancelled;
    record.failure = std::move(failure);
    decoder_.finish(record, end);
    return record;
  }

 private:
  AnswerEventReader reader_;
  AnswerDecoder decoder_{MonoTime{}};
};

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

std::string with_usage(std::string_view text, int tokens) {
  return fmt::format(R"({{"choices":[{{"text":"{}"}}],"usage":{{"completion_tokens":{}}}}})", text,
                     tokens);
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

TEST(AnswerDecoder, AStreamWithoutDoneIsCompleteByItsFinishReason) {  // L16
  EXPECT_EQ(Answer().text(10).finished(11).end().outcome, Outcome::completed);
  EXPECT_EQ(Answer().text(10).usage(11, 1).end().outcome, Outcome::completed);
}

TEST(AnswerDecoder, DoneLongAfterTheLastTokenChangesNoTokenTime) {  // L16
  const RequestRecord record = Answer().text(10).finished(10).done(2010).end();
  EXPECT_EQ(record.token_times, "10000");
  EXPECT_EQ(record.done, at_ms(2010));
}

TEST(AnswerDecoder, AStreamThatJustStopsEndedEarly) {  // L16
  const RequestRecord record = Answer().text(10).text(20).end();
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.failure, "ended_early");
  EXPECT_EQ(record.token_events, 2);
}

TEST(AnswerDecoder, CumulativeUsageDoesNotCloseAStream) {
  const RequestRecord record = Answer().event(10, with_usage("a", 1)).end();
  EXPECT_EQ(record.failure, "ended_early");
}

TEST(AnswerDecoder, ACutStreamKeepsItsReasonAndItsTokens) {  // L16
  const RequestRecord record = Answer().text(10).text(20).end(AnswerEnd::cut, "reset");
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.failure, "reset");
  EXPECT_EQ(record.token_times, "10000 10000");
}

TEST(AnswerDecoder, ACutBehindTheWholeAnswerDoesNotMatter) {
  const RequestRecord record = Answer().text(10).done(11).end(AnswerEnd::cut, "reset");
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.failure, "");
  EXPECT_EQ(Answer().text(10).finished(11).end(AnswerEnd::cut, "reset").outcome, Outcome::failed);
  EXPECT_EQ(Answer().text(10).finished(11).usage(12, 1).end(AnswerEnd::cut, "reset").outcome,
            Outcome::completed);
}

TEST(AnswerDecoder, ACancelledStreamStaysCancelledWithItsTokens) {
  const RequestRecord record = Answer().text(10).end(AnswerEnd::cancelled);
  EXPECT_EQ(record.outcome, Outcome::cancelled);
  EXPECT_EQ(record.token_events, 1);
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

TEST(AnswerDecoder, APageThatIsNoAnswerSaysWhatCame) {  // L18
  const RequestRecord record = Answer().body(3, "<html><b>It works</b></html>").end();
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.failure, "not_an_api: the answer is \"<html><b>It works</b></html>\"");
}

TEST(AnswerDecoder, AnErrorInsideTheStreamFailsTheRequestAndKeepsItsTokens) {  // L17
  const RequestRecord record =
      Answer()
          .text(10)
          .event(20, R"({"error":{"message":"out of \"memory\"","code":500}})")
          .done(21)
          .end();
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.failure, "in_stream_error: out of 'memory'");
  EXPECT_EQ(record.token_events, 1);
  EXPECT_EQ(Answer().event(1, R"({"error":"busy"})").end().failure, "in_stream_error: busy");
  EXPECT_EQ(Answer().event(1, R"({"object":"error","message":"bad"})").end().failure,
            "in_stream_error: bad");
  EXPECT_EQ(Answer().event(1, R"({"error":{"code":3}})").end().failure,
            "in_stream_error: {'code':3}");
}

TEST(AnswerDecoder, ALongErrorIsCut) {
  const RequestRecord record =
      Answer().event(1, R"({"error":")" + std::string(5000, 'e') + R"("})").end();
  EXPECT_LT(record.failure.size(), 200U);
}

TEST(AnswerDecoder, AnErrorOfNullIsNone) {
  const RequestRecord record =
      Answer().event(10, R"({"error":null,"choices":[{"text":"a","finish_reason":"stop"}]})").end();
  EXPECT_EQ(record.outcome, Outcome::completed);
}

TEST(AnswerDecoder, AnAbortedAnswerIsNoCompletedOne) {
  EXPECT_EQ(Answer().text(10).finished(11, "abort").done(12).end().failure,
            "in_stream_error: finish_reason abort");
}

TEST(AnswerDecoder, OneTokenIsEnoughAndNoneIsEmpty) {  // L19
  EXPECT_EQ(Answer().text(10).finished(11).done(12).end().outcome, Outcome::completed);
  const RequestRecord none = Answer().finished(11).usage(12, 0).done(12).end();
  EXPECT_EQ(none.outcome, Outcome::failed);
  EXPECT_EQ(none.failure, "empty");
  EXPECT_EQ(Answer().end().failure, "empty");
}

TEST(AnswerDecoder, TokensThatTheServerHeldBackWhollyAreNotEmpty) {
  const RequestRecord record = Answer().finished(11).usage(12, 5).done(12).end();
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.token_times, "");
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

TEST(AnswerDecoder, AnEventThatIsNoJsonFailsTheRequestButNotItsOtherEvents) {
  const RequestRecord record =
      Answer().text(10).event(15, "{\"choices\":[").text(20).done(21).end();
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.failure, "bad_event: no JSON object: \"{'choices':[\"");
  EXPECT_EQ(record.token_events, 2);
  for (const std::string_view data : {"1", "\"text\"", "\xff\xfe", "{}}", "[]", "nul"}) {
    EXPECT_EQ(Answer().event(1, data).end().failure.substr(0, 10), "bad_event:") << data;
  }
}

TEST(AnswerDecoder, MembersOfUnexpectedTypesAreTakenAsAbsent) {
  const RequestRecord record =
      Answer()
          .event(1, R"({"choices":{"text":"a"}})")
          .event(2, R"({"choices":[1,null,"x",{"text":5,"delta":7,"finish_reason":0}]})")
          .event(3, R"({"choices":[],"usage":{"completion_tokens":"many","prompt_tokens":-1}})")
          .event(4, R"({"usage":[],"timings":1})")
          .done(5)
          .end();
  EXPECT_EQ(record.failure, "empty");
  EXPECT_EQ(record.first_choices, at_ms(2));
  EXPECT_EQ(record.output_tokens, std::nullopt);
  EXPECT_EQ(record.prompt_tokens, std::nullopt);
}

TEST(AnswerDecoder, BareNaNAndInfinityAreNull) {
  const RequestRecord record =
      Answer()
          .event(
              1,
              R"({"choices":[{"text":"NaN \" NaN","logprobs":{"a":NaN,"b":[-Infinity,Infinity]}}]})")
          .finished(2)
          .end();
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.token_events, 1);
}

TEST(AnswerDecoder, AMegabyteInOneEventIsOneEvent) {  // L15
  const RequestRecord record = Answer().text(10, std::string(1'000'000, 'y')).finished(11).end();
  EXPECT_EQ(record.token_times, "10000");
}

}  // namespace
}  // namespace tokenjoule
