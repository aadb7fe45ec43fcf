#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tokenjoule {

/// What an engine says it counted, as far as it says so.
struct AnswerUsage {
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> cached_tokens;     ///< part of the prompt that was not computed
  std::optional<std::int64_t> reasoning_tokens;  ///< part of the output

  friend bool operator==(const AnswerUsage&, const AnswerUsage&) = default;
};

/// One event of an OpenAI-style stream, or a whole answer of a server that does not stream.
struct AnswerEvent {
  bool has_choices = false;               ///< a choice is in it, if only a role
  bool carries_tokens = false;            ///< text, reasoning, a tool call, a refusal, or token ids
  bool visible = false;                   ///< text that is not reasoning
  std::optional<std::int64_t> token_ids;  ///< how many ids it lists
  std::optional<AnswerUsage> usage;
  std::optional<AnswerUsage> timings;  ///< llama.cpp's own counts
  std::string finish_reason;           ///< "" for none
  std::optional<std::string> error;    ///< the message of an error object

  friend bool operator==(const AnswerEvent&, const AnswerEvent&) = default;
};

/// Reads events. Keeps its parser's memory between calls, and patterns of the last events, so that
/// only what is new in a stream is parsed (EventPattern); one object is for one thread.
class AnswerEventReader {
 public:
  AnswerEventReader();
  AnswerEventReader(const AnswerEventReader&) = delete;
  AnswerEventReader& operator=(const AnswerEventReader&) = delete;
  ~AnswerEventReader();

  /// Any bytes are taken; what is no JSON object is an error. Bare NaN and Infinity, which some
  /// Python servers write, count as null.
  /// @return an event that is valid until the next call.
  Result<const AnswerEvent*> read(std::string_view json);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace tokenjoule
