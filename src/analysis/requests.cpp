#include "analysis/requests.hpp"

#include <algorithm>

#include "analysis/statistics.hpp"

namespace tokenjoule {

namespace {

Seconds overlap(TimeSpan a, TimeSpan b) {
  const MonoTime begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
  return begin < end ? to_seconds(end - begin) : Seconds();
}

/// How much of a completed request lies in the window, 0..1.
double share_of(const RequestRecord& request, const AnswerTokens& answer, TimeSpan window) {
  const MonoTime last = answer.last.value_or(request.end.value_or(request.sent));
  const TimeSpan whole{request.sent, last};
  if (whole.end <= whole.begin) return window.contains(request.sent) ? 1 : 0;
  return overlap(whole, window) / to_seconds(whole.length());
}

/// What happened where there is no more to say than the class.
std::string_view words_for(std::string_view kind) {
  if (kind == "refused") return "nobody listens there: the connection was refused";
  if (kind == "reset") return "the server broke the connection off";
  if (kind == "timeout") return "no end of the answer in time (--timeout)";
  if (kind == "ended_early") return "the answer ended before it was whole";
  if (kind == "empty") return "the answer had no token";
  return {};
}

/// "class: message" of a failure; either may be all there is.
void count_failure(RequestCounts& counts, const RequestRecord& request) {
  ++*counts.failed;
  const auto colon = request.failure.find(": ");
  const std::string kind = request.failure.substr(0, colon);
  ++counts.failures[kind.empty() ? "unknown" : kind];
  const std::string_view words = words_for(kind);
  if (colon != std::string::npos) {
    counts.failure_messages.emplace(kind, request.failure.substr(colon + 2));
  } else if (!words.empty()) {
    counts.failure_messages.emplace(kind, words);
  }
}

/// The marks behind the load; without them the record was cut off while it ran.
bool load_ended(const Run& run) {
  return std::any_of(run.marks.begin(), run.marks.end(), [](const Mark& mark) {
    return mark.phase == Phase::drain || mark.phase == Phase::end;
  });
}

std::optional<std::int64_t> never_sent(const Run& run, bool open_loop) {
  if (!open_loop || !load_ended(run)) return std::nullopt;
  std::int64_t count = 0;
  for (const Loss& loss : run.losses) {
    if (loss.what == "arrival") count += loss.count;
  }
  return count;
}

}  // namespace

RequestCounts request_counts(const Run& run, const std::vector<AnswerTokens>& answers,
                             std::optional<TimeSpan> window, bool open_loop) {
  RequestCounts counts;
  counts.never_sent = never_sent(run, open_loop);
  counts.planned = static_cast<std::int64_t>(run.requests.size()) + counts.never_sent.value_or(0);
  counts.failed = counts.cancelled = 0;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& request = run.requests[i];
    if (request.retry_after) {
      ++counts.asked_to_wait;
      counts.longest_asked_wait =
          std::max(counts.longest_asked_wait.value_or(Seconds()), *request.retry_after);
    }
    switch (request.outcome) {
      case Outcome::completed:
        ++counts.completed;
        if (window) counts.in_window += share_of(request, answers[i], *window);
        break;
      case Outcome::failed: count_failure(counts, request); break;
      case Outcome::cancelled: ++*counts.cancelled; break;
    }
  }
  // What was under way then left no record.
  if (!run.close && !load_ended(run)) counts.planned = counts.cancelled = std::nullopt;
  return counts;
}

double mean_in_flight(const Run& run, TimeSpan window) {
  Seconds sum;
  for (const RequestRecord& request : run.requests) {
    sum += overlap({request.sent, request.end.value_or(window.end)}, window);
  }
  return sum / to_seconds(window.length());
}

MeanLengths mean_lengths(const Run& run, const std::vector<AnswerTokens>& answers) {
  std::vector<double> inputs, outputs;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& request = run.requests[i];
    if (request.outcome != Outcome::completed) continue;
    outputs.push_back(answers[i].total);
    if (const auto prompt = prompt_tokens_of(request)) inputs.push_back(*prompt);
  }
  return {mean_of(inputs), mean_of(outputs)};
}

}  // namespace tokenjoule
