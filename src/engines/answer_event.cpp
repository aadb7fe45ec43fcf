#include "engines/answer_event.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text.hpp"
#include "engines/event_pattern.hpp"

namespace tokenjoule {

namespace {

namespace dom = simdjson::dom;

std::string_view string_of(dom::object object, const char* key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? value : std::string_view();
}

/// A string, an array or an object with something in it.
bool filled(dom::element value) {
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

std::optional<AnswerUsage> usage_in(dom::element value) {
  dom::object usage;
  if (value.get(usage) != simdjson::SUCCESS) return std::nullopt;
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
std::optional<AnswerUsage> timings_in(dom::element value) {
  dom::object timings;
  if (value.get(timings) != simdjson::SUCCESS) return std::nullopt;
  AnswerUsage found{.output_tokens = count_of(timings, "predicted_n"),
                    .cached_tokens = count_of(timings, "cache_n")};
  const auto computed = count_of(timings, "prompt_n");
  if (computed && found.cached_tokens) found.prompt_tokens = *computed + *found.cached_tokens;
  return found;
}

bool is_visible_text(std::string_view key) {
  return key == "content" || key == "text" || key == "tool_calls" || key == "function_call" ||
         key == "refusal";
}

/// vLLM, SGLang and TensorRT-LLM call them token_ids, LMDeploy gen_tokens.
void add_ids(dom::element value, AnswerEvent& event) {
  dom::array ids;
  if (value.get(ids) != simdjson::SUCCESS) return;
  const auto count = static_cast<std::int64_t>(ids.size());
  event.token_ids = event.token_ids.value_or(0) + count;
  event.carries_tokens = event.carries_tokens || count > 0;
}

/// A member of a choice, or of the delta or message in it.
void add_member(std::string_view key, dom::element value, AnswerEvent& event) {
  if (is_visible_text(key)) {
    if (filled(value)) event.visible = event.carries_tokens = true;
  } else if (key == "reasoning" || key == "reasoning_content") {
    event.carries_tokens = event.carries_tokens || filled(value);
  } else if (key == "token_ids" || key == "gen_tokens") {
    add_ids(value, event);
  }
}

/// Each object is gone through once: this runs for every event of the load.
void add_choice(dom::object choice, AnswerEvent& event) {
  for (const auto [key, value] : choice) {
    dom::object inner;
    std::string_view reason;
    if (key == "delta" || key == "message") {
      if (value.get(inner) != simdjson::SUCCESS) continue;
      for (const auto [inner_key, inner_value] : inner) add_member(inner_key, inner_value, event);
    } else if (key == "finish_reason") {
      if (value.get(reason) == simdjson::SUCCESS && !reason.empty()) event.finish_reason = reason;
    } else {
      add_member(key, value, event);
    }
  }
}

void add_choices(dom::element value, AnswerEvent& event) {
  dom::array choices;
  if (value.get(choices) != simdjson::SUCCESS) return;
  for (const dom::element element : choices) {
    dom::object choice;
    if (element.get(choice) != simdjson::SUCCESS) continue;
    event.has_choices = true;
    add_choice(choice, event);
  }
}

/// {"error": {"message": …}} and {"error": "…"}.
std::optional<std::string> error_in(dom::element error) {
  if (error.is_null()) return std::nullopt;
  if (error.is_string()) return std::string(std::string_view(error));
  dom::object object;
  if (error.get(object) == simdjson::SUCCESS) {
    const std::string_view message = string_of(object, "message");
    if (!message.empty()) return std::string(message);
  }
  return std::string(simdjson::minify(error));
}

AnswerEvent event_in(dom::object root) {
  AnswerEvent event;
  bool is_error = false;
  for (const auto [key, value] : root) {
    if (key == "choices") {
      add_choices(value, event);
    } else if (key == "usage") {
      event.usage = usage_in(value);
    } else if (key == "timings") {
      event.timings = timings_in(value);
    } else if (key == "error") {
      event.error = error_in(value);
    } else if (key == "object") {
      std::string_view kind;
      is_error = value.get(kind) == simdjson::SUCCESS && kind == "error";
    }
  }
  // vLLM's older form: {"object": "error", "message": …}.
  if (is_error) event.error = std::string(string_of(root, "message"));
  return event;
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

/// Events that look alike come from one engine for one kind of request: a load has few.
constexpr std::size_t kMostPatterns = 4;

/// A server none of whose events are alike: after so many, only one in kRareLearning is learned.
constexpr int kStrangersInRow = 16, kRareLearning = 64;

struct AnswerEventReader::Memory {
  dom::parser parser;
  AnswerEvent event;
  std::vector<EventPattern> patterns;
  std::size_t oldest = 0;  ///< the pattern to be forgotten next
  int strangers = 0;       ///< events since the last that matched a pattern

  const AnswerEvent* known(std::string_view json);
  void learn(std::string_view json);
};

const AnswerEvent* AnswerEventReader::Memory::known(std::string_view json) {
  for (EventPattern& pattern : patterns) {
    if (!pattern.matches(json)) continue;
    strangers = 0;
    return &pattern.event();
  }
  ++strangers;
  return nullptr;
}

void AnswerEventReader::Memory::learn(std::string_view json) {
  if (strangers > kStrangersInRow && strangers % kRareLearning != 0) return;
  auto pattern = EventPattern::of(json, event);
  if (!pattern) return;
  if (patterns.size() < kMostPatterns) return patterns.push_back(*std::move(pattern));
  patterns[oldest] = *std::move(pattern);
  oldest = (oldest + 1) % kMostPatterns;
}

AnswerEventReader::AnswerEventReader() : memory_(std::make_unique<Memory>()) {}
AnswerEventReader::~AnswerEventReader() = default;

Result<const AnswerEvent*> AnswerEventReader::read(std::string_view json) {
  if (const AnswerEvent* const known = memory_->known(json)) return known;
  dom::object root;
  AnswerEvent& event = memory_->event;
  auto error = memory_->parser.parse(json.data(), json.size()).get(root);
  if (error == simdjson::SUCCESS) {
    event = event_in(root);
    memory_->learn(json);
    return &event;
  }
  const bool bare_numbers =
      json.find("NaN") != std::string_view::npos || json.find("Infinity") != std::string_view::npos;
  if (bare_numbers) error = memory_->parser.parse(without_bare_numbers(json)).get(root);
  if (error == simdjson::SUCCESS) {
    event = event_in(root);
    return &event;
  }
  event = {};
  event.error = bare_error_in(json);
  if (event.error) return &event;
  return failure(ErrorKind::unavailable, fmt::format("no JSON object: \"{}\"", quoted(json)));
}

}  // namespace tokenjoule
