#include "engines/refusal.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

std::string kind(int status, std::string_view body = {}) { return refusal_of(status, body).kind; }

TEST(Refusal, IsToldByItsStatusWhereThatSaysItAll) {
  EXPECT_EQ(kind(302), "redirected");
  EXPECT_EQ(kind(401), "unauthorized");
  EXPECT_EQ(kind(403), "forbidden");
  EXPECT_EQ(kind(404), "not_found");
  EXPECT_EQ(kind(413), "too_large");
  EXPECT_EQ(kind(400), "bad_request");
  EXPECT_EQ(kind(422), "bad_request");
  EXPECT_EQ(kind(429), "rate_limited");
  EXPECT_EQ(kind(500), "server_error");
  EXPECT_EQ(kind(502), "server_error");
  EXPECT_EQ(kind(503), "unavailable");
  EXPECT_EQ(kind(529), "unavailable");  // Dynamo, when overloaded
  EXPECT_EQ(kind(504), "server_timeout");
  EXPECT_EQ(kind(600), "http_600");
}

TEST(Refusal, APromptThatIsTooLongIsToldInTheWordsOfEachEngine) {
  const char* const bodies[] = {
      // vLLM, old and new
      R"js({"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","code":400})js",
      R"js({"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError","param":null,"code":400}})js",
      // SGLang
      R"js({"object":"error","message":"The input (5000 tokens) is longer than the model's context length (4096 tokens).","type":"BadRequestError","param":null,"code":400})js",
      // llama.cpp
      R"js({"error":{"code":400,"message":"request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error"}})js",
      // TensorRT-LLM
      R"js({"object":"error","message":"The sum of prompt length (4000) and query length (0) max_tokens (2048) should not exceed max_seq_len (4096)","type":"BadRequestError","code":400})js",
      // TGI
      R"js({"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`","error_type":"validation"})js",
  };
  for (const char* const body : bodies) EXPECT_EQ(kind(400, body), "context_too_long") << body;
  EXPECT_EQ(kind(500, bodies[0]), "context_too_long");
}

TEST(Refusal, AModelThatIsNotThereIsToldFromAPageThatIsNot) {
  EXPECT_EQ(
      kind(404,
           R"js({"error":{"message":"The model `x` does not exist.","type":"NotFoundError"}})js"),
      "model_not_found");
  EXPECT_EQ(kind(400, R"js({"error":{"message":"unknown model x"}})js"), "model_not_found");
  EXPECT_EQ(kind(404, R"js({"detail":"Not Found"})js"), "not_found");
}

TEST(Refusal, TokenIdsThatAreNotTakenAreTold) {
  EXPECT_EQ(
      kind(
          422,
          R"js({"detail":[{"type":"string_type","loc":["body","prompt"],"msg":"Input should be a valid string","input":[40,41]}]})js"),
      "token_ids_refused");
  EXPECT_EQ(kind(400, R"js({"detail":"only single string input is supported"})js"),  // Triton
            "token_ids_refused");
}

TEST(RefusalMessage, IsFoundInTheFormsOfAllEngines) {
  EXPECT_EQ(refusal_message(R"js({"error":{"message":"Loading model","code":503}})js"),
            "Loading model");
  EXPECT_EQ(refusal_message(R"js({"error":"overloaded","error_type":"overloaded"})js"),
            "overloaded");
  EXPECT_EQ(refusal_message(R"js({"object":"error","message":"no"})js"), "no");
  EXPECT_EQ(refusal_message(R"js({"detail":"Not Found"})js"), "Not Found");
  EXPECT_EQ(refusal_message(" plain\nwords "), "plain words");
  EXPECT_EQ(refusal_message(""), "");
}

TEST(RefusalMessage, NeverRepeatsTheRequest) {
  EXPECT_EQ(
      refusal_message(
          R"js({"detail":[{"loc":["body","prompt"],"msg":"Field required","input":{"prompt":"secret words"}}]})js"),
      "body.prompt: Field required");
  for (const char* const body :
       {R"js({"message":"[{'msg': 'Field required', 'input': {'prompt': 'secret words'}}]"})js",
        R"js({"message":"1 validation error, input_value='secret words'"})js",
        R"js({"detail":[{"kind":"other","input":{"prompt":"secret words"}}]})js",
        R"js({"detail":[{"msg":"cut","input":{"prompt":"secret words)js"}) {
    EXPECT_EQ(refusal_message(body).find("secret"), std::string::npos) << body;
  }
}

TEST(RefusalMessage, RepeatsNobodysKey) {
  EXPECT_EQ(
      refusal_message(
          R"js({"error":{"message":"Incorrect API key provided: sk-proj-AbC_123*xyz. See"}})js"),
      "Incorrect API key provided: sk-*** See");
  EXPECT_EQ(without_keys("key=sk-0123456789ab, sk-short, task-force-of-many"),
            "key=sk-***, sk-short, task-force-of-many");
}

TEST(RefusalMessage, IsCutBehind200Bytes) {
  EXPECT_LE(refusal_message(std::string(5000, 'x')).size(), 210U);
}

}  // namespace
}  // namespace tokenjoule
