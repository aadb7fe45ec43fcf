#include "sim/tokenizer.hpp"

#include <array>
#include <optional>

#include "base/check.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kConsonants = "bcdfghjklmnprstv";
constexpr std::string_view kVowels = "aeio";

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Length of the first piece of a text that is not empty. A character is never cut.
std::size_t piece_length(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  std::size_t length = 1;
  while (length < text.size() && !is_blank(text[length]) &&
         (length < kLongest || continues_character(text[length])))
    ++length;
  return length;
}

std::optional<std::int32_t> answer_vocabulary_id(std::string_view piece) {
  if (piece.size() != 4 || piece[0] != ' ') return std::nullopt;
  const auto first = kConsonants.find(piece[1]);
  const auto vowel = kVowels.find(piece[2]);
  const auto last = kConsonants.find(piece[3]);
  constexpr auto npos = std::string_view::npos;
  if (first == npos || vowel == npos || last == npos) return std::nullopt;
  return static_cast<std::int32_t>(first * 64 + vowel * 16 + last);
}

std::int32_t id_of(std::string_view piece) {
  if (const auto id = answer_vocabulary_id(piece)) return *id;
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : piece) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  constexpr std::uint64_t kOthers = kVocabularySize - kAnswerVocabularySize;
  return static_cast<std::int32_t>(kAnswerVocabularySize + hash % kOthers);
}

std::string answer_vocabulary_text() {
  std::string all;
  for (const char first : kConsonants)
    for (const char vowel : kVowels)
      for (const char last : kConsonants) all += {' ', first, vowel, last};
  return all;
}

}  // namespace

std::vector<std::int32_t> tokens_of(std::string_view text) {
  std::vector<std::int32_t> tokens;
  tokens.reserve(text.size() / 3);
  while (!text.empty()) {
    const std::size_t length = piece_length(text);
    tokens.push_back(id_of(text.substr(0, length)));
    text.remove_prefix(length);
  }
  return tokens;
}

std::string_view token_text(std::int32_t id) {
  static const std::string all = answer_vocabulary_text();
  TJ_ASSERT(id >= 0 && id < kAnswerVocabularySize);
  return std::string_view(all).substr(static_cast<std::size_t>(id) * 4, 4);
}

std::int32_t answer_token(std::uint64_t seed, std::uint64_t request, std::int64_t place) {
  std::uint64_t mix = seed * 0x9e3779b97f4a7c15ULL + request * 0xbf58476d1ce4e5b9ULL +
                      static_cast<std::uint64_t>(place) * 0x94d049bb133111ebULL;
  mix = (mix ^ (mix >> 31U)) * 0xd6e8feb86659fd93ULL;
  return static_cast<std::int32_t>((mix >> 40U) % kAnswerVocabularySize);
}

}  // namespace tokenjoule
