#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "sim/options.hpp"

namespace tokenjoule {

enum class GenerationKind { completions, chat };

/// What a request body asked for, checked against the engine's limits.
struct GenerationRequest {
  GenerationKind kind = GenerationKind::completions;
  std::int64_t prompt_tokens = 0;
  std::int64_t max_tokens = 16;
  std::int64_t min_tokens = 1;
  std::int64_t tokens_per_event = 0;  ///< "sim_tokens_per_event"; 0: the engine's own
  bool ignore_eos = false;
  bool stream = false;
  bool include_usage = false;     ///< stream_options.include_usage
  bool continuous_usage = false;  ///< stream_options.continuous_usage_stats
  bool return_token_ids = false;
};

/// A refusal as the API words it.
struct ApiError {
  int status = 400;
  std::string type = "BadRequestError";
  std::string message;
  std::string param;  ///< "" if none
};
std::string json_of(const ApiError& error);

template <typename T>
using ApiResult = tl::expected<T, ApiError>;
/// So that TRY passes refusals on as well.
inline tl::unexpected<ApiError> unexpected(ApiError error) {
  return tl::unexpected<ApiError>(std::move(error));
}

/// Reads the body of a completions or chat request. 400: no JSON, a field of a wrong kind, several
/// prompts or answers, a context longer than max_model_len. 404: another model.
ApiResult<GenerationRequest> generation_request_in(GenerationKind kind, std::string_view body,
                                                   const SimulatorOptions& options);

/// The answer to /tokenize: {"count", "max_model_len", "tokens"}.
ApiResult<std::string> tokenize_answer(std::string_view body, const SimulatorOptions& options);

}  // namespace tokenjoule
