#pragma once

#include <optional>

#include "base/time.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// What the engine's page says of the requests that finished in the window: how many, how they
/// ended, how long they were. nullopt where our own client made the requests, or no page was read.
/// Counts are linear between the scrapes on both sides of an edge; across a restart nothing is
/// known.
std::optional<EngineRequests> engine_requests_in(const Run& run, TimeSpan window);

/// The value below which a share of the values lies, linear inside its bucket as Prometheus'
/// histogram_quantile has it; the first bucket begins at 0. nullopt for an empty histogram.
/// @param share in (0, 1).
std::optional<BucketQuantile> quantile_of(const LengthHistogram& histogram, double share);

}  // namespace tokenjoule
