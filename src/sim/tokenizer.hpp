#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tokenjoule {

/// A stand-in for a tokenizer: a piece is a blank and up to three letters, or up to four letters.
/// The same text gives the same ids; what `token_text` writes comes back as the same tokens.
constexpr std::int32_t kVocabularySize = 32'000;
/// Answers are made of the first ones: a blank, a consonant, a vowel, a consonant.
constexpr std::int32_t kAnswerVocabularySize = 1024;

std::vector<std::int32_t> tokens_of(std::string_view text);
/// The text of a token of the answer vocabulary: four bytes that need no escaping in JSON.
std::string_view token_text(std::int32_t id);
/// The token of an answer at that place: the same for the same seed, request and place.
std::int32_t answer_token(std::uint64_t seed, std::uint64_t request, std::int64_t place);

}  // namespace tokenjoule
