#include "published/real_lengths.hpp"

#include <map>
#include <utility>

#include "published/seeded_lengths.hpp"

namespace tokenjoule {

namespace {

constexpr double kMostTokens = 1e6;  ///< of one query

bool may_be_seeded(const PublishedResult& row) {
  return row.source == PublishedSource::inferencex && !row.has(RowFlag::agentic) &&
         !row.has(RowFlag::raw_result) && !row.mean_input_len && !row.mean_output_len;
}

/// The number as a whole one within 1 to `most`; 0: it is none.
std::uint32_t whole(const std::optional<double>& number, double most) {
  if (!number || !(*number >= 1) || *number > most) return 0;
  const auto count = static_cast<std::uint32_t>(*number);
  return static_cast<double>(count) == *number ? count : 0;
}

}  // namespace

void complete_real_lengths(PublishedSet& set) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, SeededTotals> totals;
  for (PublishedResult& row : set.rows) {
    const auto input = whole(row.nominal_input_len, kMostTokens);
    const auto output = whole(row.nominal_output_len, kMostTokens);
    const auto streams = whole(row.concurrency, kMostTokens);
    const auto& rates = row.system;
    if (!may_be_seeded(row) || input == 0 || output == 0 || streams == 0) continue;
    if (!rates.input || !rates.output || !(*rates.output > 0)) continue;
    const SeededWorkload workload{.input_len = input, .output_len = output};
    auto& known = totals.try_emplace({input, output}, workload).first->second;
    const auto match = match_seed(known, workload, *rates.input / *rates.output, streams);
    if (!match || (match->fit != SeedFit::exact && match->fit != SeedFit::fixed)) continue;
    row.mean_input_len = match->mean_input_len;
    row.mean_output_len = match->mean_output_len;
    row.mark(RowFlag::seeded_lengths);
  }
}

}  // namespace tokenjoule
