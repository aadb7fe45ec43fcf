#include "load/workload.hpp"

#include <algorithm>
#include <utility>

namespace tokenjoule {

namespace {

// Each request has two streams of random numbers under the seed: one for its lengths, one for its
// body.
std::uint64_t stream_of_lengths(std::uint64_t id) { return 2 * id; }
std::uint64_t stream_of_body(std::uint64_t id) { return 2 * id + 1; }

/// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

void add_tokens(std::int64_t count, std::int32_t low, std::int32_t high, Random& random,
                std::vector<std::int32_t>& tokens) {
  for (std::int64_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<std::int32_t>(random.integer(low, high)));
  }
}

}  // namespace

Workload::Workload(const LoadOptions& options, WordSizes sizes)
    : input_(options.input_length),
      output_(options.output_length),
      seed_(options.seed),
      nonce_(hash_of(options.nonce)),
      vocabulary_(options.vocabulary),
      token_ids_(options.token_id_prompts),
      sizes_(std::move(sizes)) {
  common_.endpoint = options.endpoint;
  common_.model = options.model;
  common_.ignore_eos = options.ignore_eos;
  common_.extra_body_json = options.extra_body_json;
}

RequestLengths Workload::lengths(std::uint64_t id) const {
  Random random(seed_, stream_of_lengths(id));
  const std::int64_t input = input_.draw(random);
  return {input, output_.draw(random)};
}

Prompt Workload::prompt(std::uint64_t id, std::int64_t tokens) const {
  if (token_ids_) return token_prompt(id, tokens);
  Random head(nonce_, id);
  Random body(seed_, stream_of_body(id));
  return {.text = text_prompt(tokens, sizes_, head, body)};
}

Prompt Workload::token_prompt(std::uint64_t id, std::int64_t tokens) const {
  Random head(nonce_, id);
  Random body(seed_, stream_of_body(id));
  const std::int32_t low = std::min(kLowestPromptToken, vocabulary_ / 2);
  const std::int64_t first = std::min(tokens, kNonceTokens);
  Prompt prompt;
  prompt.token_ids.reserve(static_cast<std::size_t>(tokens));
  add_tokens(first, low, vocabulary_ - 1, head, prompt.token_ids);
  add_tokens(tokens - first, low, vocabulary_ - 1, body, prompt.token_ids);
  return prompt;
}

RequestSpec Workload::spec(std::uint64_t id) const {
  const RequestLengths asked = lengths(id);
  RequestSpec spec = common_;
  spec.prompt = prompt(id, asked.input);
  spec.output_tokens = asked.output;
  return spec;
}

}  // namespace tokenjoule
