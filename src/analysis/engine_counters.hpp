#pragma once

#include <optional>

#include "base/time.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// What the record says a counter means; nullptr where the engine does not have it.
const EngineCounter* meaning_of(const Run& run, EngineMetric metric);

/// How much a counter grew, and how far that may be off since the page rounds its values.
struct CounterGrowth {
  double grown = 0;
  double rounding = 0;
  /// What was counted between the two scrapes around an edge: the count there is no further off.
  double start_bound = 0, end_bound = 0;
};
/// Over the span, linear between the scrapes on both sides of each edge. nullopt where a side has
/// none, or the engine started again in between.
std::optional<CounterGrowth> growth_in(const Run& run, EngineMetric metric, TimeSpan span);

/// From the first send to the end of the last request; nullopt without requests.
std::optional<TimeSpan> load_span(const Run& run);

/// Over the whole load: between the last scrape before it and the first one behind it. For counters
/// that move at a request's end only this can be compared with the client. nullopt as growth_in().
std::optional<CounterGrowth> growth_over_load(const Run& run, EngineMetric metric);

/// Whether a counter fell, the process start moved, or the number of engines changed, between the
/// scrapes around the span.
bool restarted_in(const Run& run, TimeSpan span);

/// Means of the engine's gauges over the window's scrapes, and preemptions between its edges.
EngineState engine_state_in(const Run& run, TimeSpan window);

}  // namespace tokenjoule
