#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace tokenjoule {

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
bool starts_with(std::string_view text, std::string_view prefix);
bool ends_with(std::string_view text, std::string_view suffix);
std::string lower_case(std::string_view text);

/// The whole text as a number, independent of the locale; nullopt if anything is left over, or
/// empty. Takes what std::from_chars takes, plus a leading '+'; no "nan", no "inf".
std::optional<double> number_in(std::string_view text);
std::optional<std::int64_t> integer_in(std::string_view text);

/// "60", "60s", "1.5m", "2h", "250ms" as a length of time; a bare number is seconds.
Result<Seconds> duration_in(std::string_view text);

/// The candidate with the smallest edit distance, if that is at most a third of the word (at least
/// 1).
std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates);
/// " (did you mean X?)" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// quoted(foreign, length = 120): the first `length` bytes at most, control characters and quotes
/// of foreign text made harmless, never cut inside a UTF-8 sequence: for messages that quote
/// foreign bytes.
struct ForeignQuoter {
  std::string operator()(std::string_view foreign, std::size_t length = 120) const;
};
/// An object and no function, so that argument-dependent lookup never finds std::quoted instead.
inline constexpr ForeignQuoter quoted;

}  // namespace tokenjoule
