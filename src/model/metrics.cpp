#include "model/metrics.hpp"

namespace tokenjoule {

namespace {

constexpr Metric kMetrics[] = {
    {"joules_per_output_token", "J/token", "energy per output token",
     "Energy of the window divided by all output tokens of the window, also those of failed and "
     "cancelled requests.",
     "M17", true, false},
    {"joules_per_total_token", "J/token", "energy per prompt and output token",
     "Energy of the window divided by prompt tokens submitted plus output tokens.", "M18", true,
     false},
    {"joules_per_computed_token", "J/token", "energy per computed prompt and output token",
     "Energy of the window divided by prompt tokens computed (cache hits left out) plus output "
     "tokens.",
     "M19", true, false},
    {"joules_per_good_output_token", "J/token", "energy per output token of completed requests",
     "Energy of the window divided by output tokens of requests that completed and, where a "
     "service "
     "level is set, met it.",
     "M20", true, false},
    {"watt_hours_per_query", "Wh", "energy per query",
     "Energy of the window divided by the completed requests' shares that lie in the window.",
     "M21", true, false},
    {"watt_hours_per_million_output_tokens", "Wh/Mtoken", "energy per million output tokens",
     "Energy per output token, times 10^6 / 3600.", "M22", true, false},
    {"watt_hours_per_million_total_tokens", "Wh/Mtoken", "energy per million tokens",
     "Energy per prompt and output token, times 10^6 / 3600.", "M22", true, false},
    {"mean_watts", "W", "mean power", "Energy of the window divided by its length.", "M35", true,
     false},
    {"output_tokens_per_second", "token/s", "output throughput",
     "Output tokens of the window divided by its length.", "M23", false, false},
    {"output_tokens_per_second_per_user", "token/s", "output throughput per user",
     "Output throughput divided by the mean number of requests in flight.", "M24", false, false},
    {"good_request_share", "share", "requests that met the service level",
     "Requests sent in the window (open loop: planned in it) that met every limit set, divided by "
     "all of those; given where a limit is set.",
     "M36", false, false},
    {"good_requests_per_second", "request/s", "goodput",
     "Requests sent in the window (open loop: planned in it) that met every limit set, divided by "
     "its length; given where a limit is set.",
     "M37", false, false},
    {"interactivity_tokens_per_second", "token/s", "interactivity",
     "One divided by the time per output token of each request; p5 are the slow users.", "M27",
     false, true},
    {"ttft_seconds", "s", "time to first token",
     "First content or reasoning token minus the send time (closed loop) or the planned send time "
     "(open loop).",
     "M25", false, true},
    {"first_visible_seconds", "s", "time to first visible token",
     "First text, tool call or refusal that is no reasoning, minus the send time (closed loop) or "
     "the planned send time (open loop); given where reasoning came before it.",
     "M42", false, true},
    {"tpot_seconds", "s", "time per output token",
     "Last token minus first token, divided by the tokens less one, per request.", "M26", false,
     true},
    {"tpot_behind_first_event_seconds", "s", "time per output token behind the first event",
     "Last token minus first token, divided by the tokens behind the first event, per request; "
     "given "
     "where each event says how many it holds.",
     "M38", false, true},
    {"itl_seconds", "s", "inter-token latency",
     "Gap between two token events divided by the tokens of the later one; events that shared a "
     "late read count as simultaneous.",
     "M28", false, true},
    {"itl_upper_seconds", "s", "inter-token latency, upper extreme",
     "As itl_seconds, each unknown gap at its longest; given where gaps are unknown.", "M28", false,
     true},
    {"e2e_latency_seconds", "s", "end-to-end latency",
     "Last token minus the send time (closed loop) or the planned send time (open loop).", "M29",
     false, true},
    {"stream_tail_seconds", "s", "tail of the stream",
     "End of the answer minus its last token: what finish reason, usage and [DONE] take behind it.",
     "M43", false, true},
};

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

const Metric* metric_named(std::string_view key) {
  for (const Metric& metric : kMetrics) {
    if (metric.key == key) return &metric;
  }
  return nullptr;
}

}  // namespace tokenjoule
