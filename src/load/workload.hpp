#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/dialect.hpp"
#include "load/load_options.hpp"
#include "load/text_prompts.hpp"
#include "model/request_ids.hpp"

namespace tokenjoule {

constexpr std::int64_t kNonceTokens = 64;
/// So many pairs of lengths are drawn where random ones are to be permuted.
constexpr std::uint64_t kPermutedLengths = 1000;

struct RequestLengths {
  std::int64_t input = 1;   ///< tokens, a shared prefix included
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
  /// All that the dialect needs for the body of request `id`. A shared prefix comes from the nonce
  /// and stands before the prompt; blocks of a trace come from the nonce and their number, another
  /// one each time that the trace is repeated. Texts of a data set are sent as they are, but never
  /// in the warm-up. A conversation's earlier turns are messages of a chat; for completions all is
  /// one prompt, texts with blank lines between them.
  RequestSpec spec(std::uint64_t id) const;
  /// Whether requests may differ in the model that they ask for.
  bool asks_for_several_models() const { return several_models_; }
  /// Where the conversation goes on behind this request: the time from its answer to the next turn,
  /// which has the id `id` + kTurnStride.
  std::optional<Nanoseconds> think_after(std::uint64_t id) const;

 private:
  /// A stretch of a prompt that comes from one stream of random numbers.
  struct Stretch {
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;
    std::int64_t tokens = 0;
  };

  std::uint64_t index_of(std::uint64_t id) const;
  const PoolEntry* entry_of(std::uint64_t id) const;
  RequestLengths drawn_lengths(std::uint64_t index) const;
  std::vector<Stretch> stretches(std::uint64_t id, std::int64_t tokens) const;
  std::vector<std::vector<Stretch>> history(std::uint64_t id, const PoolEntry& entry) const;
  std::vector<Stretch> blocks_of(std::uint64_t id, const PoolEntry& entry) const;
  void add_text(std::string& text, const Stretch& stretch, std::int64_t on_top) const;
  Prompt prompt_of(const std::vector<Stretch>& stretches) const;
  void make_up(RequestSpec& spec, std::uint64_t id, std::int64_t tokens,
               const PoolEntry* entry) const;
  void take_messages(RequestSpec& spec, const std::vector<std::vector<Stretch>>& said) const;

  LengthSpec input_;
  LengthSpec output_;
  std::vector<LengthPair> mix_;
  std::vector<ModelShare> models_;
  const RequestPool* pool_;
  Sampling sampling_;
  std::int64_t prefix_;
  std::uint64_t seed_;
  std::uint64_t nonce_;
  std::int32_t vocabulary_;
  bool token_ids_;
  bool several_models_;
  RequestSpec common_;  ///< what is the same in all requests
  WordSizes sizes_;
};

}  // namespace tokenjoule
