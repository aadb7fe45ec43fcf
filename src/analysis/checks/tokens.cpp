#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/engine_counters.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

constexpr const char* kStopOthers =
    "stop other clients of the engine, or measure one that is yours "
    "alone";
constexpr const char* kCompareCounts =
    "compare usage with the engine's counters by hand: docs/"
    "checks.md, tokens_disagree";

/// How far `counted` lies above or below what is explained, relative to what is explained.
double share_off(double off, double explained) {
  if (off <= 0) return 0;
  return explained > 0 ? off / explained : std::numeric_limits<double>::infinity();
}

Severity severity_of(double share) {
  return share > thresholds::kTokensOffSpoils ? Severity::unusable : Severity::care;
}

/// Output tokens of the whole load. Fewer at the engine than the client saw: the counts disagree.
/// More: somebody else's tokens, unless the client only guessed its own from the events.
void compare_output(const Facts& facts, Gathered& disagree, Gathered& foreign) {
  const TokenFacts& tokens = facts.tokens;
  const auto engine = tokens.client.counts.engine_counter_output_run;
  if (!engine) return;
  // A counter that moves at a request's end may never have charged one that was broken off.
  const EngineCounter* meaning = meaning_of(facts.run, EngineMetric::output_tokens);
  const bool at_finish = meaning != nullptr && meaning->clock == CounterClock::at_finish;
  const double low = at_finish ? tokens.client.completed_run : tokens.client.output_run_low;
  const double missing = share_off(low - *engine - tokens.output_rounding, low);
  const std::string words = fmt::format(
      "the engine counted {:.0f} output tokens over the load, the "
      "client {:.0f}",
      *engine, low);
  if (missing > thresholds::kTokensOff) disagree.add(severity_of(missing), words);
  const auto high = tokens.client.output_run_high;
  if (!high) return;
  const double more = share_off(*engine - *high - tokens.output_rounding, *high);
  if (more <= thresholds::kTokensOff) return;
  (tokens.client.completed_by_events > 0 ? disagree : foreign).add(severity_of(more), words);
}

/// The number of output tokens asked for is sent as a limit: usage above it is wrong, or the engine
/// did not keep to it. Far more than any event holds is no count of tokens.
void compare_with_limit(const Facts& facts, Gathered& disagree) {
  double above = 0, asked = 0, events = 0, counted = 0;
  for (std::size_t i = 0; i < facts.run.requests.size(); ++i) {
    const RequestRecord& request = facts.run.requests[i];
    const auto limit = static_cast<double>(request.output_tokens_asked);
    if (!request.output_tokens || limit <= 0) continue;
    const auto usage = static_cast<double>(*request.output_tokens);
    asked += limit;
    counted += usage;
    above += std::max(0.0, usage - limit);
    events += static_cast<double>(std::max<std::int64_t>(1, request.token_events));
  }
  if (share_off(above, asked) <= thresholds::kTokensOff) return;
  const bool absurd = counted > thresholds::kMostTokensOfAnEvent * std::max(events, asked);
  disagree.add(absurd ? Severity::unusable : Severity::care,
               fmt::format("usage says {:.6g} output tokens where at most {:.0f} were asked for",
                           counted, asked));
}

/// Where each event states its tokens (by their ids, or by a usage that grows), they must add up to
/// the usage at the end; an end-of-text token may be counted there and not be listed.
void compare_with_events(const Facts& facts, Gathered& disagree) {
  double listed = 0, counted = 0, answers = 0;
  for (std::size_t i = 0; i < facts.run.requests.size(); ++i) {
    const RequestRecord& request = facts.run.requests[i];
    const AnswerTokens& answer = facts.tokens.answers[i];
    if (request.outcome != Outcome::completed || !request.output_tokens || !answer.listed) continue;
    listed += *answer.listed;
    counted += static_cast<double>(*request.output_tokens);
    ++answers;
  }
  const double off = std::abs(counted - listed);
  const double share = share_off(off - (counted > listed ? answers : 0), counted);
  if (share <= thresholds::kTokensOff) return;
  disagree.add(severity_of(share),
               fmt::format("the events of completed answers state {:.0f} output "
                           "tokens, their usage {:.0f}",
                           listed, counted));
}

