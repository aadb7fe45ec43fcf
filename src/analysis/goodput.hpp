#pragma once

#include <vector>

#include "analysis/token_counts.hpp"
#include "model/run.hpp"
#include "model/slo.hpp"

namespace tokenjoule {

/// Whether the request completed with tokens and kept to every limit that is set. Times count from
/// the send; in an open loop from the planned time. One token has no time per output token, and
/// keeps to any limit of it; several tokens that came as one event have an unknown one, and keep to
/// none.
bool meets(const ServiceLevel& level, const RequestRecord& request, const AnswerTokens& answer,
           bool open_loop);

/// Of the requests asked in the window (asked_in()): all of them, also those that failed or were
/// cancelled, and those that met the service level.
struct Goodput {
  std::int64_t sent = 0;
  std::int64_t good = 0;
};
Goodput goodput_in(const Run& run, const std::vector<AnswerTokens>& answers, TimeSpan window,
                   const ServiceLevel& level, bool open_loop);

/// Output tokens of the window of requests that met the service level.
double good_tokens_in(const Run& run, const std::vector<AnswerTokens>& answers, TimeSpan window,
                      const ServiceLevel& level, bool open_loop);

}  // namespace tokenjoule
