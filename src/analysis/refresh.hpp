#pragma once

#include <optional>

#include "analysis/counter_energy.hpp"
#include "analysis/series.hpp"
#include "base/quantity.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

/// A power reading that its exporter refreshes more slowly than it is polled: what it gives between
/// two refreshes are repeats of an old value.
struct Refresh {
  Seconds period;   ///< usual time between refreshes
  Series readings;  ///< one a refresh; each read spans the time in which the refresh must lie
};

/// Told by the energy counter of the same page: it gives each value several times, more than 1.5
/// poll periods apart, and power does not change in between. nullopt where that is not so.
std::optional<Refresh> refresh_by_counter(const Series& power, const CounterCurve& counter,
                                          std::optional<Seconds> planned_period);

/// Told by the values of power alone: they change four times or more, never sooner than 3 poll
/// periods after the last change. nullopt for a power that never changes: nothing can be told then.
std::optional<Refresh> refresh_by_values(const Series& power,
                                         std::optional<Seconds> planned_period);

}  // namespace tokenjoule
