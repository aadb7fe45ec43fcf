#pragma once

#include <cstdint>
#include <iosfwd>
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

/// The token events of one answer. As text, which is what a run file holds: microseconds since the
/// request was sent for the first, then the gap to the one before; "x8" behind it where the event
/// is known to hold 8 tokens, "~" where it is censored. "1350000 20000 20000x3 0~": four events.
///
/// In memory some two bytes an event, so that a run of 60 million tokens can be judged in a quarter
/// of a gigabyte: how much a gap differs from the gap before, as a number of variable length.
class TokenTimes {
 public:
  /// nullopt where the text does not fit as a whole. "" is no events.
  static std::optional<TokenTimes> in(std::string_view text);
  std::string text() const;
  std::size_t bytes() const { return packed_.size(); }

  friend bool operator==(const TokenTimes&, const TokenTimes&) = default;
  friend bool operator==(const TokenTimes& times, std::string_view text) {
    return times.text() == text;
  }
  friend std::ostream& operator<<(std::ostream& out, const TokenTimes& times);

 private:
  friend class TokenTimesWriter;
  friend class TokenTimesReader;
  std::string packed_;
};

/// Packs token events as they come.
class TokenTimesWriter {
 public:
  explicit TokenTimesWriter(MonoTime sent) : previous_us_(sent.ns / 1000) {}
  /// Events come in time order; one before its predecessor is written at the predecessor's time.
  void add(const TokenEvent& event);
  TokenTimes take();

 private:
  void put(std::uint64_t number);

  std::int64_t previous_us_;
  std::int64_t previous_gap_us_ = 0;
  std::optional<std::int64_t> previous_tokens_;
  TokenTimes times_;
};

/// Reads them one by one. What it reads must outlive it.
class TokenTimesReader {
 public:
  TokenTimesReader(const TokenTimes& times, MonoTime sent)
      : rest_(times.packed_), at_us_(sent.ns / 1000) {}
  std::optional<TokenEvent> next();

 private:
  std::uint64_t number();

  std::string_view rest_;
  std::int64_t at_us_;
  std::int64_t gap_us_ = 0;
  std::optional<std::int64_t> tokens_;
};

}  // namespace tokenjoule
