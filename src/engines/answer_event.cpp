#include "engines/answer_event.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

namespace dom = simdjson::dom;

std::string_view string_of(dom::object object, const char* key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? value : std::string_view();
}

/// A string, an array or an object with something in it.
bool filled(dom::object object, const char* key) {
  dom::element value;
  if (object[key].get(value) != simdjson::SUCCESS) return false;
  if (value.is_string()) return !std::string_view(value).empty();
  if (value.is_array()) return dom::array(value).size() > 0;
  // An older TGI sends one tool call bare instead of a list.
  return value.is_object() && dom::object(value).size() > 0;
}

std::optional<std::int64_t> count_of(dom::object object, const char* key) {
  dom::element value;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  std::int64_t count = 0;
  if (value.get(count) == simdjson::SUCCESS && count >= 0) return count;
  double real = 0;
  if (value.get(real) == simdjson::SUCCESS && real >= 0 && real < 1e15) {
    return static_cast<std::int64_t>(real);
  }
  return std::nullopt;
}

std::optional<std::int64_t> count_inside(dom::object object, const char* inner, const char* key) {
  dom::object details;
  if (object[inner].get(details) != simdjson::SUCCESS) return std::nullopt;
  return count_of(details, key);
}

std::optional<AnswerUsage> usage_in(dom::object event) {
  dom::object usage;
  if (event["usage"].get(usage) != simdjson::SUCCESS) return std::nullopt;
  AnswerUsage found{
      .prompt_tokens = count_of(usage, "prompt_tokens"),
      .output_tokens = count_of(usage, "completion_tokens"),
      .cached_tokens = count_inside(usage, "prompt_tokens_details", "cached_tokens"),
      .reasoning_tokens = count_inside(usage, "completion_tokens_details", "reasoning_tokens")};
  // SGLang writes it beside the counts, not into the details.
  if (!found.reasoning_tokens) found.reasoning_tokens = count_of(usage, "reasoning_tokens");
  return found;
}

/// llama.cpp: prompt_n are the prompt tokens computed, cache_n those it found in its cache.
std::optional<AnswerUsage> timings_in(dom::object event) {
  dom::object timings;
  if (event["timings"].get(timings) != simdjson::SUCCESS) return std::nullopt;
  AnswerUsage found{.output_tokens = count_of(timings, "predicted_n"),
                    .cached_tokens = count_of(timings, "cache_n")};
  const auto computed = count_of(timings, "prompt_n");
  if (computed && found.cached_tokens) found.prompt_tokens = *computed + *found.cached_tokens;
  return found;
}

void add_text(dom::object text, AnswerEvent& event) {
  constexpr const char* kVisible[] = {"content", "text", "tool_calls", "function_call", "refusal"};
  constexpr const char* kReasoning[] = {"reasoning", "reasoning_content"};
  for (const char* key : kVisible) event.visible = event.visible || filled(text, key);
  event.carries_tokens = event.carries_tokens || event.visible;
  for (const char* key : kReasoning) {
    event.carries_tokens = event.carries_tokens || filled(text, key);
  }
}

/// vLLM, SGLang and TensorRT-LLM call them token_ids, LMDeploy gen_tokens.
void add_ids(dom::object holder, AnswerEvent& event) {
  for (const char* key : {"token_ids", "gen_tokens"}) {
    dom::array ids;
    if (holder[key].get(ids) != simdjson::SUCCESS) continue;
    const auto count = static_cast<std::int64_t>(ids.size());
    event.token_ids = event.token_ids.value_or(0) + count;
    event.carries_tokens = event.carries_tokens || count > 0;
  }
}

void add_choice(dom::object choice, AnswerEvent& event) {
  add_text(choice, event);
  add_ids(choice, event);
  for (const char* key : {"delta", "message"}) {
    dom::object inner;
    if (choice[key].get(inner) != simdjson::SUCCESS) continue;
    add_text(inner, event);
    add_ids(inner, event);
  }
  const std::string_view reason = string_of(choice, "finish_reason");
  if (!reason.empty()) event.finish_reason = reason;
}

void add_choices(dom::object root, AnswerEvent& event) {
  dom::array choices;
  if (root["choices"].get(choices) != simdjson::SUCCESS) return;
  for (const dom::element element : choices) {
    dom::object choice;
    if (element.get(choice) != simdjson::SUCCESS) continue;
    event.has_choices = true;
    add_choice(choice, event);
  }
}

/// {"error": {"message": …}}, {"error": "…"} and vLLM's older {"object": "error", "message": …}.
std::optional<std::string> error_in(dom::object root) {
  if (string_of(root, "object") == "error") return std::string(string_of(root, "message"));
  dom::element error;
  if (root["error"].get(error) != simdjson::SUCCESS || error.is_null()) return std::nullopt;
  if (error.is_string()) return std::string(std::string_view(error));
  dom::object object;
  if (error.get(object) == simdjson::SUCCESS) {
    const std::string_view message = string_of(object, "message");
    if (!message.empty()) return std::string(message);
  }
  return std::string(simdjson::minify(error));
}

/// The message of {"error": "…"} whose text is not escaped, as transformers serve writes it.
std::optional<std::string> bare_error_in(std::string_view json) {
  constexpr std::string_view kBegin = R"({"error": ")", kEnd = R"("})";
  const std::string_view text = trimmed(json);
  if (text.size() < kBegin.size() + kEnd.size() || !starts_with(text, kBegin)) return std::nullopt;
  if (text.substr(text.size() - kEnd.size()) != kEnd) return std::nullopt;
  return std::string(text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size()));
}

/// Writes "null" and blanks over bare NaN and Infinity (also with a minus) outside strings.
std::string without_bare_numbers(std::string_view json) {
  std::string text(json);
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_string = !in_string;
    if (in_string && text[i] == '\\') ++i;
    if (in_string || i >= text.size()) continue;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (text.compare(i, word.size(), word) != 0) continue;
      std::string blank(word.size(), ' ');
      text.replace(i, word.size(), word.size() < 4 ? "0  " : blank.replace(0, 4, "null"));
      break;
    }
  }
  return text;
}

}  // namespace

struct AnswerEventReader::Parser {
  dom::parser dom;
};

AnswerEventReader::AnswerEventReader() : parser_(std::make_unique<Parser>()) {}
AnswerEventReader::~AnswerEventReader() = default;

Result<AnswerEvent> AnswerEventReader::read(std::string_view json) {
  dom::element root;
  auto error = parser_->dom.parse(json.data(), json.size()).get(root);
  const bool bare_numbers =
      json.find("NaN") != std::string_view::npos || json.find("Infinity") != std::string_view::npos;
  if (error != simdjson::SUCCESS && bare_numbers) {
    error = parser_->dom.parse(without_bare_numbers(json)).get(root);
  }
  dom::object object;
  if (error == simdjson::SUCCESS) error = root.get(object);
  AnswerEvent event;
  if (error != simdjson::SUCCESS) {
    event.error = bare_error_in(json);
    if (event.error) return event;
    return failure(ErrorKind::unavailable, fmt::format("no JSON object: \"{}\"", quoted(json)));
  }
  add_choices(object, event);
  event.usage = usage_in(object);
  event.timings = timings_in(object);
  event.error = error_in(object);
  return event;
}

}  // namespace tokenjoule
