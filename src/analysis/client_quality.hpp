#pragma once

#include <optional>

#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// The load client's own lateness over the window, and how much of what the system allows it used
/// at most over the run. Lag and loop time come from histograms with bins of [2^i, 2^(i+1)) us,
/// linear inside a bin; their maximum is the upper edge of the highest bin.
ClientQuality client_quality(const Run& run, std::optional<TimeSpan> window);

}  // namespace tokenjoule
