#include "engines/refusal.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kLongestMessage = 200;

/// pydantic's errors repeat the request behind these words.
constexpr std::string_view kEchoes[] = {"'input':", "\"input\":", "input_value="};

/// In the wording of vLLM, SGLang, TensorRT-LLM, llama.cpp, TGI, LMDeploy and OpenAI.
constexpr std::string_view kTooLong[] = {"context length",
                                         "context_length_exceeded",
                                         "context size",
                                         "exceed_context_size",
                                         "context window",
                                         "maximum model length",
                                         "max_model_len",
                                         "max_seq_len",
                                         "maximum input length",
                                         "maximum allowed length",
                                         "prompt is too long",
                                         "input is too long",
                                         "`max_new_tokens` must be"};

/// A list of numbers as the prompt, to a server that takes text only.
constexpr std::string_view kTextOnly[] = {
    "valid string",      "string_type",       "single string",   "must be a string",
    "must be string",    "expected a string", "expected string", "token ids are not supported",
    "not a valid prompt"};

constexpr std::string_view kNoSuch[] = {"not found",     "does not exist", "not exist",
                                        "unknown model", "invalid model",  "model_not_found"};

template <std::size_t N>
bool says(std::string_view text, const std::string_view (&phrases)[N]) {
  return std::any_of(std::begin(phrases), std::end(phrases),
                     [&](auto phrase) { return text.find(phrase) != std::string_view::npos; });
}

std::string_view without_echo(std::string_view text) {
  std::size_t end = text.size();
  for (const auto echo : kEchoes) end = std::min(end, text.find(echo));
  return text.substr(0, end);
}

std::string one_line(std::string_view text) {
  return quoted(without_keys(trimmed(without_echo(text))), kLongestMessage);
}

/// FastAPI: [{"loc": ["body", "prompt"], "msg": "…"}].
std::string first_detail(const JsonView& details) {
  const JsonView first = details[0];
  const auto message = first["msg"].string();
  if (!message) return one_line(details.text());
  std::string where;
  const JsonView place = first["loc"];
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (const auto part = place[i].string())
      where += fmt::format("{}{}", where.empty() ? "" : ".", *part);
  }
  return one_line(where.empty() ? std::string(*message) : fmt::format("{}: {}", where, *message));
}

std::string client_error_kind(int status, const std::string& said) {
  if (says(said, kTooLong)) return "context_too_long";
  const bool of_model = said.find("model") != std::string::npos;
  if (of_model && (status == 404 || says(said, kNoSuch))) return "model_not_found";
  if (status == 404) return "not_found";
  if (status == 413) return "too_large";
  if (said.find("prompt") != std::string::npos && says(said, kTextOnly)) return "token_ids_refused";
  if (said.find("single string input") != std::string::npos) return "token_ids_refused";
  return "bad_request";
}

std::string kind_of_refusal(int status, std::string_view body) {
  if (status >= 300 && status < 400) return "redirected";
  switch (status) {
    case 401: return "unauthorized";
    case 403: return "forbidden";
    case 408:
    case 504: return "server_timeout";
    case 429: return "rate_limited";
    case 503:
    case 529: return "unavailable";
    default: break;
  }
  const std::string said = lower_case(without_echo(body));
  if (status >= 400 && status < 500) return client_error_kind(status, said);
  // Some servers take a prompt that is too long for a fault of their own.
  if (status >= 500 && status < 600)
    return says(said, kTooLong) ? "context_too_long" : "server_error";
  return fmt::format("http_{}", status);
}

}  // namespace

std::string without_keys(std::string_view text) {
  constexpr std::string_view kKeyBegins = "sk-";
  constexpr std::size_t kShortestKey = 12;
  const auto in_key = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '*' || c == '.';
  };
  std::string shown;
  while (!text.empty()) {
    const bool begins_word = shown.empty() || !in_key(shown.back());
    std::size_t size = 0;
    if (begins_word && starts_with(text, kKeyBegins)) {
      while (size < text.size() && in_key(text[size])) ++size;
    }
    const bool is_key = size >= kShortestKey;
    shown += is_key ? std::string_view("sk-***") : text.substr(0, 1);
    text.remove_prefix(is_key ? size : 1);
  }
  return shown;
}

std::string refusal_message(std::string_view body) {
  const auto document = JsonDocument::parse(body);
  if (!document) return one_line(body);
  const JsonView root = document->root();
  for (const JsonView& said : {root["error"]["message"], root["error"], root["message"],
                               root["detail"]["message"], root["detail"]}) {
    if (const auto text = said.string()) return one_line(*text);
  }
  if (root["detail"].is(JsonNode::Type::array)) return first_detail(root["detail"]);
  return one_line(body);
}

Refusal refusal_of(int status, std::string_view body) {
  return {kind_of_refusal(status, body), refusal_message(body)};
}

}  // namespace tokenjoule
