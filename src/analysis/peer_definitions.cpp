#include "analysis/peer_definitions.hpp"

#include <algorithm>

#include "analysis/statistics.hpp"
#include "model/token_times.hpp"

namespace tokenjoule {

namespace {

constexpr char kNothing[] = "no measured request completed with what this needs";

/// What a tool makes of the events of one answer.
struct Stamps {
  std::optional<MonoTime> first, last;
  std::vector<double> gaps;  ///< s
};

struct Rules {
  Stamps (*stamps)(const RequestRecord&, const AnswerTokens&);
  std::string_view requests;
  std::string_view ttft, itl, tpot, latency;  ///< definitions in words
  std::string_view ttft_name, itl_name, tpot_name, latency_name;
};

std::vector<TokenEvent> events_of(const RequestRecord& request) {
  std::vector<TokenEvent> events;
  TokenTimesReader reader(request.token_times, request.sent);
  while (const auto event = reader.next()) events.push_back(*event);
  return events;
}

double seconds_between(MonoTime from, MonoTime to) { return to_seconds(to - from).value(); }

std::vector<double> gaps_between(const std::vector<MonoTime>& times) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < times.size(); ++i) {
    gaps.push_back(seconds_between(times[i - 1], times[i]));
  }
  return gaps;
}

/// Every chunk with choices: a role alone, each piece of the answer, the reason of its end.
Stamps stamps_of_vllm(const RequestRecord& request, const AnswerTokens&) {
  std::vector<MonoTime> chunks;
  for (const TokenEvent& event : events_of(request)) chunks.push_back(event.at);
  // Token times are kept in whole microseconds: only what differs in those is another chunk.
  const auto add_apart = [&](const std::optional<MonoTime>& stamp) {
    if (!stamp) return;
    const MonoTime kept{stamp->ns / 1000 * 1000};
    if (std::find(chunks.begin(), chunks.end(), kept) == chunks.end()) chunks.push_back(kept);
  };
  add_apart(request.first_choices);
  add_apart(request.finish);
  std::sort(chunks.begin(), chunks.end());
  if (chunks.empty()) return {};
  return {chunks.front(), chunks.back(), gaps_between(chunks)};
}

/// Pieces with content alone, reasoning included.
Stamps stamps_of_aiperf(const RequestRecord& request, const AnswerTokens& answer) {
  std::vector<MonoTime> pieces;
  for (const TokenEvent& event : events_of(request)) pieces.push_back(event.at);
  return {answer.first, answer.last, gaps_between(pieces)};
}

/// First text to the very end of the stream; a gap is dealt out to the tokens of its piece where
/// their number is known, once for each.
Stamps stamps_of_sglang(const RequestRecord& request, const AnswerTokens& answer) {
  Stamps stamps;
  stamps.first = answer.first;
  for (const auto& stamp : {answer.last, request.finish, request.usage, request.done}) {
    if (stamp && (!stamps.last || *stamp > *stamps.last)) stamps.last = stamp;
  }
  const auto events = events_of(request);
  for (std::size_t i = 1; i < events.size(); ++i) {
    const auto tokens = answer.source == TokenSource::event_ids ? events[i].tokens.value_or(1) : 1;
    const double gap = seconds_between(events[i - 1].at, events[i].at);
    stamps.gaps.insert(stamps.gaps.end(),
                       static_cast<std::size_t>(std::max<std::int64_t>(tokens, 0)),
                       tokens > 0 ? gap / static_cast<double>(tokens) : 0);
  }
  return stamps;
}

const Rules& rules_of(PeerTool tool) {
  static const Rules vllm{
      stamps_of_vllm,
      "requests that completed; rates from the first send to the end of the last answer",
      "first chunk with choices, a role without text included - sent",
      "gaps between chunks with choices, all requests together; tokens in a chunk do not count",
      "(last chunk with choices - sent - TTFT) / (output tokens - 1), of each request",
      "last chunk with choices - sent",
      "TTFT",
      "ITL",
      "TPOT",
      "E2EL"};
  static const Rules aiperf{
      stamps_of_aiperf,
      "requests that completed; rates from the first send to the last piece of the last answer",
      "first piece with content, reasoning included - sent",
      "(request latency - time to first token) / (output tokens - 1), of each request",
      "gaps between pieces with content, all requests together",
      "last piece with content - sent",
      "Time to First Token",
      "Inter Token Latency",
      "Inter Chunk Latency",
      "Request Latency"};
  static const Rules sglang{
      stamps_of_sglang,
      "requests that completed; rates from the first send to the end of the last answer",
      "first piece with text - sent",
      "gaps between pieces, dealt out to the tokens of a piece where their number is known",
      "(end of the stream - sent - TTFT) / (output tokens - 1), of each request",
      "end of the stream, [DONE] included - sent",
      "TTFT",
      "ITL",
      "TPOT",
      "E2E Latency"};
  switch (tool) {
    case PeerTool::aiperf: return aiperf;
    case PeerTool::sglang: return sglang;
    case PeerTool::vllm: break;
  }
  return vllm;
}

