#include "engines/request_body.hpp"

#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

Json message(const char* role, const std::string& text) {
  return {{"role", role}, {"content", text}};
}

void add_prompt(Json& body, const RequestSpec& spec) {
  if (spec.endpoint == EndpointKind::chat) {
    TJ_ASSERT(spec.prompt.token_ids.empty());  // a chat template needs text
    Json messages = Json::array();
    for (std::size_t i = 0; i < spec.earlier.size(); ++i) {
      messages.push_back(message(i % 2 == 0 ? "user" : "assistant", spec.earlier[i]));
    }
    messages.push_back(message("user", spec.prompt.text));
    body["messages"] = std::move(messages);
  } else if (spec.prompt.token_ids.empty()) {
    body["prompt"] = spec.prompt.text;
  } else {
    body["prompt"] = spec.prompt.token_ids;
  }
}

}  // namespace

std::string request_body_with(const RequestFields& fields, const RequestSpec& spec) {
  Json body;
  body["model"] = spec.model;
  add_prompt(body, spec);
  const bool chat = spec.endpoint == EndpointKind::chat;
  body[std::string(chat ? fields.chat_limit : "max_tokens")] = spec.output_tokens;
  const std::string_view least = chat ? fields.chat_min_tokens : fields.min_tokens;
  if (spec.ignore_eos && fields.ignore_eos) body["ignore_eos"] = true;
  if (spec.ignore_eos && !least.empty()) body[std::string(least)] = spec.output_tokens;
  if (spec.return_token_ids && fields.return_token_ids) body["return_token_ids"] = true;
  for (const auto& [name, value] : fields.switches) body[name] = value;
  body["temperature"] = 0;
  body["stream"] = true;
  if (fields.usage_option) body["stream_options"] = {{"include_usage", true}};
  if (!spec.extra_body_json.empty()) {
    const Json extra = Json::parse(spec.extra_body_json, nullptr, false);
    if (extra.is_object()) body.update(extra);
  }
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string EngineDialect::request_body(const RequestSpec& spec) const {
  return request_body_with({}, spec);
}

namespace {

/// What the measurement itself decides: another value here would spoil it without a word.
Status check_members(const Json& extra) {
  constexpr std::string_view ours[] = {
      "model",      "prompt",     "messages",      "max_tokens",     "max_completion_tokens",
      "min_tokens", "ignore_eos", "stream",        "stream_options", "return_token_ids",
      "n_predict",  "n",          "min_new_tokens"};
  for (const std::string_view name : ours) {
    if (!extra.contains(name)) continue;
    return failure(ErrorKind::usage, fmt::format("the extra body sets \"{}\"", name),
                   "leave it out: the load's own options (--model, --input-len, --output-len, "
                   "--ignore-eos) decide it");
  }
  return {};
}

}  // namespace

Status check_extra_body(std::string_view json) {
  if (json.empty()) return {};
  const Json extra = Json::parse(json, nullptr, false);
  if (extra.is_object()) return check_members(extra);
  // The text may hold a secret: it is not shown.
  return failure(
      ErrorKind::usage,
      extra.is_discarded() ? "the extra body is no JSON" : "the extra body is no JSON object",
      "write it as '{\"top_k\": 1}'");
}

}  // namespace tokenjoule
