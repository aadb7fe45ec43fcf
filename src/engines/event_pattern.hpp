#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/answer_event.hpp"

namespace tokenjoule {

/// An event that was read, and the places where the events behind it may differ from it without a
/// need to be parsed: the text of the token, its ids, a few counts and names. Streams repeat one
/// event over and over; comparing it takes a tenth of what parsing it takes.
///
/// It takes nothing for granted: every other byte must be the same, and what stands in the open
/// places must be what JSON allows there. Whatever does not match is for the parser.
class EventPattern {
 public:
  /// @param json valid JSON, which `event` was read from.
  /// @return nullopt where events like this one cannot be told by comparing: it carries no tokens,
  /// is an answer's end or an error, or its counts do not stand where they are expected.
  static std::optional<EventPattern> of(std::string_view json, const AnswerEvent& event);

  /// Whether `json` is such an event; event() is then what it says.
  bool matches(std::string_view json);
  const AnswerEvent& event() const { return event_; }

 private:
  /// What may stand in an open place.
  enum class Kind : std::uint8_t {
    text,    ///< inside of a string: one character or more, none of them escaped, all of ASCII
    number,  ///< digits that nothing depends on
    tokens,  ///< digits: usage's completion_tokens
    ids,     ///< inside of an array: one number or more
  };
  struct Place {
    Kind kind;
    std::size_t begin, end;  ///< within text_
  };
  class Finder;

  EventPattern() = default;
  const char* fill(Kind kind, const char* at, const char* end);

  std::string text_;
  std::vector<Place> places_;  ///< in their order
  AnswerEvent event_;
};

}  // namespace tokenjoule
