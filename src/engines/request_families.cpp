#include "engines/request_families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "engines/counter_rules.hpp"

namespace tokenjoule {

namespace {

struct LengthFamily {
  RequestLength length;
  const char* family;
};

/// Each observes a request once, when it has finished: vLLM and LMDeploy (metrics/loggers.py),
/// SGLang (metrics_collector.py), TGI (router; prompts when they are taken in), Dynamo (frontend).
constexpr LengthFamily kLengthFamilies[] = {
    {RequestLength::prompt_tokens, "vllm:request_prompt_tokens"},
    {RequestLength::output_tokens, "vllm:request_generation_tokens"},
    {RequestLength::prompt_tokens, "sglang:prompt_tokens_histogram"},
    {RequestLength::output_tokens, "sglang:generation_tokens_histogram"},
    {RequestLength::prompt_tokens, "dynamo_frontend_input_sequence_tokens"},
    {RequestLength::output_tokens, "dynamo_frontend_output_sequence_tokens"},
    {RequestLength::prompt_tokens, "lmdeploy:request_prompt_tokens"},
    {RequestLength::output_tokens, "lmdeploy:request_generation_tokens"},
    {RequestLength::prompt_tokens, "tgi_request_input_length"},
    {RequestLength::output_tokens, "tgi_request_generated_tokens"},
};

/// Labels by which engines say how a request ended.
constexpr const char* kEndLabels[] = {"finished_reason", "finish_reason", "status"};

EngineCounter plain_counter(std::string family, const RequestFamilies& families) {
  EngineCounter counter;
  counter.family = std::move(family);
  counter.repeated_over = families.repeated_over;
  return counter;
}

std::string value_of(const SeriesLabels& labels, std::string_view name) {
  for (const auto& [label, value] : labels) {
    if (label == name) return value;
  }
  return "";
}

std::optional<double> sum_of(const PrometheusPage& page, std::string family,
                             const RequestFamilies& families) {
  const auto counts = counts_of(plain_counter(std::move(family), families), page);
  if (!counts || counts->empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [labels, value] : *counts) sum += value;
  return sum;
}

/// The label that splits the counter by how requests ended: one that it is summed over, or that a
/// rule takes a single value of.
std::string end_label_of(const EngineCounter& counter) {
  const auto& summed = counter.summed_over;
  for (const char* label : kEndLabels) {
    const bool split = std::find(summed.begin(), summed.end(), label) != summed.end();
    if (split || counter.where.count(label) != 0) return label;
  }
  return "";
}

std::optional<LengthHistogram> histogram_on(const PrometheusPage& page, const std::string& family,
                                            const RequestFamilies& families) {
  const auto counts = counts_of(plain_counter(family + "_bucket", families), page);
  if (!counts || counts->empty()) return std::nullopt;
  std::map<double, double> by_bound;
  for (const auto& [labels, value] : *counts) {
    const std::string le = value_of(labels, "le");
    const bool infinite = le == "+Inf" || le == "Inf" || le == "inf";
    const auto bound = infinite ? std::numeric_limits<double>::infinity() : number_in(le);
    if (!bound) return std::nullopt;
    by_bound[*bound] += value;
  }
  const auto sum = sum_of(page, family + "_sum", families);
  if (!sum || !std::isinf(by_bound.rbegin()->first)) return std::nullopt;
  LengthHistogram histogram{
      {by_bound.begin(), std::prev(by_bound.end())}, by_bound.rbegin()->second, *sum};
  const bool falls =
      std::adjacent_find(by_bound.begin(), by_bound.end(), [](const auto& a, const auto& b) {
        return b.second < a.second;
      }) != by_bound.end();
  return falls ? std::nullopt : std::optional(std::move(histogram));
}

}  // namespace

RequestFamilies request_families_on(const PrometheusPage& page,
                                    const std::vector<EngineCounter>& counters) {
  RequestFamilies families;
  for (const EngineCounter& counter : counters) {
    if (counter.metric != EngineMetric::requests_finished) continue;
    families.finished_label = end_label_of(counter);
    if (!families.finished_label.empty()) families.finished = counter.family;
    families.repeated_over = counter.repeated_over;
  }
  for (const LengthFamily& row : kLengthFamilies) {
    if (families.lengths.count(row.length) != 0) continue;
    if (histogram_on(page, row.family, families)) families.lengths[row.length] = row.family;
  }
  return families;
}

std::map<std::string, double> finished_on(const PrometheusPage& page,
                                          const RequestFamilies& families) {
  std::map<std::string, double> finished;
  if (families.finished.empty()) return finished;
  const auto counts = counts_of(plain_counter(families.finished, families), page);
  if (!counts) return finished;
  for (const auto& [labels, value] : *counts) {
    finished[value_of(labels, families.finished_label)] += value;
  }
  return finished;
}

std::map<RequestLength, LengthHistogram> lengths_on(const PrometheusPage& page,
                                                    const RequestFamilies& families) {
  std::map<RequestLength, LengthHistogram> lengths;
  for (const auto& [length, family] : families.lengths) {
    if (auto histogram = histogram_on(page, family, families)) {
      lengths[length] = std::move(*histogram);
    }
  }
  return lengths;
}

std::optional<LengthHistogram> joined(const LengthHistogram& a, const LengthHistogram& b) {
  if (a.buckets.size() != b.buckets.size()) return std::nullopt;
  LengthHistogram both = a;
  both.count += b.count;
  both.sum += b.sum;
  for (std::size_t i = 0; i < a.buckets.size(); ++i) {
    if (a.buckets[i].first != b.buckets[i].first) return std::nullopt;
    both.buckets[i].second += b.buckets[i].second;
  }
  return both;
}

}  // namespace tokenjoule
