#include "sim/answer_text.hpp"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/tokenizer.hpp"

namespace tokenjoule {

namespace {

std::string finish_json(std::optional<FinishReason> finish) {
  return finish ? fmt::format("\"{}\"", name_of(*finish)) : "null";
}

}  // namespace

AnswerText::AnswerText(const GenerationRequest& request, const AnswerIdentity& identity)
    : request_(request), identity_(identity) {
  const bool chat = request.kind == GenerationKind::chat;
  const std::string_view object = !chat            ? "text_completion"
                                  : request.stream ? "chat.completion.chunk"
                                                   : "chat.completion";
  head_ = fmt::format(R"({{"id":"{}-51d0{:016x}{:08x}","object":"{}","created":{},"model":{})",
                      chat ? "chatcmpl" : "cmpl", identity.seed, identity.request, object,
                      identity.created_unix_s, nlohmann::ordered_json(identity.model).dump());
  opening_ = fmt::format(R"(data: {},"choices":[{{"index":0,{})", head_,
                         chat ? R"("delta":{"content":")" : R"("text":")");
}

void AnswerText::add_chunk(std::string& out, std::string_view payload) const {
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", payload.size());
  out += payload;
  out += "\r\n";
}

std::string AnswerText::usage_json() const {
  return fmt::format(R"({{"prompt_tokens":{},"total_tokens":{},"completion_tokens":{}}})",
                     request_.prompt_tokens, request_.prompt_tokens + output_tokens_,
                     output_tokens_);
}

void AnswerText::add_tokens(std::string& out, std::int64_t tokens,
                            std::optional<FinishReason> finish) {
  const bool chat = request_.kind == GenerationKind::chat;
  if (request_.stream && chat && output_tokens_ == 0)
    add_chunk(out, fmt::format(R"(data: {},"choices":[{{"index":0,"delta":{{"role":"assistant",)"
                               R"("content":""}},"logprobs":null,"finish_reason":null}}],)"
                               R"("usage":null}})"
                               "\n\n",
                               head_));
  payload_ = opening_;
  std::string ids;
  for (std::int64_t i = 0; i < tokens; ++i) {
    const std::int32_t id = answer_token(identity_.seed, identity_.request, output_tokens_ + i);
    payload_ += token_text(id);
    if (!request_.stream) text_ += token_text(id);
    if (request_.return_token_ids)
      fmt::format_to(std::back_inserter(ids), "{}{}", ids.empty() ? "" : ",", id);
  }
  output_tokens_ += tokens;
  if (finish) finish_ = finish;
  if (!request_.stream) {
    token_ids_ += (token_ids_.empty() ? "" : ",") + ids;
    return;
  }
  payload_ +=
      chat ? R"("},"logprobs":null,"finish_reason":)" : R"(","logprobs":null,"finish_reason":)";
  payload_ += finish_json(finish);
  payload_ += R"(,"stop_reason":null)";
  if (request_.return_token_ids) payload_ += R"(,"token_ids":[)" + ids + "]";
  const bool usage = request_.continuous_usage && !identity_.no_usage;
  payload_ += R"(}],"usage":)" + (usage ? usage_json() : "null") + "}\n\n";
  add_chunk(out, payload_);
}

void AnswerText::add_end(std::string& out) const {
  if (request_.include_usage && !identity_.no_usage)
    add_chunk(out, fmt::format("data: {},\"choices\":[],\"usage\":{}}}\n\n", head_, usage_json()));
  if (!identity_.no_done) add_chunk(out, "data: [DONE]\n\n");
  out += "0\r\n\r\n";
}

void AnswerText::add_error_end(std::string& out) const {
  const ApiError error{500, "InternalServerError", "simulated: the engine failed here", ""};
  add_chunk(out, "data: " + json_of(error) + "\n\n");
  if (!identity_.no_done) add_chunk(out, "data: [DONE]\n\n");
  out += "0\r\n\r\n";
}

std::string AnswerText::body() const {
  const bool chat = request_.kind == GenerationKind::chat;
  const std::string content =
      chat ? fmt::format(R"("message":{{"role":"assistant","content":"{}"}})", text_)
           : fmt::format(R"("text":"{}")", text_);
  const std::string ids =
      request_.return_token_ids ? fmt::format(R"(,"token_ids":[{}])", token_ids_) : "";
  return fmt::format(
      R"({},"choices":[{{"index":0,{},"logprobs":null,"finish_reason":{},"stop_reason":null{}}}],)"
      R"("usage":{}}})",
      head_, content, finish_json(finish_), ids, identity_.no_usage ? "null" : usage_json());
}

}  // namespace tokenjoule
