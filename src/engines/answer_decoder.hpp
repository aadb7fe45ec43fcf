#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "engines/answer_event.hpp"
#include "model/event.hpp"
#include "model/token_times.hpp"

namespace tokenjoule {

/// How the connection's part of an answer ended.
enum class AnswerEnd {
  whole,      ///< the HTTP message came to its end
  cut,        ///< reset, closed or timed out before that
  cancelled,  ///< we ended it
};

/// Makes of the events of one answer what a RequestRecord tells of it. Pure.
///
/// A token event is one with text, reasoning, a tool call, a refusal or token ids; never a role or
/// an empty string. Its number of tokens is known where the event lists token ids, or where usage
/// comes with every event from the first one on and grows (tokens that came without an event of
/// their own are then in the next one). The last usage wins, wherever it stands; llama.cpp's
/// timings stand in where there is none.
class AnswerDecoder {
 public:
  /// @param sent when the request was sent: token times count from it.
  explicit AnswerDecoder(MonoTime sent) : times_(sent) {}

  /// The data of one server-sent event, "[DONE]" included.
  /// @param censored it shared a late read with the event before it.
  void event(AnswerEventReader& reader, std::string_view data, MonoTime at, bool censored);
  /// The whole body of a server that does not stream: one token event, at the body's end.
  void plain_body(AnswerEventReader& reader, std::string_view body, MonoTime at);

  /// Writes all that was found into the record and settles its outcome. A cut or cancelled answer
  /// comes with the record's failure set by who saw it. Completed is an answer that
  ///   - came whole and had a finish reason, "[DONE]", or a usage that closes the stream, or
  ///   - was cut, but behind "[DONE]", or behind both finish reason and usage;
  /// and that has a token. Else it failed: empty, ended_early, or what the stream said itself
  /// (in_stream_error: …, bad_event: …, not_an_api: …).
  void finish(RequestRecord& record, AnswerEnd end);

  std::int64_t token_events() const { return token_events_; }

 private:
  void take(const AnswerEvent& event, MonoTime at, bool censored);
  void take_usage(const AnswerEvent& event, MonoTime at);
  void take_tokens(const AnswerEvent& event, MonoTime at, bool censored);
  std::optional<std::int64_t> tokens_of(const AnswerEvent& event);
  void fail(std::string failure);
  bool closed_by_server(AnswerEnd end) const;

  /// Whether usage comes with every event, so that its growth counts tokens.
  enum class Growth { unknown, counts, useless };

  TokenTimesWriter times_;
  std::int64_t token_events_ = 0;
  Growth growth_ = Growth::unknown;
  std::int64_t counted_ = 0;  ///< output tokens of the usage that the last token event came with
  AnswerUsage usage_;
  AnswerUsage timings_;
  std::string finish_reason_;
  std::string failure_;  ///< the first thing that went wrong inside the stream
  bool closing_usage_ = false;
  std::optional<MonoTime> first_choices_;
  std::optional<MonoTime> first_visible_;
  std::optional<MonoTime> finish_;
  std::optional<MonoTime> usage_at_;
  std::optional<MonoTime> done_;
};

}  // namespace tokenjoule
