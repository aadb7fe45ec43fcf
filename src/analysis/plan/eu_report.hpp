#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.hpp"

namespace tokenjoule {

/// Installed IT power demand from which on a data centre reports: Commission Delegated Regulation
/// (EU) 2024/1364, article 3 with Directive (EU) 2023/1791, article 12. Sum of the nominal power of
/// network, servers and storage in the computer room.
constexpr double kReportingThresholdWatts = 500e3;

/// Size class of annex IV: "very small" (100 to 500 kW), "small", "medium", "large", "very large"
/// (above 10 MW); "below annex IV" under 100 kW.
std::string_view size_class(Watts installed);

}  // namespace tokenjoule
