// How answers end, well and otherwise.

#include "engines/answer_fixture.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

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

}  // namespace
}  // namespace tokenjoule
