#include "load/asked_again.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "io/clock.hpp"
#include "load/stream.hpp"

namespace tokenjoule {

namespace {

constexpr int kMostTries = 4;
constexpr int kForNow[] = {429, 502, 503, 504, 529};
/// "Retry-After: 0" and a date that is now: not at once, all the same.
constexpr Seconds kShortestWait(0.1);

std::optional<Seconds> asked_wait(const HttpReply& reply) {
  const auto wait = retry_after_in(reply.retry_after, SystemClock().wall_now());
  return wait ? std::optional(to_seconds(*wait)) : std::nullopt;
}

}  // namespace

Result<HttpReply> asked_again(const std::function<Result<HttpReply>()>& ask, const WaitFor& wait) {
  Seconds left = kProbePatience;
  for (int tries = 1;; ++tries) {
    auto reply = ask();
    const bool for_now = reply && std::find(std::begin(kForNow), std::end(kForNow),
                                            reply->status) != std::end(kForNow);
    if (!for_now || !wait || tries == kMostTries) return reply;
    const auto asked = asked_wait(*reply);
    if (!asked || *asked > left) return reply;
    const Seconds pause = std::max(*asked, kShortestWait);
    if (!wait(pause)) {
      return failure(
          ErrorKind::interrupted,
          fmt::format("interrupted while the server asked to wait (status {})", reply->status));
    }
    left -= pause;
  }
}

std::string asked_wait_words(const HttpReply& reply) {
  const auto wait = asked_wait(reply);
  return wait ? fmt::format("; it asks to wait {:.0f} s", wait->value()) : "";
}

}  // namespace tokenjoule
