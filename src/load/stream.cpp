#include "load/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "engines/refusal.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kFirstPause = milliseconds(100);
constexpr Nanoseconds kLongestPause = whole_seconds(2);
constexpr Nanoseconds kLongestRetryAfter = whole_seconds(60);  // more would outlast the window
constexpr std::int64_t kSecondsOfADay = 86'400;

/// "Wed, 21 Oct 2026 07:28:00 GMT" as unix seconds; the two obsolete forms are not read.
std::optional<std::int64_t> unix_seconds_in(std::string_view text) {
  std::tm parts{};
  const std::string date(text);
  const char* const end = ::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return ::timegm(&parts);
}

}  // namespace

Nanoseconds pause_after(int failures_in_row, std::optional<Nanoseconds> retry_after) {
  const int doublings = std::clamp(failures_in_row - 1, 0, 10);
  const Nanoseconds pause = std::min(kFirstPause * (std::int64_t{1} << doublings), kLongestPause);
  return std::max(pause, std::min(retry_after.value_or(Nanoseconds{}), kLongestRetryAfter));
}

std::optional<Nanoseconds> retry_after_in(std::string_view text, WallTime now) {
  const std::string_view value = trimmed(text);
  std::optional<std::int64_t> seconds = integer_in(value);
  // A number too large to be one is a wait all the same.
  const bool digits = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
  if (!seconds && digits) seconds = kSecondsOfADay;
  if (const auto date = unix_seconds_in(value)) seconds = *date - now.unix_ns / 1'000'000'000;
  if (!seconds || *seconds < 0) return std::nullopt;
  return whole_seconds(std::min(*seconds, kSecondsOfADay));
}

std::string refusal_text(const HttpHead& head, std::string_view body) {
  if (head.status >= 300 && head.status < 400) {
    return fmt::format(
        "redirected: http {}: sends on to \"{}\", which is not followed: give that URL",
        head.status, shown_location(head.location));
  }
  const Refusal refusal = refusal_of(head.status, body);
  return fmt::format("{}: http {}{}{}", refusal.kind, head.status,
                     refusal.message.empty() ? "" : ": ", refusal.message);
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
