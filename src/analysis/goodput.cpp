#include "analysis/goodput.hpp"

#include "analysis/requests.hpp"

namespace tokenjoule {

namespace {

bool within(const std::optional<Seconds>& limit, Nanoseconds time) {
  return !limit || to_seconds(time) <= *limit;
}

bool tpot_within(const std::optional<Seconds>& limit, const AnswerTokens& answer) {
  if (!limit || answer.total <= 1) return true;
  if (answer.events < 2) return false;
  return to_seconds(*answer.last - *answer.first) <= (answer.total - 1) * *limit;
}

}  // namespace

bool meets(const ServiceLevel& level, const RequestRecord& request, const AnswerTokens& answer,
           bool open_loop) {
  if (request.outcome != Outcome::completed || !answer.first) return false;
  const MonoTime from = open_loop ? request.planned : request.sent;
  return within(level.ttft, *answer.first - from) && within(level.e2e, *answer.last - from) &&
         tpot_within(level.tpot, answer);
}

Goodput goodput_in(const Run& run, const std::vector<AnswerTokens>& answers, TimeSpan window,
                   const ServiceLevel& level, bool open_loop) {
  Goodput goodput;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    if (!asked_in(run.requests[i], window, open_loop)) continue;
    ++goodput.sent;
    goodput.good += meets(level, run.requests[i], answers[i], open_loop) ? 1 : 0;
  }
  return goodput;
}

double good_tokens_in(const Run& run, const std::vector<AnswerTokens>& answers, TimeSpan window,
                      const ServiceLevel& level, bool open_loop) {
  double tokens = 0;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    if (!meets(level, run.requests[i], answers[i], open_loop)) continue;
    tokens += share_in(run.requests[i], answers[i], window).tokens;
  }
  return tokens;
}

}  // namespace tokenjoule
