#include "load/text_prompts.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kGroup = 16;
constexpr std::int64_t kHeadTokens = 64;

std::string text_of_words(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = first; i < first + count; ++i) {
    if (!text.empty()) text += ' ';
    text += prompt_words()[i];
  }
  return text;
}

/// Tokens of the word with a blank before it: what a second copy of it adds.
std::optional<std::int64_t> tokens_of_word(const CountTokens& count_tokens, std::string_view word) {
  const std::string once(word);
  const auto one = count_tokens(once);
  const auto two = count_tokens(once + " " + once);
  if (!one || !two || *two <= *one) return std::nullopt;
  return *two - *one;
}

WordSizes assumed_sizes() {
  return {.tokens = std::vector<std::int64_t>(prompt_words().size(), 1)};
}

/// Sizes of the words first .. first + count - 1, put into `sizes`; false where an answer is
/// missing.
bool measure_group(const CountTokens& count_tokens, std::size_t first, std::size_t count,
                   WordSizes& sizes) {
  const auto together = count_tokens(text_of_words(first, count));
  if (!together) return false;
  if (*together - sizes.overhead == static_cast<std::int64_t>(count)) return true;
  for (std::size_t i = first; i < first + count; ++i) {
    const auto tokens = tokens_of_word(count_tokens, prompt_words()[i]);
    if (!tokens) return false;
    sizes.tokens[i] = *tokens;
  }
  return true;
}

/// Writes words until they hold `length` tokens. A word too long for the room left is drawn again,
/// at most so often as makes a miss unlikely when few words are single tokens.
void add_words(std::int64_t length, const WordSizes& sizes, Random& random, std::string& text) {
  constexpr int kMostDraws = 1000;
  const auto last = static_cast<std::int64_t>(sizes.tokens.size()) - 1;
  for (int refused = 0; length > 0 && refused < kMostDraws;) {
    const auto word = static_cast<std::size_t>(random.integer(0, last));
    if (sizes.tokens[word] > length) {
      ++refused;
      continue;
    }
    if (!text.empty()) text += ' ';
    text += prompt_words()[word];
    length -= sizes.tokens[word];
  }
}

}  // namespace

WordSizes WordSizes::measured_by(const CountTokens& count_tokens) {
  WordSizes sizes = assumed_sizes();
  if (!count_tokens) return sizes;
  const auto first_word = tokens_of_word(count_tokens, prompt_words()[0]);
  const auto first_alone = count_tokens(prompt_words()[0]);
  if (!first_word || !first_alone) return sizes;
  sizes.overhead = std::max<std::int64_t>(0, *first_alone - *first_word);
  for (std::size_t first = 0; first < prompt_words().size(); first += kGroup) {
    const std::size_t count = std::min(kGroup, prompt_words().size() - first);
    if (!measure_group(count_tokens, first, count, sizes)) return assumed_sizes();
  }
  sizes.measured = true;
  return sizes;
}

std::string text_prompt(std::int64_t length, const WordSizes& sizes, Random& head, Random& body) {
  TJ_ASSERT(sizes.tokens.size() == prompt_words().size());
  const std::int64_t words = std::max<std::int64_t>(1, length - sizes.overhead);
  const std::int64_t first = std::min(words, kHeadTokens);
  std::string text;
  add_words(first, sizes, head, text);
  add_words(words - first, sizes, body, text);
  return text;
}

}  // namespace tokenjoule
