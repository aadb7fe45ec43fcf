#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tokenjoule {

/// One token as the emitter sends it: a completions event of vLLM's shape, as one HTTP chunk of 302
/// bytes, with its send time (CLOCK_MONOTONIC, nanoseconds) as 16 hexadecimal digits in its `id`.
class EmittedEvent {
 public:
  EmittedEvent() : EmittedEvent(false) {}
  /// @param stamp_in_text the event's text is a blank and the same 16 digits, for clients that give
  /// texts but no ids; it is then 315 bytes.
  explicit EmittedEvent(bool stamp_in_text);
  /// The chunk with this send time; valid until the next call.
  std::string_view stamped(std::int64_t monotonic_ns);

 private:
  std::string chunk_;
  std::size_t digits_;  ///< where they begin
  std::size_t text_;    ///< where the text's digits begin; npos: the text is " tok"
};

/// What an emitted event begins with; 16 digits follow.
constexpr std::string_view kEmittedPrefix = "data: {\"id\":\"tj-";
constexpr std::size_t kStampDigits = 16;

/// Calls `visit(monotonic_ns)` for the send time of each emitted event that begins in `bytes`, with
/// or without chunk framing around. An event whose digits are cut off is passed over.
template <typename Visit>
void for_each_send_time(std::string_view bytes, Visit visit) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at < end) {
    at = static_cast<const char*>(::memmem(at, static_cast<std::size_t>(end - at),
                                           kEmittedPrefix.data(), kEmittedPrefix.size()));
    if (at == nullptr) return;
    at += kEmittedPrefix.size();
    if (static_cast<std::size_t>(end - at) < kStampDigits) return;
    std::int64_t sent_ns = 0;
    const auto parsed = std::from_chars(at, at + kStampDigits, sent_ns, 16);
    if (parsed.ptr == at + kStampDigits) visit(sent_ns);
  }
}

/// `data` as one HTTP chunk that holds one server-sent event.
std::string event_chunk(std::string_view data);

/// What ends an answer of so many tokens: finish reason, usage, [DONE], the last chunk.
std::string last_chunks(std::int64_t tokens);

}  // namespace tokenjoule
