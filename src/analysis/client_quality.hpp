#pragma once

#include <optional>

#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// The load client's own lateness over the window. Lag comes from a histogram with bins of
/// [2^i, 2^(i+1)) us, linear inside a bin; its maximum is the upper edge of the highest bin.
ClientQuality client_quality(const Run& run, std::optional<TimeSpan> window);

}  // namespace tokenjoule
