#include <gtest/gtest.h>

#include "engines/answer_decoder.hpp"
#include "engines/sse.hpp"

namespace tokenjoule {
namespace {

// Streams as each engine writes them (docs/engines.md, after their sources), byte by byte as they
// come over the wire: comments, pings, several events at once, odd ends.

/// What an answer tells that came in one piece, 10 ms after its request was sent.
RequestRecord answer_of(std::string_view bytes) {
  const MonoTime at = MonoTime{} + milliseconds(10);
  AnswerEventReader events;
  AnswerDecoder decoder{MonoTime{}};
  SseReader reader;
  reader.put(bytes);
  reader.finish();
  while (const auto data = reader.next()) decoder.event(events, *data, at, false);
  RequestRecord record;
  decoder.finish(record, AnswerEnd::whole);
  return record;
}

TEST(EngineStreams, VllmSendsItsUsageTwiceAndTheLastOneHasTheCacheHits) {
  const RequestRecord record = answer_of(
      R"(data: {"choices":[{"index":0,"text":" a b","token_ids":[5,6],"finish_reason":null}]}

data: {"choices":[{"index":0,"text":" c","token_ids":[7],"finish_reason":"length"}],"usage":{"prompt_tokens":4,"completion_tokens":3}}

data: {"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":2}}}

data: [DONE]

)");
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.output_tokens, 3);
  EXPECT_EQ(record.cached_tokens, 2);
  EXPECT_EQ(record.token_times, "10000x2 0x1");
}

TEST(EngineStreams, VllmReportsAnErrorAndIsDone) {
  const RequestRecord record = answer_of(
      R"(data: {"choices":[{"index":0,"text":"a"}]}

data: {"error":{"message":"EngineDeadError","type":"InternalServerError","param":null,"code":500}}

data: [DONE]

)");
  EXPECT_EQ(record.failure, "in_stream_error: EngineDeadError");
  EXPECT_EQ(record.token_events, 1);
}

TEST(EngineStreams, SglangStillSendsUsageBehindAnAbort) {
  const RequestRecord record = answer_of(
      R"(data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]}

data: {"error":{"message":"Aborted","code":500}}

data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"reasoning_tokens":4}}

data: [DONE]

)");
  EXPECT_EQ(record.failure, "in_stream_error: Aborted");
  EXPECT_EQ(record.output_tokens, 1);
  EXPECT_EQ(record.reasoning_tokens, std::nullopt);  // 4 of 1 cannot be
  EXPECT_EQ(record.first_visible, std::nullopt);
}

TEST(EngineStreams, TrtllmSendsSeveralTokensInAnEventAndEmptyIds) {
  const RequestRecord record = answer_of(
      R"(data: {"choices":[{"index":0,"text":"a b c","token_ids":[],"avg_decoded_tokens_per_iter":3.0}]}

data: {"choices":[{"index":0,"text":"","token_ids":null,"finish_reason":"length"}]}

data: {"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3}}

data: [DONE]

)");
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.output_tokens, 3);
  EXPECT_EQ(record.token_times, "10000");  // how many are in the event is not said
}

TEST(EngineStreams, DynamoEndsAStreamThatFailedWithAnEventWithoutData) {
  const RequestRecord record = answer_of(
      "data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\n"
      "event: error\n: worker went away\n\n");
  EXPECT_EQ(record.failure, "ended_early");
  EXPECT_EQ(record.token_events, 1);
}

TEST(EngineStreams, LlamaServerPingsReportsProgressAndEndsWithTimings) {
  const RequestRecord record = answer_of(
      R"(: ping

data: {"choices":[],"prompt_progress":{"total":8,"cache":0,"processed":4}}

data: {"choices":[{"index":0,"text":" a","finish_reason":null}]}

data: {"choices":[{"index":0,"text":"","finish_reason":"length"}],"timings":{"cache_n":1,"prompt_n":7,"predicted_n":1}}

data: [DONE]

)");
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.prompt_tokens, 8);
  EXPECT_EQ(record.output_tokens, 1);
  EXPECT_EQ(record.cached_tokens, 1);
}

