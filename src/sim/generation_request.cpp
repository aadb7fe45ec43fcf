#include "sim/generation_request.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "engines/refusal.hpp"
#include "sim/tokenizer.hpp"

namespace tokenjoule {

namespace {

using TokenIds = std::vector<std::int32_t>;
using Type = JsonNode::Type;

tl::unexpected<ApiError> bad_request(std::string message, std::string param = {}) {
  return unexpected(ApiError{400, "BadRequestError", std::move(message), std::move(param)});
}

ApiResult<std::int64_t> integer_field(const JsonView& root, std::string_view key,
                                      std::int64_t otherwise, std::int64_t least) {
  const JsonView field = root[key];
  if (!field.present()) return otherwise;
  const auto value = field.integer();
  if (!value || *value < least || *value > 1'000'000'000)
    return bad_request(fmt::format("{} must be an integer of at least {}", key, least),
                       std::string(key));
  return *value;
}

ApiResult<bool> flag(const JsonView& object, std::string_view key) {
  const JsonView field = object[key];
  if (!field.present()) return false;
  const auto value = field.boolean();
  if (!value) return bad_request(fmt::format("{} must be true or false", key), std::string(key));
  return *value;
}

ApiResult<TokenIds> token_ids_in(const JsonView& array) {
  TokenIds ids;
  ids.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    const auto id = array[i].integer();
    if (!id || *id < 0 || *id > INT32_MAX)
      return bad_request("prompt must be a string or an array of token ids", "prompt");
    ids.push_back(static_cast<std::int32_t>(*id));
  }
  return ids;
}

ApiResult<TokenIds> prompt_in(const JsonView& prompt) {
  if (const auto text = prompt.string()) return tokens_of(*text);
  if (!prompt.is(Type::array) || prompt.size() == 0)
    return bad_request("prompt must be a string or an array of token ids", "prompt");
  const JsonView first = prompt[0];
  if (!first.is(Type::string) && !first.is(Type::array)) return token_ids_in(prompt);
  if (prompt.size() > 1) return bad_request("this simulator takes one prompt a request", "prompt");
  if (const auto text = first.string()) return tokens_of(*text);
  return token_ids_in(first);
}

void append_tokens(TokenIds& ids, std::string_view text) {
  const TokenIds more = tokens_of(text);
  ids.insert(ids.end(), more.begin(), more.end());
}

/// A message is its content and four tokens of template; three more open the answer.
ApiResult<TokenIds> messages_in(const JsonView& messages) {
  if (!messages.is(Type::array) || messages.size() == 0)
    return bad_request("messages must be a list that is not empty", "messages");
  TokenIds ids;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const JsonView content = messages[i]["content"];
    ids.insert(ids.end(), {1, 2, 3, 4});
    if (const auto text = content.string()) append_tokens(ids, *text);
    for (std::size_t part = 0; content.is(Type::array) && part < content.size(); ++part) {
      const auto text = content[part]["text"].string();
      if (!text) return bad_request("this simulator takes text contents only", "messages");
      append_tokens(ids, *text);
    }
  }
  ids.insert(ids.end(), {1, 2, 3});
  return ids;
}

ApiResult<void> check_model(const JsonView& root, const SimulatorOptions& options) {
  const auto model = root["model"].string();
  if (!model || *model == options.model) return {};
  return unexpected(ApiError{
      404, "NotFoundError",
      fmt::format("The model `{}` does not exist.", quoted(without_keys(*model))), "model"});
}

ApiResult<void> check_context(const GenerationRequest& request, const SimulatorOptions& options) {
  const std::int64_t most = options.engine.max_model_len;
  if (request.prompt_tokens == 0) return bad_request("The prompt is empty.", "prompt");
  if (request.prompt_tokens + request.max_tokens <= most) return {};
  return bad_request(fmt::format(
      "This model's maximum context length is {} tokens. However, you requested {} "
      "tokens ({} in the messages, {} in the completion). Please reduce the length of "
      "the messages or completion.",
      most, request.prompt_tokens + request.max_tokens, request.prompt_tokens, request.max_tokens));
}

ApiResult<JsonDocument> object_in(std::string_view body) {
  auto document = JsonDocument::parse(body);
  if (!document)
    return bad_request(fmt::format("the body is no JSON: {}", document.error().message));
  if (!document->root().is(Type::object)) return bad_request("the body must be a JSON object");
  return *std::move(document);
}

ApiResult<void> read_stream_options(const JsonView& root, GenerationRequest& request) {
  TRY(request.stream, flag(root, "stream"));
  const JsonView options = root["stream_options"];
  if (!options.present()) return {};
  if (!request.stream)
    return bad_request("Stream options can only be defined when `stream=True`.", "stream_options");
  TRY(request.include_usage, flag(options, "include_usage"));
  TRY(request.continuous_usage, flag(options, "continuous_usage_stats"));
  return {};
}

ApiResult<void> read_lengths(const JsonView& root, std::int64_t most, GenerationRequest& request) {
  const bool chat = request.kind == GenerationKind::chat;
  // Chat without a limit may fill the context; completions stop at 16 tokens, as the API says.
  const std::int64_t otherwise =
      chat ? std::max<std::int64_t>(1, most - request.prompt_tokens) : 16;
  TRY(request.max_tokens, integer_field(root, "max_tokens", otherwise, 1));
  if (chat)
    TRY_DO(integer_field(root, "max_completion_tokens", request.max_tokens, 1)
               .map([&](std::int64_t tokens) { request.max_tokens = tokens; }));
  TRY(request.min_tokens, integer_field(root, "min_tokens", 1, 0));
  if (request.min_tokens > request.max_tokens)
    return bad_request("min_tokens must be at most max_tokens", "min_tokens");
  TRY(request.tokens_per_event, integer_field(root, "sim_tokens_per_event", 0, 0));
  TRY(request.ignore_eos, flag(root, "ignore_eos"));
  return {};
}

}  // namespace

