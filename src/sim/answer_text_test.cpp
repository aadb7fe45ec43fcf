#include "sim/answer_text.hpp"

#include <gtest/gtest.h>

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {
namespace {

/// The payloads of server-sent events in HTTP chunks of one event each.
std::vector<std::string> events_in(std::string_view bytes) {
  std::vector<std::string> events;
  while (!bytes.empty()) {
    const std::size_t line = bytes.find("\r\n");
    const std::size_t size = std::stoul(std::string(bytes.substr(0, line)), nullptr, 16);
    const std::string_view payload = bytes.substr(line + 2, size);
    EXPECT_EQ(bytes.substr(line + 2 + size, 2), "\r\n");
    bytes.remove_prefix(line + 4 + size);
    if (payload.empty()) continue;
    EXPECT_TRUE(starts_with(payload, "data: ") && ends_with(payload, "\n\n")) << payload;
    events.emplace_back(payload.substr(6, payload.size() - 8));
  }
  return events;
}

JsonDocument parsed(const std::string& text) {
  auto document = JsonDocument::parse(text);
  EXPECT_TRUE(document.has_value()) << text;
  return *std::move(document);
}

TEST(AnswerText, StreamsCompletionsWithIdsAndUsage) {
  GenerationRequest request;
  request.prompt_tokens = 5;
  request.stream = request.include_usage = request.return_token_ids = true;
  AnswerText answer(request, {.model = "a \"model\""});
  std::string bytes;
  answer.add_tokens(bytes, 1, std::nullopt);
  answer.add_tokens(bytes, 2, FinishReason::length);
  answer.add_end(bytes);
  const auto events = events_in(bytes);
  ASSERT_EQ(events.size(), 4U);
  const JsonDocument first = parsed(events[0]), second = parsed(events[1]),
                     third = parsed(events[2]);
  EXPECT_EQ(first.root()["object"].string(), "text_completion");
  EXPECT_EQ(first.root()["model"].string(), "a \"model\"");
  EXPECT_EQ(first.root()["choices"][0]["text"].string()->size(), 4U);
  EXPECT_FALSE(first.root()["choices"][0]["finish_reason"].present());
  EXPECT_FALSE(first.root()["usage"].present());
  EXPECT_EQ(second.root()["choices"][0]["token_ids"].size(), 2U);
  EXPECT_EQ(second.root()["choices"][0]["finish_reason"].string(), "length");
  EXPECT_EQ(third.root()["choices"].size(), 0U);
  EXPECT_EQ(third.root()["usage"]["prompt_tokens"].integer(), 5);
  EXPECT_EQ(third.root()["usage"]["completion_tokens"].integer(), 3);
  EXPECT_EQ(third.root()["usage"]["total_tokens"].integer(), 8);
  EXPECT_EQ(events[3], "[DONE]");
}

TEST(AnswerText, StreamsChatWithARoleFirstAndUsageInEachEvent) {
  GenerationRequest request;
  request.kind = GenerationKind::chat;
  request.stream = request.continuous_usage = true;
  AnswerText answer(request, {});
  std::string bytes;
  answer.add_tokens(bytes, 1, std::nullopt);
  answer.add_tokens(bytes, 1, FinishReason::stop);
  answer.add_end(bytes);
  const auto events = events_in(bytes);
  ASSERT_EQ(events.size(), 4U);
  const JsonDocument role = parsed(events[0]), last = parsed(events[2]);
  EXPECT_EQ(role.root()["object"].string(), "chat.completion.chunk");
  EXPECT_EQ(role.root()["choices"][0]["delta"]["role"].string(), "assistant");
  EXPECT_EQ(role.root()["choices"][0]["delta"]["content"].string(), "");
  EXPECT_EQ(last.root()["choices"][0]["delta"]["content"].string()->size(), 4U);
  EXPECT_EQ(last.root()["usage"]["completion_tokens"].integer(), 2);
}

TEST(AnswerText, WritesAWholeBodyWithoutStreaming) {
  GenerationRequest request;
  request.kind = GenerationKind::chat;
  request.prompt_tokens = 9;
  AnswerText answer(request, {});
  std::string bytes;
  answer.add_tokens(bytes, 2, FinishReason::length);
  EXPECT_TRUE(bytes.empty());
  const JsonDocument body = parsed(answer.body());
  EXPECT_EQ(body.root()["object"].string(), "chat.completion");
  EXPECT_EQ(body.root()["choices"][0]["message"]["content"].string()->size(), 8U);
  EXPECT_EQ(body.root()["usage"]["completion_tokens"].integer(), 2);
}

TEST(AnswerText, LeavesOutDoneAndUsageByFault) {
  GenerationRequest request;
  request.stream = request.include_usage = true;
  AnswerText answer(request, {.no_done = true, .no_usage = true});
  std::string bytes;
  answer.add_end(bytes);
  EXPECT_EQ(bytes, "0\r\n\r\n");
}

TEST(AnswerText, EndsInAnErrorEventByFault) {
  GenerationRequest request;
  request.stream = true;
  std::string bytes;
  AnswerText(request, {}).add_error_end(bytes);
  const auto events = events_in(bytes);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(parsed(events[0]).root()["error"]["code"].integer(), 500);
}

}  // namespace
}  // namespace tokenjoule
