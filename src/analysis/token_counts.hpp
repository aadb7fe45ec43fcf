#pragma once

#include <optional>
#include <vector>

#include "base/time.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// Where the number of tokens of one answer comes from.
enum class TokenSource {
  event_ids,  ///< each event says how many it holds, and the sum agrees with usage (or there is
              ///< none)
  usage,      ///< usage.completion_tokens, spread evenly over the events
  events,     ///< no usage: one token an event
};

/// One answer, decoded: how many tokens, and when.
struct AnswerTokens {
  double total = 0;
  TokenSource source = TokenSource::events;
  std::int64_t events = 0;
  std::optional<double> listed;  ///< sum of what the events state, where each does
  double per_event = 1;          ///< of an even spread; events that say their own count differ
  std::optional<MonoTime> first, last;  ///< token events
  std::int64_t first_event_tokens = 0;  ///< with TokenSource::event_ids only
};
AnswerTokens tokens_of(const RequestRecord& request);

/// The part of an answer that came in the window: events with begin <= time < end.
struct WindowShare {
  double tokens = 0;
  double start_bound = 0,
         end_bound = 0;  ///< tokens of one event of an even spread that is cut there
};
WindowShare share_in(const RequestRecord& request, const AnswerTokens& answer, TimeSpan window);

/// Tokens of a request's prompt: usage, else what was asked for; nullopt if neither is known.
std::optional<double> prompt_tokens_of(const RequestRecord& request);

/// What all requests say of the window and of the whole load. `answers` as tokens_of() each
/// request.
struct ClientTokens {
  TokenCounts counts;  ///< engine parts not yet filled in
  double start_bound = 0, end_bound = 0;
  std::int64_t completed_by_events = 0;         ///< completed answers that lacked usage
  std::int64_t completed_prompts_as_asked = 0;  ///< completed answers without a count of the prompt
  double completed_run = 0;                     ///< output tokens of all completed requests
  // Bounds for the whole load: an answer cut off without usage may have cost the engine up to what
  // was asked for.
  double output_run_low = 0;
  std::optional<double> output_run_high;
  std::optional<double> prompt_run_high;
};
ClientTokens client_tokens(const std::vector<RequestRecord>& requests,
                           const std::vector<AnswerTokens>& answers,
                           std::optional<TimeSpan> window);

}  // namespace tokenjoule
