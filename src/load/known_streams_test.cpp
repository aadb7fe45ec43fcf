// Streams of known bytes and times, through the decoder and the analysis, to what the user sees.

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/test_run.hpp"
#include "load/block_decoder.hpp"

namespace tokenjoule {
namespace {

using test::severity_of;
using test::sound_run;
using test::TestRun;

const MonoTime kSent = test::at(20);  // in the window of a TestRun
constexpr std::int64_t kAsked = 500;

std::string event(std::string_view json) { return fmt::format("data: {}\n\n", json); }
std::string delta(std::string_view json) {
  return event(
      fmt::format(R"({{"choices":[{{"index":0,"delta":{},"finish_reason":null}}]}})", json));
}
std::string content(std::string_view text = "a") {
  return delta(fmt::format(R"({{"content":"{}"}})", text));
}
/// Content with the usage so far, as with continuous usage.
std::string counted(int so_far, std::string_view text = "a") {
  return event(fmt::format(
      R"({{"choices":[{{"index":0,"delta":{{"content":"{}"}}}}],"usage":{{"completion_tokens":{}}}}})",
      text, so_far));
}
std::string finish() {
  return event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"length"}]})");
}
std::string usage(int tokens) {
  return event(fmt::format(
      R"({{"choices":[],"usage":{{"prompt_tokens":100,"completion_tokens":{}}}}})", tokens));
}
std::string done() { return event("[DONE]"); }

/// What the server sends, and how long after the request.
class Script {
 public:
  Script& at(std::int64_t ms, std::string bytes) {
    pieces_.push_back({ms, std::move(bytes)});
    return *this;
  }
  /// The same bytes `times` times, `gap_ms` apart.
  Script& each(std::int64_t first_ms, std::int64_t gap_ms, int times, const std::string& bytes) {
    for (int i = 0; i < times; ++i) at(first_ms + gap_ms * i, bytes);
    return *this;
  }
  /// Finish reason, usage and "[DONE]".
  Script& end(std::int64_t ms, int tokens) { return at(ms, finish() + usage(tokens) + done()); }

  RequestRecord record() const { return decoded(false, true, AnswerEnd::whole, {}); }
  RequestRecord plain_record() const { return decoded(false, false, AnswerEnd::whole, {}); }
  RequestRecord byte_by_byte() const { return decoded(true, true, AnswerEnd::whole, {}); }
  RequestRecord cut(const std::string& failure) const {
    return decoded(false, true, AnswerEnd::cut, failure);
  }

 private:
  struct Piece {
    std::int64_t ms;
    std::string bytes;
  };

  RequestRecord decoded(bool single_bytes, bool event_stream, AnswerEnd how,
                        const std::string& failure) const {
    LoadCounters counters;
    AnswerFailures failures(1);
    RequestRecord found;
    BlockDecoder decoder(1, counters, failures,
                         [&](Event event) { found = std::get<RequestRecord>(std::move(event)); });
    BlockQueue queue;
    queue.begin(0, kSent, event_stream);
    for (const Piece& piece : pieces_) {
      const std::size_t step = single_bytes ? 1 : piece.bytes.size();
      for (std::size_t i = 0; i < piece.bytes.size(); i += step) {
        const std::string_view part[] = {std::string_view(piece.bytes).substr(i, step)};
        queue.body(0, {kSent + milliseconds(piece.ms), {}, {}}, part);
      }
    }
    queue.end(0, how, request(how, failure));
    BlockBatch batch;
    queue.take(batch);
    decoder.take(batch);
    return found;
  }
  RequestRecord request(AnswerEnd how, const std::string& failure) const {
    RequestRecord record;
    record.id = 1;
    record.planned = record.sent = kSent;
    record.outcome = how == AnswerEnd::whole ? Outcome::completed : Outcome::failed;
    record.failure = failure;
    record.input_tokens_asked = 100;
    record.output_tokens_asked = kAsked;
    record.end = kSent + milliseconds(pieces_.back().ms);
    return record;
  }

  std::vector<Piece> pieces_;
};

Report seen(const RequestRecord& record, Question question = {}) {
  TestRun run = sound_run();
  run.run.requests = {record};
  return run.analysed(std::move(question));
}

