#pragma once

#include <cstdint>
#include <string>

#include "engines/dialect.hpp"
#include "load/load_options.hpp"
#include "load/text_prompts.hpp"

namespace tokenjoule {

/// Warm-up requests count from here, so that none of their prompts is ever a measured one.
constexpr std::uint64_t kFirstWarmupId = 1'000'000'000'000;
constexpr std::int64_t kNonceTokens = 64;

struct RequestLengths {
  std::int64_t input = 1;   ///< tokens
  std::int64_t output = 1;  ///< tokens
};

/// What each request asks. Request `id` depends on seed, nonce and id alone: it is the same
/// whatever thread sends it and when. Pure; usable from several threads.
class Workload {
 public:
  Workload(const LoadOptions& options, WordSizes sizes);

  RequestLengths lengths(std::uint64_t id) const;
  /// The first 64 tokens (all of a shorter prompt) come from the nonce and the id, the rest from
  /// the seed and the id: no two requests, and no two runs with different nonces, share a prefix.
  Prompt prompt(std::uint64_t id, std::int64_t tokens) const;
  /// All that the dialect needs for the body of request `id`.
  RequestSpec spec(std::uint64_t id) const;

 private:
  Prompt token_prompt(std::uint64_t id, std::int64_t tokens) const;

  LengthSpec input_;
  LengthSpec output_;
  std::uint64_t seed_;
  std::uint64_t nonce_;
  std::int32_t vocabulary_;
  bool token_ids_;
  RequestSpec common_;  ///< what is the same in all requests
  WordSizes sizes_;
};

}  // namespace tokenjoule
