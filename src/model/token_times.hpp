#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace tokenjoule {

/// One piece of an answer that carried tokens (content, reasoning, tool call or refusal text).
struct TokenEvent {
  MonoTime at;
  std::optional<std::int64_t> tokens;  ///< how many, where the engine says so per event
  bool censored = false;               ///< shared a late read with others: when it came is unknown
};

/// Writes token events as one string: microseconds since the request was sent for the first, then
/// the gap to the one before; "x8" behind it where the event is known to hold 8 tokens, "~" where
/// it is censored. "1350000 20000 20000x3 0~": four events.
class TokenTimesWriter {
 public:
  explicit TokenTimesWriter(MonoTime sent) : previous_us_(sent.ns / 1000) {}
  /// Events come in time order; one before its predecessor is written at the predecessor's time.
  void add(const TokenEvent& event);
  std::string take() { return std::move(text_); }

 private:
  std::int64_t previous_us_;
  std::string text_;
};

/// Reads such a string piece by piece.
class TokenTimesReader {
 public:
  TokenTimesReader(std::string_view text, MonoTime sent)
      : rest_(text), previous_us_(sent.ns / 1000) {}
  /// The next event; nullopt at the end or at a piece that does not fit (then `broken()`).
  std::optional<TokenEvent> next();
  bool broken() const { return broken_; }

 private:
  std::string_view rest_;
  std::int64_t previous_us_;
  bool broken_ = false;
};

/// Whether the whole string can be read.
bool is_token_times(std::string_view text);

}  // namespace tokenjoule
