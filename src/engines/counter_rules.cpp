#include "engines/counter_rules.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tokenjoule {

namespace {

bool fits(const PrometheusSample& sample, const std::map<std::string, std::string>& where) {
  return std::all_of(where.begin(), where.end(), [&](const auto& condition) {
    return sample.label(condition.first) == condition.second;
  });
}

std::vector<const PrometheusSample*> samples_of(const std::string& name,
                                                const std::map<std::string, std::string>& where,
                                                const PrometheusPage& page) {
  auto samples = page.samples_named(name);
  std::erase_if(samples, [&](const PrometheusSample* sample) { return !fits(*sample, where); });
  return samples;
}

std::optional<EngineCounter> counter_named(const std::string& name, const CounterRule& rule,
                                           const PrometheusPage& page) {
  const auto samples = samples_of(name, rule.where, page);
  if (samples.empty()) return std::nullopt;
  std::set<std::string> labels;
  for (const PrometheusSample* sample : samples) {
    for (const auto& [label, value] : sample->labels) {
      if (!rule.where.count(label)) labels.insert(label);
    }
  }
  return EngineCounter{.metric = rule.metric,
                       .family = name,
                       .clock = rule.clock,
                       .summed_over = {labels.begin(), labels.end()},
                       .where = rule.where,
                       .significant_digits = rule.significant_digits};
}

std::optional<EngineCounter> counter_by(const CounterRule& rule, const PrometheusPage& page) {
  for (const std::string& family : rule.families) {
    for (const std::string& name : {family + "_total", family}) {
      if (auto counter = counter_named(name, rule, page)) return counter;
    }
  }
  return std::nullopt;
}

std::optional<double> value_of(const EngineCounter& counter, const PrometheusPage& page) {
  std::map<std::vector<std::pair<std::string, std::string>>, double> series;
  for (const PrometheusSample* sample : samples_of(counter.family, counter.where, page)) {
    if (!std::isfinite(sample->value) || sample->value < 0) return std::nullopt;
    auto labels = sample->labels;
    std::sort(labels.begin(), labels.end());
    const auto [at, is_new] = series.emplace(std::move(labels), sample->value);
    if (!is_new && at->second != sample->value) return std::nullopt;
  }
  if (series.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [labels, value] : series) sum += value;
  const bool is_share = counter.metric == EngineMetric::cache_use;
  return is_share ? sum / static_cast<double>(series.size()) : sum;
}

}  // namespace

std::vector<EngineCounter> counters_by(const std::vector<CounterRule>& rules,
                                       const PrometheusPage& page) {
  std::vector<EngineCounter> counters;
  for (const CounterRule& rule : rules) {
    if (auto counter = counter_by(rule, page)) counters.push_back(std::move(*counter));
  }
  return counters;
}

std::map<EngineMetric, double> counter_values(const std::vector<EngineCounter>& counters,
                                              const PrometheusPage& page) {
  std::map<EngineMetric, double> values;
  for (const EngineCounter& counter : counters) {
    if (const auto value = value_of(counter, page)) values[counter.metric] = *value;
  }
  return values;
}

}  // namespace tokenjoule