double ms(const Report& report, const std::string& latency) {
  return report.latency.at(latency).mean.value_or(-1) * 1000;
}
double output(const Report& report) { return report.tokens.output.value_or(-1); }

TEST(KnownStream, ARoleIsNoTokenHoweverEarlyItComes) {
  const RequestRecord record = Script()
                                   .at(50, delta(R"({"role":"assistant","content":""})"))
                                   .at(1350, content())
                                   .each(1370, 20, 9, content())
                                   .end(1551, 10)
                                   .record();
  EXPECT_EQ(*record.first_choices - kSent, milliseconds(50));
  const Report report = seen(record);
  EXPECT_NEAR(ms(report, "ttft_seconds"), 1350, 1e-6);
  EXPECT_NEAR(ms(report, "tpot_seconds"), 20, 1e-6);
  EXPECT_NEAR(ms(report, "itl_seconds"), 20, 1e-6);
  EXPECT_NEAR(ms(report, "e2e_latency_seconds"), 1530, 1e-6);
}

TEST(KnownStream, SixteenPiecesOfEightTokensAre128Tokens) {
  Question as_aiperf;
  as_aiperf.definitions = PeerTool::aiperf;
  const Report report =
      seen(Script().each(150, 80, 16, content("word word")).end(1351, 128).record(), as_aiperf);
  EXPECT_DOUBLE_EQ(output(report), 128);
  EXPECT_NEAR(ms(report, "tpot_seconds"), 9.449, 0.0005);  // 1200 / 127
  const auto& metrics = report.counted_as->metrics;
  const auto chunk_gap = std::find_if(metrics.begin(), metrics.end(), [](const PeerMetric& metric) {
    return metric.name == "Inter Chunk Latency";
  });
  ASSERT_NE(chunk_gap, metrics.end());
  EXPECT_NEAR(*chunk_gap->summary->mean, 0.080, 1e-9);
  EXPECT_EQ(report.latency.count("tpot_behind_first_event_seconds"), 0U);  // sizes are unknown
}

TEST(KnownStream, TheRateBehindAFirstPieceOfEightTokensLeavesThemOut) {
  Script script;
  for (int i = 0; i < 16; ++i) script.at(150 + 80 * i, counted(8 * (i + 1)));
  const Report report = seen(script.end(1351, 128).record());
  EXPECT_NEAR(ms(report, "tpot_seconds"), 9.449, 0.0005);
  EXPECT_NEAR(ms(report, "tpot_behind_first_event_seconds"), 10, 1e-6);  // 1200 / 120
  EXPECT_NEAR(ms(report, "itl_seconds"), 10, 1e-6);
}

TEST(KnownStream, ABundleOf32AtTheStartIsNoFasterDecoding) {
  Script script;
  script.at(200, counted(32));
  for (int i = 1; i <= 20; ++i) script.at(200 + 25 * i, counted(32 + i));
  const Report report = seen(script.end(701, 52).record());
  EXPECT_NEAR(ms(report, "tpot_behind_first_event_seconds"), 25, 1e-6);  // 500 / 20
  EXPECT_NEAR(ms(report, "itl_seconds"), 25, 1e-6);
  EXPECT_NEAR(ms(report, "tpot_seconds"), 500.0 / 51, 1e-6);
  EXPECT_DOUBLE_EQ(output(report), 52);
}

TEST(KnownStream, UsageCountsWhereverItStands) {
  const auto three = [] { return Script().each(100, 10, 3, content()); };
  const RequestRecord behind = three().at(121, finish()).at(122, usage(9)).at(122, done()).record();
  const RequestRecord with_finish =
      three()
          .at(121, event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],)"
                         R"("usage":{"prompt_tokens":100,"completion_tokens":9}})"))
          .at(121, done())
          .record();
  const RequestRecord continuous = Script()
                                       .at(100, counted(3))
                                       .at(110, counted(4))
                                       .at(120, counted(9))
                                       .at(121, finish() + done())
                                       .record();
  for (const RequestRecord& record : {behind, with_finish, continuous}) {
    const Report report = seen(record);
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_DOUBLE_EQ(output(report), 9);
    EXPECT_NEAR(ms(report, "tpot_seconds"), 20.0 / 8, 1e-6);
    EXPECT_EQ(severity_of(report, "tokens_estimated"), "none");
  }
}

