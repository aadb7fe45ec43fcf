#pragma once

#include <functional>

#include "base/result.hpp"
#include "io/http_client.hpp"

namespace tokenjoule {

/// Waits so long; false where it was told to stop meanwhile.
using WaitFor = std::function<bool(Seconds)>;

/// What a server is given at most to take a question of the probe, all waits together: as long as a
/// stream of the load heeds a Retry-After.
constexpr Seconds kProbePatience{60.0};

/// Asks, and asks again for as long as the server refuses for now (429, 502, 503, 504, 529) and
/// says by Retry-After when to come back: at most three times more, and kProbePatience in all. The
/// last reply, whatever it is; where a wait was told to stop, an error of kind interrupted. Where
/// `wait` is empty, nobody waits.
Result<HttpReply> asked_again(const std::function<Result<HttpReply>()>& ask, const WaitFor& wait);

/// "; it asks to wait 300 s", "" where the reply says nothing of it.
std::string asked_wait_words(const HttpReply& reply);

}  // namespace tokenjoule
