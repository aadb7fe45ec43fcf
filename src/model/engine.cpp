#include "model/engine.hpp"

#include <iterator>

namespace tokenjoule {

namespace {

constexpr std::string_view kMetrics[] = {
    "output_tokens",
    "prompt_tokens",
    "prompt_tokens_computed",
    "prompt_tokens_cached",
    "preemptions",
    "requests_finished",
    "requests_running",
    "requests_waiting",
    "cache_use",
    "process_start",
    "output_tokens_computed",
    "draft_tokens",
    "draft_tokens_accepted",
    "requests_aborted",
    "engines",
};
constexpr std::string_view kLengths[] = {"prompt_tokens", "output_tokens"};
constexpr std::string_view kClocks[] = {"per_step", "at_finish", "gauge", "at_arrival"};

template <typename Enum, std::size_t N>
std::optional<Enum> named(const std::string_view (&names)[N], std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(EngineMetric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }
std::optional<EngineMetric> engine_metric_named(std::string_view name) {
  return named<EngineMetric>(kMetrics, name);
}
std::string_view name_of(CounterClock clock) { return kClocks[static_cast<std::size_t>(clock)]; }
std::optional<CounterClock> counter_clock_named(std::string_view name) {
  return named<CounterClock>(kClocks, name);
}
std::string_view name_of(RequestLength length) {
  return kLengths[static_cast<std::size_t>(length)];
}
std::optional<RequestLength> request_length_named(std::string_view name) {
  return named<RequestLength>(kLengths, name);
}

}  // namespace tokenjoule
