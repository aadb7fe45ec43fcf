#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/order_statistics.hpp"
#include "analysis/requests.hpp"
#include "analysis/statistics.hpp"
#include "model/token_times.hpp"

namespace tokenjoule {

namespace {

/// All values but the gaps between tokens, from which the summaries are made.
struct LatencyValues {
  std::vector<double> ttft, tpot, tpot_behind_first, interactivity, e2e, visible, tail;
  bool visible_later = false;  ///< than the first token, somewhere
};

/// A gap between tokens: the least and the most that it can have been.
struct TokenGap {
  double lower = 0;
  double upper = 0;
};
using TakeGap = std::function<void(const TokenGap&)>;

/// Gaps of one read: to its first event, and 0 to those that shared the read. Where they came late
/// together, each gap may have been anything from 0 to the whole.
class GapReader {
 public:
  GapReader(const TakeGap& take, const AnswerTokens& answer) : take_(take), answer_(answer) {}

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
    take_({gap / tokens, (event.censored ? std::max(longest_, gap) : gap) / tokens});
  }

 private:
  const TakeGap& take_;
  const AnswerTokens& answer_;
  std::optional<MonoTime> previous_;
  double longest_ = 0;
};

/// The requests that count: they completed, and the window asks about them.
struct Counted {
  TimeSpan window;
  bool open_loop = false;

  bool has(const RequestRecord& request) const {
    return request.outcome == Outcome::completed && asked_in(request, window, open_loop);
  }
};

/// All gaps of the run's requests that count. There is one for nearly every token, too many to
/// hold.
void for_each_gap(const Run& run, const std::vector<AnswerTokens>& answers, const Counted& counted,
                  const TakeGap& take) {
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& request = run.requests[i];
    if (!answers[i].first || !counted.has(request)) continue;
    GapReader gaps(take, answers[i]);
    TokenTimesReader reader(request.token_times, request.sent);
    while (const auto event = reader.next()) gaps.take(*event);
  }
}

/// The summaries of gaps: one where all are known, else one at either extreme.
void add_gaps(std::map<std::string, Summary>& all, const Run& run,
              const std::vector<AnswerTokens>& answers, const std::optional<Counted>& counted,
              const std::string& reason_if_none) {
  const auto each = [&](double TokenGap::*extreme) {
    return [&, extreme](const std::function<void(double)>& take) {
      if (!counted) return;
      for_each_gap(run, answers, *counted, [&](const TokenGap& gap) { take(gap.*extreme); });
    };
  };
  bool differ = false;
  if (counted) {
    for_each_gap(run, answers, *counted,
                 [&](const TokenGap& gap) { differ = differ || gap.upper != gap.lower; });
  }
  all["itl_seconds"] = summary_of_many(each(&TokenGap::lower), "s", reason_if_none);
  if (differ) {
    all["itl_upper_seconds"] = summary_of_many(each(&TokenGap::upper), "s", reason_if_none);
  }
}

void take_request(LatencyValues& values, const RequestRecord& request, const AnswerTokens& answer,
                  bool open_loop) {
  if (!answer.first) return;
  const MonoTime from = open_loop ? request.planned : request.sent;
  values.ttft.push_back(to_seconds(*answer.first - from).value());
  values.e2e.push_back(to_seconds(*answer.last - from).value());
  if (request.first_visible) {
    values.visible.push_back(to_seconds(*request.first_visible - from).value());
    // Token times are whole microseconds.
    const bool later = *request.first_visible - *answer.first > microseconds(1);
    values.visible_later = values.visible_later || later;
  }
  if (request.end) {
    const MonoTime end{request.end->ns - request.end->ns % 1000};  // as token times are
    values.tail.push_back(to_seconds(end - *answer.last).value());
  }
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
}

}  // namespace

bool asked_in(const RequestRecord& request, TimeSpan window, bool open_loop) {
  return window.contains(open_loop ? request.planned : request.sent);
}

std::map<std::string, Summary> latencies(const Run& run, const std::vector<AnswerTokens>& answers,
                                         std::optional<TimeSpan> window, bool open_loop) {
  LatencyValues values;
  std::optional<Counted> counted;
  if (window) counted = {*window, open_loop};
  for (std::size_t i = 0; counted && i < run.requests.size(); ++i) {
    const RequestRecord& request = run.requests[i];
    if (!counted->has(request)) continue;
    take_request(values, request, answers[i], open_loop);
  }
  const std::string none = run.requests.empty() ? "no requests were recorded"
                           : open_loop
                               ? "no request that was planned in the window completed with tokens"
                               : "no request that was sent in the window completed with tokens";
  const std::string no_gaps =
      values.e2e.empty() ? none
                         : "no answer to a request of the window came in two events or more: "
                           "there is no gap to measure";
  std::map<std::string, Summary> all;
  all["ttft_seconds"] = summary_of(std::move(values.ttft), "s", none);
  all["e2e_latency_seconds"] = summary_of(std::move(values.e2e), "s", none);
  if (values.visible_later) {
    all["first_visible_seconds"] = summary_of(std::move(values.visible), "s", none);
  }
  if (!values.tail.empty()) {
    all["stream_tail_seconds"] = summary_of(std::move(values.tail), "s", none);
  }
  all["tpot_seconds"] = summary_of(std::move(values.tpot), "s", no_gaps);
  if (!values.tpot_behind_first.empty()) {
    all["tpot_behind_first_event_seconds"] =
        summary_of(std::move(values.tpot_behind_first), "s", no_gaps);
  }
  all["interactivity_tokens_per_second"] =
      summary_of(std::move(values.interactivity), "token/s", no_gaps);
  add_gaps(all, run, answers, counted, no_gaps);
  return all;
}

}  // namespace tokenjoule
