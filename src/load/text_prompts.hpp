#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"

namespace tokenjoule {

/// How many tokens the engine makes of a text; nullopt where it does not say.
using CountTokens = std::function<std::optional<std::int64_t>(std::string_view)>;

/// Common English words, for prompts of engines that take no token ids.
const std::vector<std::string_view>& prompt_words();

/// What the engine's tokenizer makes of prompt_words(), learnt once before the load: tokenizers in
/// use split at blanks, so the tokens of words add up.
struct WordSizes {
  std::vector<std::int64_t> tokens;  ///< of each word with a blank before it
  std::int64_t overhead = 0;         ///< tokens of any text on top of its words (begin-of-text)
  bool measured = false;             ///< false: one token a word was assumed

  /// Asks about groups of 16 words, and about single words where a group is not one token each
  /// (below a thousand calls at worst). A missing answer ends it: one token a word is assumed.
  static WordSizes measured_by(const CountTokens& count_tokens);
};

/// A text of `length` tokens: its first 64 tokens' worth of words comes from `head`, the rest from
/// `body`. Exact where the sizes are and some word is a single token.
std::string text_prompt(std::int64_t length, const WordSizes& sizes, Random& head, Random& body);

}  // namespace tokenjoule
