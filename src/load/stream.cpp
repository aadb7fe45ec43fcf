#include "load/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kFirstPause = milliseconds(100);
constexpr Nanoseconds kLongestPause = whole_seconds(2);
constexpr std::int64_t kLongestRetryAfter = 30;  // seconds: a longer one would outlast the window

}  // namespace

Nanoseconds pause_after(int failures_in_row, std::string_view retry_after) {
  const int doublings = std::clamp(failures_in_row - 1, 0, 10);
  const Nanoseconds pause = std::min(kFirstPause * (std::int64_t{1} << doublings), kLongestPause);
  const std::int64_t asked = integer_in(trimmed(retry_after)).value_or(0);
  return std::max(pause, whole_seconds(std::clamp<std::int64_t>(asked, 0, kLongestRetryAfter)));
}

std::string refusal_text(const HttpHead& head, std::string_view body) {
  if (head.status >= 300 && head.status < 400) {
    return fmt::format("http_{}: sends on to \"{}\", which is not followed: give that URL",
                       head.status, quoted(head.location));
  }
  const std::string_view said = trimmed(body);
  return said.empty() ? fmt::format("http_{}", head.status)
                      : fmt::format("http_{}: {}", head.status, quoted(said));
}

std::string failure_text(int error) {
  switch (error) {
    case ECONNREFUSED: return "refused";
    case ECONNRESET:
    case EPIPE: return "reset";
    case ETIMEDOUT: return "timeout";
    case EMFILE:
    case ENFILE: return "no_descriptor: too many open files";
    case EADDRNOTAVAIL: return "no_port: all local ports are in use";
    default: return fmt::format("unreachable: {}", std::strerror(error));
  }
}

}  // namespace tokenjoule