/// Prompt tokens of the whole load. A preempted request's prompt may be counted again, so that more
/// of them prove nothing then.
void compare_prompts(const Facts& facts, Gathered& foreign) {
  const auto engine = facts.tokens.prompt_run_by_engine;
  const auto high = facts.tokens.client.prompt_run_high;
  const auto preemptions = growth_over_load(facts.run, EngineMetric::preemptions);
  if (!engine || !high || (preemptions && preemptions->grown > 0)) return;
  const double more = share_off(*engine - *high - facts.tokens.prompt_rounding, *high);
  if (more <= thresholds::kTokensOff) return;
  foreign.add(severity_of(more), fmt::format("the engine counted {:.0f} prompt tokens over the "
                                             "load, {:.0f} were sent",
                                             *engine, *high));
}

void check_cache_hits(const Facts& facts, std::vector<CheckFinding>& findings) {
  const TokenCounts& counts = facts.tokens.client.counts;
  if (!facts.settings.unique_prompts || facts.run.requests.empty()) return;
  if (!counts.prompt_cached || counts.prompt_submitted.value_or(0) <= 0) return;
  const double share = *counts.prompt_cached / *counts.prompt_submitted;
  if (share <= thresholds::kCacheHits) return;
  Gathered hits("prompt_cache_hits",
                "use another --prompt-nonce or --seed, or switch prefix caching off");
  hits.add(Severity::care, fmt::format("{:.1f} % of the prompt tokens came from a cache although "
                                       "the prompts are meant to be new",
                                       100 * share));
  hits.append_to(findings);
}

/// Prompts of the program's own are made to a length; another one is another load than asked for.
void check_prompt_length(const Facts& facts, std::vector<CheckFinding>& findings) {
  if (!facts.settings.random_prompts) return;
  double asked = 0, counted = 0;
  for (const RequestRecord& request : facts.run.requests) {
    const bool known = request.prompt_tokens && request.input_tokens_asked > 0;
    if (request.outcome != Outcome::completed || !known) continue;
    asked += static_cast<double>(request.input_tokens_asked);
    counted += static_cast<double>(*request.prompt_tokens);
  }
  if (std::abs(counted - asked) <= thresholds::kPromptLengthOff * asked) return;
  Gathered differs("prompt_length_differs",
                   "give the engine's own tokenizer, or state the length that it counted");
  differs.add(Severity::care, fmt::format("the engine counted {:.0f} prompt tokens in completed "
                                          "requests, {:.0f} were asked for",
                                          counted, asked));
  differs.append_to(findings);
}

/// Of the prompts of an engine that tells nothing of them only their asked lengths are known.
void check_prompts_counted(const Facts& facts, std::vector<CheckFinding>& findings) {
  const std::int64_t as_asked = facts.tokens.client.completed_prompts_as_asked;
  if (as_asked == 0 || facts.tokens.prompt_run_by_engine) return;
  Gathered estimated("prompts_estimated",
                     "use an engine that sends usage in streams, or one that "
                     "has a counter of prompt tokens");
  estimated.add(Severity::note,
                fmt::format("{} completed answers came without a count of their prompt, and the "
                            "engine has no counter of prompts: they are taken to be as long as "
                            "asked for, how far that is off is not known",
                            as_asked));
  estimated.append_to(findings);
}

void check_counted(const Facts& facts, std::vector<CheckFinding>& findings) {
  const TokenFacts& tokens = facts.tokens;
  Gathered estimated("tokens_estimated", "use an engine that sends usage in streams");
  if (tokens.client.completed_by_events > 0) {
    estimated.add(Severity::care,
                  fmt::format("{} completed answers came without usage: their tokens are counted "
                              "by events",
                              tokens.client.completed_by_events));
  }
  estimated.append_to(findings);
  if (!facts.window.span || !tokens.expected) return;
  if (tokens.client.counts.output.value_or(0) > 0) return;
  Gathered none("no_tokens", "see the failures of the requests, and the engine's log");
  none.add(Severity::unusable, "no output token came in the window");
  none.append_to(findings);
}

}  // namespace

void check_tokens(const Facts& facts, std::vector<CheckFinding>& findings) {
  Gathered disagree("tokens_disagree", kCompareCounts);
  Gathered foreign("foreign_traffic", kStopOthers);
  compare_output(facts, disagree, foreign);
  compare_with_limit(facts, disagree);
  compare_with_events(facts, disagree);
  compare_prompts(facts, foreign);
  if (facts.tokens.engine_restarted) {
    disagree.add(Severity::care,
                 "the engine's counters started again during the load: they cannot "
                 "be compared");
  }
  disagree.append_to(findings);
  foreign.append_to(findings);
  check_counted(facts, findings);
  check_prompts_counted(facts, findings);
  check_cache_hits(facts, findings);
  check_prompt_length(facts, findings);
}

}  // namespace tokenjoule
