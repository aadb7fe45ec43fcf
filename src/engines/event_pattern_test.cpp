#include "engines/event_pattern.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

const std::string kText =
    R"({"id":"cmpl-1","object":"text_completion","created":1796000000,"model":"m","choices":[{"index":0,)"
    R"("text":" tok","logprobs":null,"finish_reason":null,"token_ids":[7],"prompt_token_ids":null}],)"
    R"("usage":{"prompt_tokens":8,"total_tokens":9,"completion_tokens":1}})";

const std::string kDelta =
    R"({"id":"c","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,)"
    R"("delta":{"content":"a"},"logprobs":null,"finish_reason":null}]})";

std::string with(std::string text, std::string_view old, std::string_view fresh) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

AnswerEvent parsed(const std::string& json) {
  AnswerEventReader reader;  // a new one: it knows no pattern
  const auto event = reader.read(json);
  EXPECT_TRUE(event) << json;
  return event ? **event : AnswerEvent();
}

std::optional<EventPattern> pattern_of(const std::string& json) {
  return EventPattern::of(json, parsed(json));
}

TEST(EventPattern, AnotherTokenOfTheSameStreamIsReadByComparing) {
  auto pattern = pattern_of(kText);
  ASSERT_TRUE(pattern);
  std::string next = with(kText, " tok", " another one");
  next = with(next, "[7]", "[12,0,345]");
  next = with(next, "\"total_tokens\":9", "\"total_tokens\":12");
  next = with(next, "\"completion_tokens\":1", "\"completion_tokens\":4");
  next = with(next, "cmpl-1", "cmpl-22");
  next = with(next, "1796000000", "1796000001");
  ASSERT_TRUE(pattern->matches(next));
  EXPECT_EQ(pattern->event(), parsed(next));
  EXPECT_EQ(pattern->event().token_ids, 3);
  EXPECT_EQ(pattern->event().usage->output_tokens, 4);
  EXPECT_EQ(pattern->event().usage->prompt_tokens, 8);
}

TEST(EventPattern, WhatIsNotTheSameBesideTheOpenPlacesIsForTheParser) {
  auto pattern = pattern_of(kText);
  ASSERT_TRUE(pattern);
  for (const std::string& other : {
           with(kText, "\"finish_reason\":null", "\"finish_reason\":\"stop\""),
           with(kText, "\"index\":0", "\"index\":1"),
           with(kText, "\"prompt_tokens\":8", "\"prompt_tokens\":9"),
           with(kText, "\"text\"", "\"test\""),
           kText + " ",
           kText.substr(0, kText.size() - 1),
           std::string(),
       }) {
    EXPECT_FALSE(pattern->matches(other)) << other;
  }
}

TEST(EventPattern, OpenPlacesTakeWhatJsonAllowsThereAndNothingElse) {
  auto pattern = pattern_of(kText);
  ASSERT_TRUE(pattern);
  for (const std::string_view text :
       {"", "\\n", "a\\\"b", "a\tb", "caf\xC3\xA9", "12345678\x01", "\xFF"}) {
    EXPECT_FALSE(pattern->matches(with(kText, " tok", text))) << text;
  }
  for (const std::string_view ids : {"[]", "[,]", "[1,]", "[,1]", "[01]", "[1, 2]", "[-1]", "[1.5]",
                                     "[1e3]", "[1234567890123456]", "[null]"}) {
    EXPECT_FALSE(pattern->matches(with(kText, "[7]", ids))) << ids;
  }
  for (const std::string_view count : {"", "00", "-1", "1.0", "1e2", "null", "1234567890123456"}) {
    const std::string member = "\"completion_tokens\":" + std::string(count);
    EXPECT_FALSE(pattern->matches(with(kText, "\"completion_tokens\":1", member))) << count;
  }
  EXPECT_TRUE(pattern->matches(with(kText, "\"completion_tokens\":1", "\"completion_tokens\":0")));
}

/// Each beginning in memory of its own, so that a sanitizer sees a read behind its end.
TEST(EventPattern, AnEventThatIsCutOffAnywhereIsNotReadBeyondItsEnd) {
  auto pattern = pattern_of(kText);
  ASSERT_TRUE(pattern);
  for (std::size_t size = 0; size < kText.size(); ++size) {
    const std::vector<char> cut(kText.begin(), kText.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(pattern->matches({cut.data(), cut.size()})) << size;
  }
}

TEST(EventPattern, IsMadeOfEventsThatCarryTokensOnly) {
  EXPECT_TRUE(pattern_of(kDelta));
  EXPECT_FALSE(pattern_of(with(kDelta, R"("content":"a")", R"("role":"assistant","content":"")")));
  EXPECT_FALSE(pattern_of(with(kDelta, "\"finish_reason\":null", "\"finish_reason\":\"stop\"")));
  EXPECT_FALSE(pattern_of(with(kDelta, "\"created\":17", "\"error\":\"no\"")));
  EXPECT_FALSE(pattern_of(R"({"choices":[],"usage":{"completion_tokens":5}})"));
}

/// The same names elsewhere in an event, or written otherwise, so that a count could be taken from
/// the wrong place.
TEST(EventPattern, CountsThatCouldBeTakenFromTheWrongPlaceMakeNone) {
  for (const std::string& json : {
           with(kText, "\"logprobs\":null", R"("logprobs":{"token_ids":[7]})"),
           with(kText, "\"token_ids\":[7]", R"("x":{"token_ids":[7]},"token_ids":[7, 8])"),
           with(kText, "\"token_ids\":[7]", R"("x":{"token_ids":[7]},"token\u005fids":[7])"),
           with(kText, "\"logprobs\":null", R"("logprobs":{"completion_tokens":1})"),
           with(kDelta, "\"logprobs\":null", R"("usage":{"completion_tokens":1})"),
           with(kDelta, "\"logprobs\":null", R"("x":{"token_ids":[1]})"),
           with(kText, "\"completion_tokens\":1", R"("completion_tokens":1.0)"),
       }) {
    EXPECT_FALSE(pattern_of(json)) << json;
  }
}

/// Streams with random faults: what a reader that knows patterns says is what one that parses says.
TEST(EventPattern, NeverSaysOtherThanTheParser) {
  std::mt19937 random(20261201);
  const std::vector<std::string> pieces = {"\"",
                                           "\\",
                                           ",",
                                           ":",
                                           "[",
                                           "]",
                                           "{",
                                           "}",
                                           "0",
                                           "7",
                                           "-",
                                           ".",
                                           "e",
                                           "null",
                                           " ",
                                           "\n",
                                           "text",
                                           "token_ids",
                                           "\"content\":\"x\",",
                                           "\"token_ids\":[1,2],",
                                           "\"usage\":{\"completion_tokens\":3},",
                                           "\xC3",
                                           "\x01",
                                           ""};
  AnswerEventReader knowing;
  int read = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string json = i % 3 == 0 ? kDelta : kText;
    for (auto faults = random() % 3; faults > 0; --faults) {
      const std::size_t at = random() % json.size();
      const std::size_t length = std::min<std::size_t>(random() % 4, json.size() - at);
      json.replace(at, length, pieces[random() % pieces.size()]);
    }
    AnswerEventReader parsing;
    const auto told = knowing.read(json);
    const auto truth = parsing.read(json);
    ASSERT_EQ(told.has_value(), truth.has_value()) << json;
    if (truth) {
      ASSERT_EQ(**told, **truth) << json;
    }
    ++(truth ? read : refused);
  }
  EXPECT_GT(read, 5000);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace tokenjoule