std::string json_of(const ApiError& error) {
  nlohmann::ordered_json json;
  json["error"]["message"] = error.message;
  json["error"]["type"] = error.type;
  json["error"]["param"] = nullptr;
  if (!error.param.empty()) json["error"]["param"] = error.param;
  json["error"]["code"] = error.status;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

ApiResult<GenerationRequest> generation_request_in(GenerationKind kind, std::string_view body,
                                                   const SimulatorOptions& options) {
  TRY(const JsonDocument document, object_in(body));
  const JsonView root = document.root();
  TRY_DO(check_model(root, options));
  TRY(const std::int64_t answers, integer_field(root, "n", 1, 1));
  if (answers != 1) return bad_request("this simulator gives one answer a request", "n");
  GenerationRequest request;
  request.kind = kind;
  TRY(const TokenIds prompt,
      kind == GenerationKind::chat ? messages_in(root["messages"]) : prompt_in(root["prompt"]));
  request.prompt_tokens = static_cast<std::int64_t>(prompt.size());
  TRY_DO(read_stream_options(root, request));
  TRY_DO(read_lengths(root, options.engine.max_model_len, request));
  TRY(request.return_token_ids, flag(root, "return_token_ids"));
  TRY_DO(check_context(request, options));
  return request;
}

ApiResult<std::string> tokenize_answer(std::string_view body, const SimulatorOptions& options) {
  TRY(const JsonDocument document, object_in(body));
  const JsonView root = document.root();
  TRY_DO(check_model(root, options));
  const bool chat = root["messages"].present();
  TRY(const TokenIds ids, chat ? messages_in(root["messages"]) : prompt_in(root["prompt"]));
  nlohmann::ordered_json json;
  json["count"] = ids.size();
  json["max_model_len"] = options.engine.max_model_len;
  json["tokens"] = ids;
  return json.dump();
}

}  // namespace tokenjoule
