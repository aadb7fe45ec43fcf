#include "selftest/emitted_event.hpp"

#include <fmt/format.h>

namespace tokenjoule {

namespace {

constexpr std::string_view kTextDigits = "################";

}  // namespace

EmittedEvent::EmittedEvent(bool stamp_in_text)
    // As vLLM writes a token: its members without a value included.
    : chunk_(event_chunk(fmt::format(
          R"({{"id":"tj-0000000000000000-0123456789abcdef0","object":"text_completion",)"
          R"("created":1796000000,"model":"bench-model","choices":[{{"index":0,"text":" {}",)"
          R"("logprobs":null,"finish_reason":null,"stop_reason":null,"token_ids":null,)"
          R"("prompt_logprobs":null,"prompt_token_ids":null}}],"usage":null}})",
          stamp_in_text ? kTextDigits : "tok"))),
      digits_(chunk_.find(kEmittedPrefix) + kEmittedPrefix.size()),
      text_(stamp_in_text ? chunk_.find(kTextDigits) : std::string::npos) {}

std::string_view EmittedEvent::stamped(std::int64_t monotonic_ns) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  auto rest = static_cast<std::uint64_t>(monotonic_ns);
  for (std::size_t i = kStampDigits; i-- > 0; rest >>= 4U)
    chunk_[digits_ + i] = kDigits[rest & 15U];
  if (text_ != std::string::npos)
    chunk_.replace(text_, kStampDigits, chunk_, digits_, kStampDigits);
  return chunk_;
}

std::string event_chunk(std::string_view data) {
  const std::string event = fmt::format("data: {}\n\n", data);
  return fmt::format("{:x}\r\n{}\r\n", event.size(), event);
}

std::string last_chunks(std::int64_t tokens) {
  return event_chunk(
             R"({"choices":[{"index":0,"text":"","finish_reason":"length"}],"usage":null})") +
         event_chunk(fmt::format(
             R"({{"choices":[],"usage":{{"prompt_tokens":8,"completion_tokens":{}}}}})", tokens)) +
         event_chunk("[DONE]") + "0\r\n\r\n";
}

}  // namespace tokenjoule
