#include "published/seeded_lengths.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tokenjoule {

namespace {

constexpr double kExactly = 1e-9;
constexpr double kNearly = 2e-4;
/// The load client sends ten requests a stream unless it is told otherwise.
constexpr std::uint32_t kUsualPerStream = 10;

/// Python's int(length * ratio).
std::uint32_t least_length(std::uint32_t length, double ratio) {
  return static_cast<std::uint32_t>(static_cast<double>(length) * ratio);
}

double ratio_of(const TokenTotals& totals) {
  return static_cast<double>(totals.input) / static_cast<double>(totals.output);
}

SeedMatch match_of(SeededTotals& totals, SeedFit fit, std::uint32_t per_stream,
                   std::uint32_t concurrency, double deviation) {
  SeedMatch match{fit, deviation, per_stream, per_stream * concurrency};
  const TokenTotals sums = totals.of(match.requests);
  match.mean_input_len = static_cast<double>(sums.input) / match.requests;
  match.mean_output_len = static_cast<double>(sums.output) / match.requests;
  return match;
}

}  // namespace

MaskedUniform::MaskedUniform(std::uint32_t low, std::uint32_t high)
    : low_(low),
      range_(high - low),
      mask_(range_ == 0 ? 0 : ~std::uint32_t{0} >> std::countl_zero(range_)) {}

std::optional<std::uint32_t> MaskedUniform::from(std::uint32_t word) const {
  const std::uint32_t offset = word & mask_;
  return offset <= range_ ? std::optional(low_ + offset) : std::nullopt;
}

SeededTotals::SeededTotals(const SeededWorkload& workload)
    : input_(least_length(workload.input_len, workload.range_ratio), workload.input_len),
      output_(least_length(workload.output_len, workload.range_ratio), workload.output_len),
      generator_(workload.seed) {}

void SeededTotals::walk_to(std::uint32_t requests) {
  const auto done = [&] {
    if (input_.constant()) return output_.constant() || output_sums_.size() > requests;
    if (input_sums_.size() <= requests) return false;
    return output_.constant() || output_sums_.size() > skipped_[requests] + requests;
  };
  while (!done()) {
    const auto word = static_cast<std::uint32_t>(generator_());
    ++words_;
    if (const auto length = output_.from(word); length && !output_.constant())
      output_sums_.push_back(output_sums_.back() + *length);
    if (const auto length = input_.from(word); length && !input_.constant()) {
      input_sums_.push_back(input_sums_.back() + *length);
      skipped_.push_back(static_cast<std::uint32_t>(output_sums_.size() - 1));
    }
  }
}

TokenTotals SeededTotals::of(std::uint32_t requests) {
  walk_to(requests);
  TokenTotals totals;
  totals.input = input_.constant() ? std::uint64_t{input_.low()} * requests : input_sums_[requests];
  const std::size_t from = input_.constant() ? 0 : skipped_[requests];
  totals.output = output_.constant() ? std::uint64_t{output_.low()} * requests
                                     : output_sums_[from + requests] - output_sums_[from];
  return totals;
}

std::optional<SeedMatch> match_seed(SeededTotals& totals, const SeededWorkload& workload,
                                    double input_by_output, std::uint32_t concurrency) {
  const double nominal = static_cast<double>(workload.input_len) / workload.output_len;
  if (std::abs(input_by_output / nominal - 1) < kExactly) {
    return SeedMatch{SeedFit::fixed,
                     0,
                     0,
                     0,
                     static_cast<double>(workload.input_len),
                     static_cast<double>(workload.output_len)};
  }
  const std::uint32_t most = std::min(kMostPerStream, kMostRequests / concurrency);
  if (most == 0) return std::nullopt;
  for (std::uint32_t k = 1; k <= most; ++k) {
    const double deviation = input_by_output / ratio_of(totals.of(k * concurrency)) - 1;
    if (std::abs(deviation) < kExactly)
      return match_of(totals, SeedFit::exact, k, concurrency, deviation);
  }
  // Not the nearest of all counts: among so many, one comes near by chance.
  const std::uint32_t usual = std::min(kUsualPerStream, most);
  const double deviation = input_by_output / ratio_of(totals.of(usual * concurrency)) - 1;
  if (std::abs(deviation) < kNearly)
    return match_of(totals, SeedFit::near, usual, concurrency, deviation);
  return SeedMatch{SeedFit::other, deviation};
}

}  // namespace tokenjoule