/// All values that the tools print, from which each takes its own.
struct Counted {
  std::vector<double> ttft, per_token, gaps, latency, per_user;
  double output = 0, completed = 0, in_flight_s = 0;
  std::optional<double> prompt = 0;  ///< unknown as soon as one is
  std::optional<MonoTime> begin, end;
};

void count(Counted& all, const RequestRecord& request, const AnswerTokens& answer,
           const Rules& rules) {
  if (!all.begin || request.sent < *all.begin) all.begin = request.sent;
  if (request.outcome != Outcome::completed) return;
  const Stamps stamps = rules.stamps(request, answer);
  if (!stamps.first || !stamps.last) return;
  all.completed += 1;
  all.output += answer.total;
  const auto prompt = prompt_tokens_of(request);
  all.prompt = prompt && all.prompt ? std::optional(*all.prompt + *prompt) : std::nullopt;
  if (!all.end || *stamps.last > *all.end) all.end = stamps.last;
  const double latency = seconds_between(request.sent, *stamps.last);
  all.in_flight_s += latency;
  all.latency.push_back(latency);
  all.ttft.push_back(seconds_between(request.sent, *stamps.first));
  all.gaps.insert(all.gaps.end(), stamps.gaps.begin(), stamps.gaps.end());
  if (answer.total <= 1) return;
  const double per_token = seconds_between(*stamps.first, *stamps.last) / (answer.total - 1);
  all.per_token.push_back(per_token);
  if (per_token > 0) all.per_user.push_back(1 / per_token);
}

PeerMetric distribution(std::string_view name, std::string_view definition, std::string ours,
                        std::vector<double> values, std::string unit = "s") {
  PeerMetric metric{std::string(name), std::string(definition), std::move(ours)};
  metric.summary = summary_of(std::move(values), std::move(unit), kNothing);
  return metric;
}

PeerMetric rate(std::string name, std::string definition, std::string ours,
                std::optional<double> count, const Counted& all, std::string unit) {
  PeerMetric metric{std::move(name), std::move(definition), std::move(ours)};
  metric.unit = std::move(unit);
  const double duration = all.begin && all.end ? seconds_between(*all.begin, *all.end) : 0;
  if (!count) {
    metric.reason = "a prompt's tokens are not known";
  } else if (duration > 0) {
    metric.value = *count / duration;
  } else {
    metric.reason = kNothing;
  }
  return metric;
}

}  // namespace

PeerView counted_by(PeerTool tool, const Run& run, const std::vector<AnswerTokens>& answers) {
  const Rules& rules = rules_of(tool);
  Counted all;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    if (!run.requests[i].warmup) count(all, run.requests[i], answers[i], rules);
  }
  PeerView view{tool, std::string(rules.requests), {}};
  auto& metrics = view.metrics;
  // What AIPerf calls inter-token latency is the others' time per output token.
  const bool itl_per_request = tool == PeerTool::aiperf;
  metrics.push_back(distribution(rules.ttft_name, rules.ttft, "ttft_seconds", all.ttft));
  metrics.push_back(distribution(rules.itl_name, rules.itl,
                                 itl_per_request ? "tpot_seconds" : "itl_seconds",
                                 itl_per_request ? all.per_token : all.gaps));
  metrics.push_back(distribution(rules.tpot_name, rules.tpot,
                                 itl_per_request ? "itl_seconds" : "tpot_seconds",
                                 itl_per_request ? all.gaps : all.per_token));
  metrics.push_back(
      distribution(rules.latency_name, rules.latency, "e2e_latency_seconds", all.latency));
  if (tool == PeerTool::aiperf) {
    metrics.push_back(distribution("Output Token Throughput Per User",
                                   "1 / inter-token latency, of each request",
                                   "interactivity_tokens_per_second", all.per_user, "token/s"));
  }
  metrics.push_back(rate("Output token throughput", "output tokens / duration",
                         "output_tokens_per_second", all.output, all, "token/s"));
  metrics.push_back(rate("Total token throughput", "(prompt + output tokens) / duration", "",
                         all.prompt ? std::optional(*all.prompt + all.output) : std::nullopt, all,
                         "token/s"));
  metrics.push_back(
      rate("Request throughput", "completed requests / duration", "", all.completed, all, "1/s"));
  if (tool == PeerTool::sglang) {
    metrics.push_back(rate("Concurrency", "sum of E2E latencies / duration", "", all.in_flight_s,
                           all, "requests"));
  }
  return view;
}

}  // namespace tokenjoule
