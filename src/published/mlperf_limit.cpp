#include "published/mlperf_limit.hpp"

#include <string>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

// Outside of this a number with a W behind it is no limit of one GPU.
constexpr double kLeastWatts = 10;
constexpr double kMostWatts = 9000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::optional<double> in_range(std::optional<double> watts) {
  return watts && *watts >= kLeastWatts && *watts <= kMostWatts ? watts : std::nullopt;
}

/// " 600W …" or ": 1000 w": a number of watts at the start, after blanks and marks.
std::optional<double> watts_first(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" :=");
  if (start == std::string_view::npos || !is_digit(text[start])) return std::nullopt;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.", start), text.size());
  const std::string_view rest = trimmed(text.substr(end));
  const bool is_watts =
      starts_with(rest, "w") && (rest.size() == 1 || !(is_letter(rest[1]) || is_digit(rest[1])));
  return is_watts ? in_range(number_in(text.substr(start, end - start))) : std::nullopt;
}

/// "… 1200w " : a number of watts at the end.
std::optional<double> watts_last(std::string_view text) {
  text = trimmed(text);
  if (!ends_with(text, "w")) return std::nullopt;
  text.remove_suffix(1);
  text = trimmed(text);
  std::size_t start = text.size();
  while (start > 0 && is_digit(text[start - 1])) --start;
  return in_range(number_in(text.substr(start)));
}

}  // namespace

std::optional<double> gpu_limit_in(std::string_view words) {
  const std::string text = lower_case(words);
  for (const std::string_view word : {"power cap", "tgp", "gpu"}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const std::string_view whole(text);
      if (const auto watts = watts_first(whole.substr(at + word.size()))) return watts;
      if (word != "tgp") continue;
      if (const auto watts = watts_last(whole.substr(0, at))) return watts;
    }
  }
  return std::nullopt;
}

}  // namespace tokenjoule