TEST(KnownStream, WithoutUsageEventsAreCountedAndNeverWhatWasAsked) {
  const Report report = seen(Script().each(100, 10, 7, content()).at(161, finish()).record());
  EXPECT_DOUBLE_EQ(output(report), 7);
  EXPECT_EQ(report.tokens.source, "events_estimated");
  EXPECT_EQ(severity_of(report, "tokens_estimated"), "care");
}

TEST(KnownStream, TokensWithoutTextAreCounted) {
  const Report report = seen(Script()
                                 .at(100, counted(1))
                                 .at(200, counted(17, ""))
                                 .at(300, counted(18))
                                 .at(301, finish() + usage(18) + done())
                                 .record());
  EXPECT_DOUBLE_EQ(output(report), 18);
  EXPECT_NEAR(ms(report, "ttft_seconds"), 100, 1e-6);
  EXPECT_NEAR(ms(report, "tpot_seconds"), 200.0 / 17, 1e-6);
}

TEST(KnownStream, ReasoningIsTheFirstTokenUnderEitherName) {
  for (const char* const name : {"reasoning_content", "reasoning"}) {
    const RequestRecord record = Script()
                                     .each(100, 10, 40, delta(fmt::format(R"({{"{}":"h"}})", name)))
                                     .each(500, 10, 5, content())
                                     .end(541, 45)
                                     .record();
    const Report report = seen(record);
    EXPECT_NEAR(ms(report, "ttft_seconds"), 100, 1e-6) << name;
    EXPECT_NEAR(ms(report, "tpot_seconds"), 10, 1e-6) << name;
    EXPECT_DOUBLE_EQ(output(report), 45);
    EXPECT_EQ(*record.first_visible - kSent, milliseconds(500));
    EXPECT_NEAR(ms(report, "first_visible_seconds"), 500, 1e-6) << name;
  }
}

