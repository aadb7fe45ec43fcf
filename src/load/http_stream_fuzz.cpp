// The way of foreign bytes through the load client: HTTP framing, server-sent events, answers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engines/answer_decoder.hpp"
#include "engines/sse.hpp"
#include "io/http_reader.hpp"
#include "model/token_times.hpp"

namespace {

using namespace tokenjoule;

/// Feeds the bytes of a body through splitter and decoder, in pieces of `step`. Whatever comes in,
/// the record can be written and read back.
void read_events(std::string_view body, std::size_t step) {
  SseReader events;
  AnswerEventReader reader;
  AnswerDecoder decoder{MonoTime{}};
  std::int64_t at_us = 0;
  const auto take_all = [&] {
    while (const auto data = events.next()) {
      ++at_us;
      decoder.event(reader, *data, MonoTime{at_us * 1000}, at_us % 2 == 0);
    }
  };
  for (std::size_t at = 0; at < body.size(); at += step) {
    events.put(body.substr(at, step));
    take_all();
  }
  events.finish();
  take_all();
  RequestRecord record;
  decoder.finish(record, AnswerEnd::whole);
  const auto read = TokenTimes::in(record.token_times.text());
  if (!read || !(*read == record.token_times)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = 1 + bytes[0] % 64;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  HttpReader reader;
  std::string body;
  for (std::size_t at = 0; at < text.size(); at += step) {
    if (!reader.put(text.substr(at, step))) return 0;
    for (const std::string_view piece : reader.body()) body += piece;
    if (reader.done()) reader.next_message();
  }
  (void)reader.put_eof();
  read_events(body, step);
  read_events(text, step);
  return 0;
}
