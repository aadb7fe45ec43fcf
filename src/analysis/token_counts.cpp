#include "analysis/token_counts.hpp"

#include <algorithm>

#include "model/token_times.hpp"

namespace tokenjoule {

namespace {

/// Where the tokens of an answer without token events are put: when it was complete.
MonoTime answered_at(const RequestRecord& request) {
  if (request.usage) return *request.usage;
  if (request.finish) return *request.finish;
  return request.end.value_or(request.sent);
}

double tokens_in(const TokenEvent& event, const AnswerTokens& answer) {
  return answer.source == TokenSource::event_ids ? static_cast<double>(event.tokens.value_or(0))
                                                 : answer.per_event;
}

bool has_usage(const RequestRecord& request) { return request.output_tokens.has_value(); }

/// Adds `part` to a sum that is unknown as soon as one part is.
void add_known(std::optional<double>& sum, std::optional<double> part) {
  sum = sum && part ? std::optional(*sum + *part) : std::nullopt;
}

void count_outcome(TokenCounts& counts, const RequestRecord& request, double tokens) {
  if (request.outcome == Outcome::completed) *counts.output_good += tokens;
  if (request.outcome == Outcome::failed) *counts.output_by_failed += tokens;
  if (request.outcome == Outcome::cancelled) *counts.output_by_cancelled += tokens;
}

void count_in_window(ClientTokens& sum, const RequestRecord& request, const AnswerTokens& answer,
                     TimeSpan window) {
  const WindowShare share = share_in(request, answer, window);
  TokenCounts& counts = sum.counts;
  *counts.output += share.tokens;
  sum.start_bound += share.start_bound;
  sum.end_bound += share.end_bound;
  count_outcome(counts, request, share.tokens);
  if (share.tokens > 0) {
    const auto reasoning = request.reasoning_tokens;
    const double part = answer.total > 0 ? share.tokens / answer.total : 0;
    add_known(counts.output_reasoning,
              reasoning ? std::optional(static_cast<double>(*reasoning) * part) : std::nullopt);
  }
  // A prompt counts whole at its first token; one that never got that far was not delivered.
  const auto first = answer.first;
  const bool delivered = first || answer.total > 0;
  if (!delivered || !window.contains(first.value_or(answered_at(request)))) return;
  const auto cached = request.cached_tokens;
  add_known(counts.prompt_submitted, prompt_tokens_of(request));
  add_known(counts.prompt_cached,
            cached ? std::optional(static_cast<double>(*cached)) : std::nullopt);
}

void count_in_run(ClientTokens& sum, const RequestRecord& request, const AnswerTokens& answer) {
  sum.counts.text_events_run += answer.events;
  sum.output_run_low += answer.total;
  const bool cut_off = !has_usage(request) && request.outcome != Outcome::completed;
  const auto asked = static_cast<double>(request.output_tokens_asked);
  std::optional<double> most = answer.total;
  if (cut_off) most = asked > 0 ? std::optional(std::max(asked, answer.total)) : std::nullopt;
  add_known(sum.output_run_high, most);
  add_known(sum.prompt_run_high, prompt_tokens_of(request));
  if (request.outcome != Outcome::completed) return;
  sum.completed_run += answer.total;
  if (!request.prompt_tokens && request.input_tokens_asked > 0) ++sum.completed_prompts_as_asked;
  if (answer.source == TokenSource::events) ++sum.completed_by_events;
}

std::string source_of(const std::vector<RequestRecord>& requests,
                      const std::vector<AnswerTokens>& answers) {
  bool any_usage = false, any_ids = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].outcome != Outcome::completed) continue;
    if (answers[i].source == TokenSource::events) return "events_estimated";
    any_usage = any_usage || answers[i].source == TokenSource::usage;
    any_ids = any_ids || answers[i].source == TokenSource::event_ids;
  }
  if (any_usage) return "usage";
  return any_ids ? "event_ids" : "events_estimated";
}

}  // namespace

AnswerTokens tokens_of(const RequestRecord& request) {
  AnswerTokens answer;
  std::int64_t counted = 0;
  bool all_counted = true;
  TokenTimesReader reader(request.token_times, request.sent);
  while (const auto event = reader.next()) {
    ++answer.events;
    if (!answer.first) {
      answer.first = event->at;
      answer.first_event_tokens = event->tokens.value_or(0);
    }
    answer.last = event->at;
    all_counted = all_counted && event->tokens.has_value();
    counted += event->tokens.value_or(0);
  }
  const auto usage = request.output_tokens;
  if (answer.events > 0 && all_counted) answer.listed = static_cast<double>(counted);
  if (answer.listed && counted == usage.value_or(counted)) {
    answer.source = TokenSource::event_ids;
    answer.total = static_cast<double>(counted);
  } else if (usage) {
    answer.source = TokenSource::usage;
    answer.total = static_cast<double>(*usage);
  } else {
    answer.total = static_cast<double>(answer.events);
  }
  if (answer.events > 0) answer.per_event = answer.total / static_cast<double>(answer.events);
  return answer;
}

WindowShare share_in(const RequestRecord& request, const AnswerTokens& answer, TimeSpan window) {
  WindowShare share;
  if (!answer.first) {
    // No piece says when these came: somewhere between the send and the answer's end.
    const MonoTime at = answered_at(request);
    if (window.contains(at)) share.tokens = answer.total;
    if (request.sent < window.begin && at >= window.begin) share.start_bound = answer.total;
    if (request.sent < window.end && at >= window.end) share.end_bound = answer.total;
    return share;
  }
  TokenTimesReader reader(request.token_times, request.sent);
  while (const auto event = reader.next()) {
    if (event->at >= window.end) break;
    if (event->at >= window.begin) share.tokens += tokens_in(*event, answer);
  }
  if (answer.source != TokenSource::usage) return share;
  const auto cuts = [&](MonoTime edge) { return *answer.first < edge && *answer.last >= edge; };
  if (cuts(window.begin)) share.start_bound = answer.per_event;
  if (cuts(window.end)) share.end_bound = answer.per_event;
  return share;
}

std::optional<double> prompt_tokens_of(const RequestRecord& request) {
  if (request.prompt_tokens) return static_cast<double>(*request.prompt_tokens);
  if (request.input_tokens_asked > 0) return static_cast<double>(request.input_tokens_asked);
  return std::nullopt;
}

ClientTokens client_tokens(const std::vector<RequestRecord>& requests,
                           const std::vector<AnswerTokens>& answers,
                           std::optional<TimeSpan> window) {
  ClientTokens sum;
  if (requests.empty()) {
    sum.counts.reason = "no requests were recorded";
    return sum;
  }
  TokenCounts& counts = sum.counts;
  sum.output_run_high = sum.prompt_run_high = 0.0;
  if (window) {
    counts.output = counts.output_good = counts.output_reasoning = 0.0;
    counts.prompt_submitted = counts.prompt_cached = 0.0;
  } else {
    counts.reason = "there is no window";
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (window) count_in_window(sum, requests[i], answers[i], *window);
    count_in_run(sum, requests[i], answers[i]);
  }
  // Where nothing came nobody has said how much of it was reasoning.
  if (counts.output.value_or(0) <= 0) counts.output_reasoning.reset();
  counts.source = source_of(requests, answers);
  counts.client_output_run = sum.output_run_low;
  if (window) counts.edge_bound_output = sum.start_bound + sum.end_bound;
  return sum;
}

}  // namespace tokenjoule
