#include "sim/generation_request.hpp"

#include <gtest/gtest.h>

#include "sim/tokenizer.hpp"

namespace tokenjoule {
namespace {

ApiResult<GenerationRequest> completions(std::string_view body) {
  return generation_request_in(GenerationKind::completions, body, {});
}

ApiResult<GenerationRequest> chat(std::string_view body) {
  return generation_request_in(GenerationKind::chat, body, {});
}

TEST(Tokenizer, CutsTextIntoPiecesOfFour) {
  EXPECT_EQ(tokens_of("hello world").size(), 4U);  // "hell", "o", " wor", "ld"
  EXPECT_TRUE(tokens_of("").empty());
  EXPECT_EQ(tokens_of("\xc3\xa4\xc3\xa4\xc3\xa4").size(), 2U);  // no character is cut
}

TEST(Tokenizer, ReadsItsOwnAnswersBackAsTheSameTokens) {
  std::string text;
  std::vector<std::int32_t> ids;
  for (std::int64_t place = 0; place < 100; ++place) {
    ids.push_back(answer_token(1, 2, place));
    text += token_text(ids.back());
  }
  EXPECT_EQ(tokens_of(text), ids);
}

TEST(GenerationRequest, TakesAPromptInEveryForm) {
  EXPECT_EQ(completions(R"({"prompt":"hello world"})")->prompt_tokens, 4);
  EXPECT_EQ(completions(R"({"prompt":[7,8,9]})")->prompt_tokens, 3);
  EXPECT_EQ(completions(R"({"prompt":["hello world"]})")->prompt_tokens, 4);
  EXPECT_EQ(completions(R"({"prompt":[[7,8,9]]})")->prompt_tokens, 3);
  EXPECT_EQ(chat(R"({"messages":[{"role":"user","content":"hell"}]})")->prompt_tokens, 8);
  EXPECT_EQ(chat(R"({"messages":[{"role":"user","content":[{"type":"text","text":"hell"}]}]})")
                ->prompt_tokens,
            8);
}

TEST(GenerationRequest, ReadsWhatWasAskedFor) {
  const auto request = completions(
      R"({"model":"simulated-model","prompt":[1],"max_tokens":9,"min_tokens":3,"ignore_eos":true,
          "stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},
          "return_token_ids":true,"sim_tokens_per_event":4,"temperature":0.5,"unknown":{}})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->max_tokens, 9);
  EXPECT_EQ(request->min_tokens, 3);
  EXPECT_EQ(request->tokens_per_event, 4);
  EXPECT_TRUE(request->ignore_eos && request->stream && request->include_usage);
  EXPECT_TRUE(request->continuous_usage && request->return_token_ids);
}

TEST(GenerationRequest, HasTheApisOwnLimits) {
  EXPECT_EQ(completions(R"({"prompt":[1]})")->max_tokens, 16);
  EXPECT_EQ(chat(R"({"messages":[{"content":"hell"}]})")->max_tokens, 32'768 - 8);
  EXPECT_EQ(chat(R"({"messages":[{"content":"x"}],"max_completion_tokens":5})")->max_tokens, 5);
}

TEST(GenerationRequest, RefusesWithAReason) {
  struct Case {
    const char* body;
    int status;
    const char* says;
  };
  const Case cases[] = {
      {"{", 400, "no JSON"},
      {"[]", 400, "JSON object"},
      {R"({"prompt":[1],"model":"other"})", 404, "does not exist"},
      {R"({"prompt":[1],"n":2})", 400, "one answer"},
      {R"({"prompt":["a","b"]})", 400, "one prompt"},
      {R"({})", 400, "prompt must be"},
      {R"({"prompt":[]})", 400, "prompt must be"},
      {R"({"prompt":""})", 400, "empty"},
      {R"({"prompt":[1],"max_tokens":0})", 400, "max_tokens"},
      {R"({"prompt":[1],"max_tokens":"many"})", 400, "max_tokens"},
      {R"({"prompt":[1],"min_tokens":17})", 400, "min_tokens"},
      {R"({"prompt":[1],"max_tokens":32768})", 400, "maximum context length is 32768"},
      {R"({"prompt":[1],"stream_options":{"include_usage":true}})", 400, "stream=True"},
  };
  for (const Case& one : cases) {
    const auto request = completions(one.body);
    ASSERT_FALSE(request.has_value()) << one.body;
    EXPECT_EQ(request.error().status, one.status) << one.body;
    EXPECT_NE(request.error().message.find(one.says), std::string::npos) << request.error().message;
  }
}

TEST(GenerationRequest, TokenizeCountsAsUsageDoes) {
  EXPECT_EQ(tokenize_answer(R"({"prompt":"hello world"})", {})->substr(0, 34),
            R"({"count":4,"max_model_len":32768,")");
  EXPECT_EQ(tokenize_answer(R"({"messages":[{"content":"hell"}]})", {})->substr(0, 10),
            R"({"count":8)");
}

}  // namespace
}  // namespace tokenjoule
