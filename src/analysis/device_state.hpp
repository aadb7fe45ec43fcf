#pragma once

#include <optional>

#include "analysis/series.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// A device's line with all that is not energy: names, limits, temperature, clocks, use,
/// throttling. Means are over the readings in the span; what is not read is absent.
DeviceEnergy state_of_device(const Run& run, const SeriesTable& series, const Device& device,
                             TimeSpan span);

/// Lowest and highest value of the enforced power limit from the last reading before the span to
/// the first behind it; nullopt where it is not read.
struct LimitRange {
  Watts lowest, highest;
};
std::optional<LimitRange> enforced_limit_in(const Run& run, const SeriesTable& series,
                                            const Device& device, TimeSpan span);

/// How much a counter of seconds grew over the span, linear between its reads; where reads begin or
/// end inside the span, over what they cover. nullopt with fewer than two reads, or if it fell.
std::optional<Seconds> time_counted_in(const Run& run, const SeriesTable& series,
                                       const Device& device, Measurand measurand, TimeSpan span);

}  // namespace tokenjoule