TEST(EngineStreams, LlamaCppPythonSendsNoUsage) {
  const RequestRecord record = answer_of(
      ": ping - 2026-01-01 00:00:00\r\n\r\n"
      "data: {\"choices\": [{\"text\": \" a\", \"index\": 0, \"finish_reason\": null}]}\r\n\r\n"
      "data: {\"choices\": [{\"text\": \" b\", \"index\": 0, \"finish_reason\": "
      "\"length\"}]}\r\n\r\n"
      "data: [DONE]\r\n\r\n");
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.output_tokens, std::nullopt);
  EXPECT_EQ(record.token_events, 2);
}

TEST(EngineStreams, OneThatLlamaCppPythonBrokeOffForAnotherIsNoCompletedOne) {
  // It may end with [DONE] alone: no finish reason, but closed by the server.
  EXPECT_EQ(answer_of("data: [DONE]\n\n").failure, "empty");
}

TEST(EngineStreams, TgiHasEmptyFinishReasonsAndErrorsInsideA200) {
  const RequestRecord good = answer_of(
      R"(data:{"choices":[{"index":0,"text":"a","finish_reason":""}]}

: keep-alive

data:{"choices":[{"index":0,"text":"b","finish_reason":"eos_token"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}

data: [DONE]

)");
  EXPECT_EQ(good.outcome, Outcome::completed);
  EXPECT_EQ(good.finish_reason, "eos_token");
  EXPECT_EQ(good.output_tokens, 2);
  EXPECT_EQ(answer_of(R"(data:{"error":{"message":"CUDA out of memory","http_status_code":422}})"
                      "\n\n")
                .failure,
            "in_stream_error: CUDA out of memory");
}

TEST(EngineStreams, ToolCallsCountWhetherListedOrBare) {
  for (const char* call : {R"("tool_calls":[{"index":0,"function":{"arguments":"{"}}])",
                           R"("tool_calls":{"index":0,"function":{"arguments":"{"}})",
                           R"("function_call":{"arguments":"{"})"}) {
    const RequestRecord record = answer_of("data: {\"choices\":[{\"delta\":{" + std::string(call) +
                                           "}}]}\n\ndata: [DONE]\n\n");
    EXPECT_EQ(record.token_events, 1) << call;
  }
}

TEST(EngineStreams, LmdeployHasItsOwnNameForTokenIds) {
  const RequestRecord record = answer_of(
      R"(data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"a b","gen_tokens":[1,2]}}]}

data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}

data: [DONE]

)");
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.token_times, "10000x2");
  EXPECT_EQ(answer_of(R"(data: {"choices":[{"index":0,"text":"","finish_reason":"error"}]})"
                      "\n\ndata: [DONE]\n\n")
                .failure,
            "in_stream_error: finish_reason error");
}

TEST(EngineStreams, OllamaSendsAUsageOfZerosUntilTheLast) {
  const RequestRecord record = answer_of(
      R"(data: {"choices":[{"index":0,"text":"a","finish_reason":null}],"usage":{"prompt_tokens":0,"completion_tokens":0}}

data: {"choices":[{"index":0,"text":"b","finish_reason":null}],"usage":{"prompt_tokens":0,"completion_tokens":0}}

data: {"choices":[{"index":0,"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}

data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}

data: [DONE]

)");
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.prompt_tokens, 5);
  EXPECT_EQ(record.output_tokens, 2);
  EXPECT_EQ(record.token_times, "10000 0");
}

TEST(EngineStreams, TransformersIsNeverDoneAndDoesNotEscapeItsErrors) {
  const RequestRecord record = answer_of(
      R"(data: {"choices":[{"index":0,"text":"a"}]}

data: {"choices":[{"index":0,"text":"","finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}

)");
  EXPECT_EQ(record.outcome, Outcome::completed);
  EXPECT_EQ(record.done, std::nullopt);
  EXPECT_EQ(record.output_tokens, 1);
  EXPECT_EQ(answer_of(R"(data: {"error": "no module "flash" found"})"
                      "\n\n")
                .failure,
            "in_stream_error: no module 'flash' found");
}

}  // namespace
}  // namespace tokenjoule
