#include "model/token_times.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

// An event is packed as (zigzag of the gap's growth) << 2, with these bits; then, where the number
// of tokens is another than before, that number + 1, or 0 where it is not known. Numbers are
// LEB128.
constexpr std::uint64_t kCensored = 1;
constexpr std::uint64_t kOtherTokens = 2;

// 11 days: more is no gap of a stream, and less always fits.
constexpr std::int64_t kLongestGapUs = 1'000'000'000'000;

std::uint64_t zigzag(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return (bits << 1U) ^ (number < 0 ? ~std::uint64_t{0} : 0);
}

std::int64_t from_zigzag(std::uint64_t bits) {
  const std::uint64_t sign = (bits & 1U) != 0 ? ~std::uint64_t{0} : 0;
  return static_cast<std::int64_t>((bits >> 1U) ^ sign);
}

/// "20000x3~": an event that so long a gap stands before.
struct Piece {
  std::int64_t gap_us = 0;
  std::optional<std::int64_t> tokens;
  bool censored = false;
};

std::optional<Piece> piece_in(std::string_view text) {
  Piece piece;
  if (ends_with(text, "~")) {
    piece.censored = true;
    text.remove_suffix(1);
  }
  if (const auto times = text.find('x'); times != std::string_view::npos) {
    piece.tokens = integer_in(text.substr(times + 1));
    if (!piece.tokens || *piece.tokens < 0) return std::nullopt;
    text = text.substr(0, times);
  }
  const auto gap = integer_in(text);
  if (!gap || *gap < 0 || *gap > kLongestGapUs) return std::nullopt;
  piece.gap_us = *gap;
  return piece;
}

}  // namespace

void TokenTimesWriter::put(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) {
    times_.packed_ += static_cast<char>((number & 0x7FU) | 0x80U);
  }
  times_.packed_ += static_cast<char>(number);
}

void TokenTimesWriter::add(const TokenEvent& event) {
  const std::int64_t gap =
      std::clamp(event.at.ns / 1000 - previous_us_, std::int64_t{0}, kLongestGapUs);
  const std::int64_t growth = gap - std::exchange(previous_gap_us_, gap);
  const bool other_tokens = std::exchange(previous_tokens_, event.tokens) != event.tokens;
  put((zigzag(growth) << 2U) | (event.censored ? kCensored : 0) |
      (other_tokens ? kOtherTokens : 0));
  if (other_tokens) put(event.tokens ? static_cast<std::uint64_t>(*event.tokens) + 1 : 0);
  previous_us_ += gap;
}

TokenTimes TokenTimesWriter::take() {
  times_.packed_.shrink_to_fit();
  return std::exchange(times_, {});
}

std::uint64_t TokenTimesReader::number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return number;
  }
}

std::optional<TokenEvent> TokenTimesReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::uint64_t head = number();
  if ((head & kOtherTokens) != 0) {
    const std::uint64_t tokens = number();
    tokens_ = tokens == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(tokens - 1));
  }
  gap_us_ += from_zigzag(head >> 2U);
  at_us_ += gap_us_;
  return TokenEvent{MonoTime{at_us_ * 1000}, tokens_, (head & kCensored) != 0};
}

std::optional<TokenTimes> TokenTimes::in(std::string_view text) {
  TokenTimesWriter writer(MonoTime{});
  MonoTime at;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const auto piece = piece_in(text.substr(0, space));
    if (!piece) return std::nullopt;
    at = at + microseconds(piece->gap_us);
    writer.add({at, piece->tokens, piece->censored});
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
    if (text.empty()) return std::nullopt;
  }
  return writer.take();
}

std::string TokenTimes::text() const {
  std::string text;
  const auto append = [&](std::int64_t number) {
    const fmt::format_int digits(number);
    text.append(digits.data(), digits.size());
  };
  TokenTimesReader reader(*this, MonoTime{});
  MonoTime previous;
  while (const auto event = reader.next()) {
    if (!text.empty()) text += ' ';
    append((event->at - std::exchange(previous, event->at)).count / 1000);
    if (event->tokens) {
      text += 'x';
      append(*event->tokens);
    }
    if (event->censored) text += '~';
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const TokenTimes& times) { return out << times.text(); }

}  // namespace tokenjoule
