#include "model/token_times.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

void TokenTimesWriter::add(const TokenEvent& event) {
  const std::int64_t at_us = std::max(event.at.ns / 1000, previous_us_);
  if (!text_.empty()) text_ += ' ';
  const auto append = [&](std::int64_t number) {
    const fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
  };
  append(at_us - previous_us_);
  if (event.tokens) {
    text_ += 'x';
    append(*event.tokens);
  }
  if (event.censored) text_ += '~';
  previous_us_ = at_us;
}

std::optional<TokenEvent> TokenTimesReader::next() {
  if (rest_.empty() || broken_) return std::nullopt;
  const auto space = rest_.find(' ');
  std::string_view piece = rest_.substr(0, space);
  rest_ = space == std::string_view::npos ? std::string_view() : rest_.substr(space + 1);
  TokenEvent event;
  if (ends_with(piece, "~")) {
    event.censored = true;
    piece.remove_suffix(1);
  }
  if (const auto times = piece.find('x'); times != std::string_view::npos) {
    event.tokens = integer_in(piece.substr(times + 1));
    broken_ = !event.tokens || *event.tokens < 0;
    piece = piece.substr(0, times);
  }
  const auto gap = integer_in(piece);
  constexpr std::int64_t kLongestGapUs = 1'000'000'000'000;  // 11 days: more is no gap of a stream
  if (broken_ || !gap || *gap < 0 || *gap > kLongestGapUs) {
    broken_ = true;
    return std::nullopt;
  }
  previous_us_ += *gap;
  event.at = MonoTime{previous_us_ * 1000};
  return event;
}

bool is_token_times(std::string_view text) {
  TokenTimesReader reader(text, MonoTime{});
  while (reader.next()) {
  }
  return !reader.broken();
}

}  // namespace tokenjoule
