#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/report.hpp"

namespace tokenjoule {

/// Sum / n, added in the order given; nullopt of nothing.
std::optional<double> mean_of(std::span<const double> values);

/// Quantile p (0..1) of values in ascending order by Hyndman and Fan's type 7: linear between the
/// order statistics at (n - 1) p. (The American Statistician 50, 1996.) nullopt of nothing.
std::optional<double> quantile(std::span<const double> ascending, double p);

/// Middle value (type 7, so the mean of the two middle ones where n is even); nullopt of nothing.
std::optional<double> median_of(std::vector<double> values);

/// Count, mean and percentiles; with no values all of them absent and `reason_if_none` kept.
Summary summary_of(std::vector<double> values, std::string unit, std::string reason_if_none);

}  // namespace tokenjoule
