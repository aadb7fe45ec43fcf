#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engines/dialect.hpp"

namespace tokenjoule {

/// Where an engine's page keeps one metric, and what it means there.
struct CounterRule {
  EngineMetric metric;
  CounterClock clock;
  /// Spellings without "_total", the newest first. The first that the page has is taken: several
  /// may stand on one page, and adding them up would count twice.
  std::vector<std::string> families;
  /// Only series with these label values count; "" also fits a series without the label.
  std::map<std::string, std::string> where = {};
  /// The rule holds only on a page that has a family whose name begins so; "" on every page.
  std::string only_with = {};
};

/// What holds for all counters of one engine's page.
struct PageTraits {
  std::optional<int> significant_digits = {};  ///< where it rounds
  /// Labels of series that repeat one count instead of sharing it out.
  std::vector<std::string> repeated_over = {};
};

/// The value of each count of a counter, by the labels that set it apart (sorted); nullopt where
/// the page contradicts itself, or where a line of the family could not be read, so that a part of
/// the sum may be missing. Empty: the page does not have it.
using SeriesLabels = std::vector<std::pair<std::string, std::string>>;
std::optional<std::map<SeriesLabels, double>> counts_of(const EngineCounter& counter,
                                                        const PrometheusPage& page);

/// The counters that the page has: for each metric the first rule that fits, in the rules' order.
std::vector<EngineCounter> counters_by(const std::vector<CounterRule>& rules,
                                       const PageTraits& traits, const PrometheusPage& page);

}  // namespace tokenjoule
