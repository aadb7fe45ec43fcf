#include "analysis/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace tokenjoule {

std::optional<double> mean_of(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::optional<double> quantile(std::span<const double> ascending, double p) {
  if (ascending.empty()) return std::nullopt;
  const double rank = static_cast<double>(ascending.size() - 1) * p;
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double share = rank - static_cast<double>(below);
  return ascending[below] + share * (ascending[above] - ascending[below]);
}

std::optional<double> median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

Summary summary_of(std::vector<double> values, std::string unit, std::string reason_if_none) {
  Summary summary;
  summary.n = static_cast<std::int64_t>(values.size());
  summary.unit = std::move(unit);
  if (values.empty()) {
    summary.reason = std::move(reason_if_none);
    return summary;
  }
  // Sorted first: the mean is then the same in whatever order requests ended.
  std::sort(values.begin(), values.end());
  summary.mean = mean_of(values);
  summary.p5 = quantile(values, 0.05);
  summary.p50 = quantile(values, 0.50);
  summary.p90 = quantile(values, 0.90);
  summary.p95 = quantile(values, 0.95);
  summary.p99 = quantile(values, 0.99);
  return summary;
}

}  // namespace tokenjoule
