#pragma once

// For the tests of the decoder only.

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engines/answer_decoder.hpp"

namespace tokenjoule {

inline MonoTime at_ms(std::int64_t ms) { return MonoTime{} + milliseconds(ms); }

/// An answer to a request that was sent at 0.
class Answer {
 public:
  Answer& event(std::int64_t ms, std::string_view data, bool censored = false) {
    decoder_.event(reader_, data, at_ms(ms), censored);
    return *this;
  }
  Answer& text(std::int64_t ms, std::string_view text = "x") {
    return event(
        ms, fmt::format(
                R"({{"choices":[{{"index":0,"text":"{}","finish_reason":null}}],"usage":null}})",
                text));
  }
  Answer& delta(std::int64_t ms, std::string_view delta) {
    return event(ms, fmt::format(R"({{"choices":[{{"delta":{}}}]}})", delta));
  }
  Answer& finished(std::int64_t ms, std::string_view reason = "length") {
    return event(ms, fmt::format(R"({{"choices":[{{"text":"","finish_reason":"{}"}}]}})", reason));
  }
  Answer& usage(std::int64_t ms, int tokens) {
    return event(
        ms, fmt::format(R"({{"choices":[],"usage":{{"prompt_tokens":7,"completion_tokens":{}}}}})",
                        tokens));
  }
  Answer& done(std::int64_t ms) { return event(ms, "[DONE]"); }
  Answer& body(std::int64_t ms, std::string_view body) {
    decoder_.plain_body(reader_, body, at_ms(ms));
    return *this;
  }

  RequestRecord end(AnswerEnd end = AnswerEnd::whole, std::string failure = {}) {
    RequestRecord record;
    if (end != AnswerEnd::whole) record.outcome = Outcome::failed;
    if (end == AnswerEnd::cancelled) record.outcome = Outcome::cancelled;
    record.failure = std::move(failure);
    decoder_.finish(record, end);
    return record;
  }

 private:
  AnswerEventReader reader_;
  AnswerDecoder decoder_{MonoTime{}};
};

/// A completion's event of that text, with the usage so far.
inline std::string with_usage(std::string_view text, int tokens) {
  return fmt::format(R"({{"choices":[{{"text":"{}"}}],"usage":{{"completion_tokens":{}}}}})", text,
                     tokens);
}

}  // namespace tokenjoule
