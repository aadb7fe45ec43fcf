#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/requests.hpp"
#include "analysis/statistics.hpp"
#include "model/token_times.hpp"

namespace tokenjoule {

namespace {

/// All values, from which the summaries are made.
struct LatencyValues {
  std::vector<double> ttft, tpot, tpot_behind_first, interactivity, itl, itl_upper, e2e;
  bool any_censored = false;
};

/// Gaps of one read: to its first event, and 0 to those that shared the read. Where they came late
/// together, each gap may have been anything from 0 to the whole.
class GapReader {
 public:
  GapReader(LatencyValues& values, const AnswerTokens& answer) : values_(values), answer_(answer) {}

  void take(const TokenEvent& event) {
    if (!previous_) {
      previous_ = event.at;
      return;
    }
    const double tokens = answer_.source == TokenSource::event_ids
                              ? static_cast<double>(event.tokens.value_or(0))
                              : answer_.per_event;
    const double gap = to_seconds(event.at - *previous_).value();
    if (gap > 0) longest_ = gap;
    previous_ = event.at;
    if (tokens <= 0) return;
    values_.itl.push_back(gap / tokens);
    values_.itl_upper.push_back((event.censored ? std::max(longest_, gap) : gap) / tokens);
    values_.any_censored = values_.any_censored || event.censored;
  }

 private:
  LatencyValues& values_;
  const AnswerTokens& answer_;
  std::optional<MonoTime> previous_;
  double longest_ = 0;
};

void take_gaps(LatencyValues& values, const RequestRecord& request, const AnswerTokens& answer) {
  GapReader gaps(values, answer);
  TokenTimesReader reader(request.token_times, request.sent);
  while (const auto event = reader.next()) gaps.take(*event);
}

void take_request(LatencyValues& values, const RequestRecord& request, const AnswerTokens& answer,
                  bool open_loop) {
  if (!answer.first) return;
  const MonoTime from = open_loop ? request.planned : request.sent;
  values.ttft.push_back(to_seconds(*answer.first - from).value());
  values.e2e.push_back(to_seconds(*answer.last - from).value());
  // One event with several tokens has no rate: all of them came at once.
  if (answer.total > 1 && answer.events > 1) {
    const double tpot = to_seconds(*answer.last - *answer.first).value() / (answer.total - 1);
    values.tpot.push_back(tpot);
    if (tpot > 0) values.interactivity.push_back(1 / tpot);
  }
  const double behind_first = answer.total - static_cast<double>(answer.first_event_tokens);
  if (answer.source == TokenSource::event_ids && answer.events > 1 && behind_first > 0) {
    values.tpot_behind_first.push_back(to_seconds(*answer.last - *answer.first).value() /
                                       behind_first);
  }
  take_gaps(values, request, answer);
}

}  // namespace

std::map<std::string, Summary> latencies(const Run& run, const std::vector<AnswerTokens>& answers,
                                         std::optional<TimeSpan> window, bool open_loop) {
  LatencyValues values;
  for (std::size_t i = 0; window && i < run.requests.size(); ++i) {
    const RequestRecord& request = run.requests[i];
    if (request.outcome != Outcome::completed || !window->contains(request.sent)) continue;
    take_request(values, request, answers[i], open_loop);
  }
  const std::string none = run.requests.empty()
                               ? "no requests were recorded"
                               : "no request that was sent in the window completed with tokens";
  const std::string no_gaps =
      run.requests.empty() ? none : "no request that was sent in the window brought two tokens";
  std::map<std::string, Summary> all;
  all["ttft_seconds"] = summary_of(std::move(values.ttft), "s", none);
  all["e2e_latency_seconds"] = summary_of(std::move(values.e2e), "s", none);
  all["tpot_seconds"] = summary_of(std::move(values.tpot), "s", no_gaps);
  if (!values.tpot_behind_first.empty()) {
    all["tpot_behind_first_event_seconds"] =
        summary_of(std::move(values.tpot_behind_first), "s", no_gaps);
  }
  all["interactivity_tokens_per_second"] =
      summary_of(std::move(values.interactivity), "token/s", no_gaps);
  all["itl_seconds"] = summary_of(std::move(values.itl), "s", no_gaps);
  if (values.any_censored) {
    all["itl_upper_seconds"] = summary_of(std::move(values.itl_upper), "s", no_gaps);
  }
  return all;
}

}  // namespace tokenjoule
