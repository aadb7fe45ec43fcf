#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engines/dialect.hpp"

namespace tokenjoule {

/// Where an engine's page keeps one metric.
struct CounterRule {
  EngineMetric metric;
  CounterClock clock;
  /// Spellings without "_total", the newest first. The first that the page has is taken: several
  /// may stand on one page, and adding them up would count twice.
  std::vector<std::string> families;
  std::map<std::string, std::string> where;
  std::optional<int> significant_digits;
};

/// The counters of the rules that the page has, in the rules' order.
std::vector<EngineCounter> counters_by(const std::vector<CounterRule>& rules,
                                       const PrometheusPage& page);

}  // namespace tokenjoule
