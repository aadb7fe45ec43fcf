#include "engines/counter_rules.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

using Labels = SeriesLabels;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// In Prometheus an empty label is the same as none.
bool fits(const PrometheusSample& sample, const std::map<std::string, std::string>& where) {
  return std::all_of(where.begin(), where.end(), [&](const auto& condition) {
    return sample.label(condition.first).value_or("") == condition.second;
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
                                           const PageTraits& traits, const PrometheusPage& page) {
  const auto samples = samples_of(name, rule.where, page);
  if (samples.empty()) return std::nullopt;
  std::set<std::string> summed, repeated;
  for (const PrometheusSample* sample : samples) {
    for (const auto& [label, value] : sample->labels) {
      if (rule.where.count(label)) continue;
      (contains(traits.repeated_over, label) ? repeated : summed).insert(label);
    }
  }
  return EngineCounter{.metric = rule.metric,
                       .family = name,
                       .clock = rule.clock,
                       .summed_over = {summed.begin(), summed.end()},
                       .where = rule.where,
                       .significant_digits = traits.significant_digits,
                       .repeated_over = {repeated.begin(), repeated.end()}};
}

bool holds_on(const CounterRule& rule, const PrometheusPage& page) {
  return rule.only_with.empty() ||
         std::any_of(page.families.begin(), page.families.end(), [&](const auto& family) {
           return starts_with(family.name, rule.only_with) && !family.samples.empty();
         });
}

std::optional<EngineCounter> counter_by(const CounterRule& rule, const PageTraits& traits,
                                        const PrometheusPage& page) {
  if (!holds_on(rule, page)) return std::nullopt;
  for (const std::string& family : rule.families) {
    for (const std::string& name : {family + "_total", family}) {
      if (auto counter = counter_named(name, rule, traits, page)) return counter;
    }
  }
  return std::nullopt;
}

Labels without(const std::vector<std::string>& dropped, Labels labels) {
  std::erase_if(labels, [&](const auto& label) { return contains(dropped, label.first); });
  return labels;
}

}  // namespace

std::optional<std::map<SeriesLabels, double>> counts_of(const EngineCounter& counter,
                                                        const PrometheusPage& page) {
  if (page.refused_names.count(counter.family)) return std::nullopt;
  std::map<Labels, double> series, counts;
  for (const PrometheusSample* sample : samples_of(counter.family, counter.where, page)) {
    if (!std::isfinite(sample->value) || sample->value < 0) return std::nullopt;
    auto labels = sample->labels;
    std::sort(labels.begin(), labels.end());
    const auto [at, is_new] = series.emplace(std::move(labels), sample->value);
    if (!is_new && at->second != sample->value) return std::nullopt;
  }
  for (const auto& [labels, value] : series) {
    const auto [at, is_new] = counts.emplace(without(counter.repeated_over, labels), value);
    at->second = std::max(at->second, value);
  }
  return counts;
}

namespace {

std::optional<double> value_of(const EngineCounter& counter, const PrometheusPage& page) {
  const auto counts = counts_of(counter, page);
  if (!counts || counts->empty()) return std::nullopt;
  double sum = 0, highest = 0;
  for (const auto& [labels, value] : *counts) {
    sum += value;
    highest = std::max(highest, value);
  }
  if (counter.metric == EngineMetric::process_start) return highest;
  const bool is_share = counter.metric == EngineMetric::cache_use;
  return is_share ? sum / static_cast<double>(counts->size()) : sum;
}

/// How many engines stand behind a counter, where labels tell them apart.
std::optional<double> engines_behind(const EngineCounter& counter, const PrometheusPage& page) {
  std::set<Labels> engines;
  for (const PrometheusSample* sample : samples_of(counter.family, counter.where, page)) {
    Labels own;
    for (const auto& label : sample->labels) {
      if (label.first == "engine" || label.first == "dp_rank") own.push_back(label);
    }
    if (!own.empty()) engines.insert(std::move(own));
  }
  if (engines.empty()) return std::nullopt;
  return static_cast<double>(engines.size());
}

}  // namespace

std::vector<EngineCounter> counters_by(const std::vector<CounterRule>& rules,
                                       const PageTraits& traits, const PrometheusPage& page) {
  std::vector<EngineCounter> counters;
  for (const CounterRule& rule : rules) {
    const bool known = std::any_of(counters.begin(), counters.end(), [&](const auto& counter) {
      return counter.metric == rule.metric;
    });
    if (known) continue;
    if (auto counter = counter_by(rule, traits, page)) counters.push_back(std::move(*counter));
  }
  return counters;
}

std::map<EngineMetric, double> counter_values(const std::vector<EngineCounter>& counters,
                                              const PrometheusPage& page) {
  std::map<EngineMetric, double> values;
  for (const EngineCounter& counter : counters) {
    if (const auto value = value_of(counter, page)) values[counter.metric] = *value;
    if (counter.metric != EngineMetric::output_tokens) continue;
    if (const auto engines = engines_behind(counter, page)) {
      values[EngineMetric::engines] = *engines;
    }
  }
  return values;
}

}  // namespace tokenjoule
