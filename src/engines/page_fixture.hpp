#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engines/dialect.hpp"

namespace tokenjoule {

// For tests of what dialects find on metrics pages.

using M = EngineMetric;
using Values = std::map<EngineMetric, double>;

inline PrometheusPage page_of(const std::string& text, const std::string& content_type = {}) {
  auto page = prometheus_page(text, content_type);
  EXPECT_TRUE(page.has_value());
  return page ? std::move(*page) : PrometheusPage{};
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A page of this project, src/engines/testdata/NAME.prom.
inline PrometheusPage own_page(const std::string& name) {
  const std::string text =
      bytes_of(TOKENJOULE_SOURCE_DIR "/src/engines/testdata/" + name + ".prom");
  EXPECT_FALSE(text.empty()) << name;
  return page_of(text);
}

inline std::vector<EngineCounter> counters_on(std::string_view dialect,
                                              const PrometheusPage& page) {
  return dialect_named(dialect)->counters_on(page);
}

inline Values values_on(std::string_view dialect, const PrometheusPage& page) {
  return counter_values(counters_on(dialect, page), page);
}

/// How much each counter grew that is on both pages.
inline Values growth_on(std::string_view dialect, const PrometheusPage& earlier,
                        const PrometheusPage& later) {
  const auto counters = counters_on(dialect, earlier);
  Values grown;
  const Values from = counter_values(counters, earlier);
  for (const auto& [metric, value] : counter_values(counters, later)) {
    const auto at = from.find(metric);
    if (at != from.end()) grown[metric] = value - at->second;
  }
  return grown;
}

inline const EngineCounter* counter_of(const std::vector<EngineCounter>& counters, M metric) {
  for (const auto& counter : counters) {
    if (counter.metric == metric) return &counter;
  }
  return nullptr;
}

/// When the counter of a metric moves; a failure where it is not on the page.
inline CounterClock clock_of(const std::vector<EngineCounter>& counters, M metric) {
  const EngineCounter* counter = counter_of(counters, metric);
  EXPECT_NE(counter, nullptr) << name_of(metric);
  return counter == nullptr ? CounterClock::gauge : counter->clock;
}

}  // namespace tokenjoule
