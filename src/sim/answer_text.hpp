#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/engine_model.hpp"
#include "sim/generation_request.hpp"

namespace tokenjoule {

/// What an answer's text depends on.
struct AnswerIdentity {
  std::uint64_t seed = 1;
  std::uint64_t request = 0;
  std::int64_t created_unix_s = 0;
  std::string model;
  bool no_done = false;  ///< faults: no "[DONE]", no usage
  bool no_usage = false;
};

/// Writes one answer, as a stream of server-sent events in HTTP chunks or as one JSON body, in the
/// shape that vLLM gives it. All that stays the same from event to event is written once.
class AnswerText {
 public:
  AnswerText(const GenerationRequest& request, const AnswerIdentity& identity);

  /// Adds the next tokens: to `out` as an event when streaming, else to the body.
  void add_tokens(std::string& out, std::int64_t tokens, std::optional<FinishReason> finish);
  /// Adds the usage event if asked for, "[DONE]" and the last HTTP chunk.
  void add_end(std::string& out) const;
  /// Adds an error event, "[DONE]" and the last HTTP chunk.
  void add_error_end(std::string& out) const;
  /// The answer of a request without streaming.
  std::string body() const;

  std::int64_t output_tokens() const { return output_tokens_; }

 private:
  void add_chunk(std::string& out, std::string_view payload) const;
  std::string usage_json() const;

  GenerationRequest request_;
  AnswerIdentity identity_;
  std::string head_;     ///< {"id":…,"model":…
  std::string opening_;  ///< up to the text of an event
  std::int64_t output_tokens_ = 0;
  std::optional<FinishReason> finish_;
  std::string text_;       ///< without streaming: the answer so far
  std::string token_ids_;  ///< and its ids, separated by commas
  std::string payload_;    ///< scratch
};

}  // namespace tokenjoule