TEST(KnownStream, WhateverTheModelWritesIsAToken) {
  for (const char* const json :
       {R"({"reasoning_content":"h","content":"a"})", R"({"refusal":"no"})",
        R"({"tool_calls":[{"index":0,"function":{"arguments":"{"}}]})"}) {
    const RequestRecord record = Script()
                                     .at(10, delta(R"({"role":"assistant","content":null})"))
                                     .each(100, 10, 5, delta(json))
                                     .end(141, 5)
                                     .record();
    const Report report = seen(record);
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_EQ(record.token_events, 5) << json;
    EXPECT_NEAR(ms(report, "ttft_seconds"), 100, 1e-6) << json;
    EXPECT_NEAR(ms(report, "tpot_seconds"), 10, 1e-6) << json;
  }
}

TEST(KnownStream, EmptyPiecesAreNoTokens) {
  const Report report = seen(Script()
                                 .at(100, content(""))
                                 .at(200, content())
                                 .each(210, 10, 5, content(""))
                                 .at(300, content())
                                 .end(301, 2)
                                 .record());
  EXPECT_NEAR(ms(report, "ttft_seconds"), 200, 1e-6);
  EXPECT_NEAR(ms(report, "tpot_seconds"), 100, 1e-6);
  EXPECT_EQ(report.latency.at("itl_seconds").n, 1);
}

TEST(KnownStream, OneTokenHasNoRateAndNoneIsAFailure) {
  const Report one = seen(Script().at(100, content()).end(101, 1).record());
  EXPECT_NEAR(ms(one, "ttft_seconds"), 100, 1e-6);
  EXPECT_EQ(one.latency.at("tpot_seconds").n, 0);
  EXPECT_EQ(one.latency.at("tpot_seconds").mean, std::nullopt);
  const Report none = seen(Script().end(101, 0).record());
  EXPECT_EQ(none.requests.failures, (std::map<std::string, std::int64_t>{{"empty", 1}}));
  EXPECT_EQ(none.latency.at("ttft_seconds").n, 0);
}

/// Five tokens each 10 ms from 100 ms on.
Script five_tokens() { return std::move(Script().each(100, 10, 5, content())); }

TEST(KnownStream, WhatComesBehindTheLastTokenIsNotInTheLatency) {
  const std::pair<Script, double> cases[] = {
      {five_tokens().at(140, finish()), 0},                                 // never "[DONE]"
      {five_tokens().at(140, finish() + usage(5)).at(2140, done()), 2000},  // 2 s later
      {five_tokens().at(1140, finish()).at(3140, usage(5) + done()), 3000}};
  for (const auto& [script, tail] : cases) {
    const RequestRecord record = script.record();
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    const Report report = seen(record);
    EXPECT_NEAR(ms(report, "e2e_latency_seconds"), 140, 1e-6);
    EXPECT_NEAR(ms(report, "stream_tail_seconds"), tail, 1e-6);
    EXPECT_EQ(report.latency.count("first_visible_seconds"), 0U);  // nothing came before it
    EXPECT_NEAR(ms(report, "tpot_seconds"), 10, 1e-6);
    EXPECT_DOUBLE_EQ(output(report), 5);
  }
}

TEST(KnownStream, TokensOfAnAnswerThatBreaksOffAreCountedAsThoseOfAFailure) {
  const RequestRecord records[] = {
      five_tokens().cut("reset"), five_tokens().at(150, "data: {\"cho").cut("ended_early"),
      five_tokens().record(),  // the end of the body, and no finish reason
      five_tokens().at(150, event(R"({"error":{"message":"no memory","code":500}})")).record()};
  const char* const classes[] = {"reset", "ended_early", "ended_early", "in_stream_error"};
  for (std::size_t i = 0; i < std::size(records); ++i) {
    const Report report = seen(records[i]);
    EXPECT_EQ(report.requests.failures, (std::map<std::string, std::int64_t>{{classes[i], 1}}));
    EXPECT_DOUBLE_EQ(output(report), 5);
    EXPECT_DOUBLE_EQ(report.tokens.output_by_failed.value(), 5);
    EXPECT_EQ(report.tokens.output_good, 0);
    EXPECT_EQ(report.latency.at("ttft_seconds").n, 0);
  }
}

TEST(KnownStream, AnAnswerInOnePieceHasNoRate) {
  const Report report =
      seen(Script()
               .at(300, R"({"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}],)")
               .at(310, R"("usage":{"prompt_tokens":100,"completion_tokens":12}})")
               .plain_record());
  EXPECT_DOUBLE_EQ(output(report), 12);
  EXPECT_NEAR(ms(report, "ttft_seconds"), 310, 1e-6);
  EXPECT_EQ(report.latency.at("tpot_seconds").n, 0);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// One token in each form that the standard allows, and what else may stand around it.
std::vector<std::string> forms_of_one_token() {
  const std::string plain = content("\xF0\x9F\x98\x80");
  return {plain,
          replaced(plain, "\n", "\r\n"),
          replaced(plain, "\n", "\r"),
          replaced(plain, "data: ", "data:"),
          replaced(plain, ",", ",\ndata: "),
          "\xEF\xBB\xBF" + plain,
          ": ping - 2026\n\n" + plain + ": ping\n",
          "event: message\nid: 7\nretry: 100\n" + plain,
          "\n\n\n" + plain + "\n\n"};
}

TEST(KnownStream, EveryFormOfAnEventIsTheSameEventAlsoByteByByte) {
  for (const std::string& form : forms_of_one_token()) {
    const Script script = Script().at(100, form).each(120, 20, 4, content("\xC3\xA4")).end(181, 5);
    for (const RequestRecord& record : {script.record(), script.byte_by_byte()}) {
      EXPECT_EQ(record.outcome, Outcome::completed) << record.failure << form;
      EXPECT_EQ(record.token_events, 5) << form;
      const Report report = seen(record);
      EXPECT_NEAR(ms(report, "ttft_seconds"), 100, 1e-6) << form;
      EXPECT_NEAR(ms(report, "tpot_seconds"), 20, 1e-6) << form;
    }
  }
}

}  // namespace
}  // namespace tokenjoule
