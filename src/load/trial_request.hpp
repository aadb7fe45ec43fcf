#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/http_client.hpp"
#include "load/engine_probe.hpp"

namespace tokenjoule {

/// How an engine took a request for two tokens.
struct Trial {
  EndpointKind endpoint = EndpointKind::completions;
  std::string path;
  bool token_ids = false;  ///< the prompt was token ids, and the engine counted just those
  bool lists_ids = false;  ///< it was asked to list the ids of its tokens, and did
};

/// Tries the ways of asking that the question and the dialect leave open, the best first: a prompt
/// of token ids, a chat, a prompt of text. The first that works is taken; if none does, the error
/// is that of the first. A refused key, an unknown model, a rate limit, a gateway without its
/// engine and an engine that is loading end it at once. Each way is tried with a wish for the ids
/// of the answer's tokens first, where the dialect knows of it; where that is refused, without.
Result<Trial> try_request(const ProbeQuestion& question, const EngineDialect& dialect,
                          const std::string& model);

/// What a streamed answer says: an error inside it, or the prompt tokens that it counted.
struct TrialAnswer {
  std::string error;  ///< "" if none
  bool has_choices = false;
  std::optional<std::int64_t> prompt_tokens;
  bool lists_ids = false;  ///< of tokens of the answer
};
TrialAnswer trial_answer_in(std::string_view body);

}  // namespace tokenjoule
