#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace tokenjoule {

/// What InferenceX's load client draws its lengths from (utils/bench_serving/benchmark_serving.py,
/// sample_uniform): each uniform on the whole numbers from trunc(range_ratio * length) to length.
struct SeededWorkload {
  std::uint32_t input_len = 0;   ///< isl: longest prompt, tokens
  std::uint32_t output_len = 0;  ///< osl: longest answer, tokens
  double range_ratio = 0.8;      ///< 0 to 1
  std::uint32_t seed = 0;
};

/// Tokens of all requests together.
struct TokenTotals {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  friend bool operator==(const TokenTotals&, const TokenTotals&) = default;
};

/// Uniform whole numbers from `low` to `high`, both included, by masked rejection: a 32-bit word is
/// cut to the bits of the range and drawn anew while it lies outside.
class MaskedUniform {
 public:
  MaskedUniform(std::uint32_t low, std::uint32_t high);
  /// The range has one number only: then no word is drawn for it.
  bool constant() const { return range_ == 0; }
  std::uint32_t low() const { return low_; }
  /// The number that this word gives; nullopt: rejected.
  std::optional<std::uint32_t> from(std::uint32_t word) const;

 private:
  std::uint32_t low_;
  std::uint32_t range_;
  std::uint32_t mask_;
};

/// Token totals of a workload for any number of requests. numpy.random.RandomState(seed) as the
/// load client uses it: MT19937 seeded by init_genrand, randint(low, high + 1) by masked rejection;
/// all prompt lengths are drawn first, then all answer lengths from the same generator. The words
/// drawn are walked once and kept as sums, so each further number of requests costs nothing.
class SeededTotals {
 public:
  explicit SeededTotals(const SeededWorkload& workload);

  TokenTotals of(std::uint32_t requests);
  /// Words drawn so far: what this has cost.
  std::size_t words() const { return words_; }

 private:
  void walk_to(std::uint32_t requests);

  MaskedUniform input_;
  MaskedUniform output_;
  std::mt19937 generator_;  // the standard fixes its words and its seeding: those of init_genrand
  std::size_t words_ = 0;
  std::vector<std::uint64_t> input_sums_ = {0};   ///< of the first n prompts
  std::vector<std::uint64_t> output_sums_ = {0};  ///< of the first n words that an answer accepts
  /// Words that an answer would have accepted among those that n prompts took.
  std::vector<std::uint32_t> skipped_ = {0};
};

/// How a run's ratio of input to output tokens fits its workload.
enum class SeedFit {
  exact,  ///< within 1e-9 for a whole number of requests per stream: tokens are known to the last
  fixed,  ///< every request had the nominal lengths (range ratio 1)
  near,   ///< within 2e-4 of ten requests per stream
  other,  ///< neither; `deviation` says by how much
};

struct SeedMatch {
  SeedFit fit = SeedFit::other;
  double deviation = 0;          ///< of the ratio, relative, from the nearest that was looked at
  std::uint32_t per_stream = 0;  ///< requests / concurrency; of exact and near
  std::uint32_t requests = 0;    ///< of exact and near
  double mean_input_len = 0;     ///< of exact, fixed and near, tokens
  double mean_output_len = 0;
};

/// Most requests per stream that are looked at.
constexpr std::uint32_t kMostPerStream = 64;
/// Most requests that are looked at: twelve times the largest run known.
constexpr std::uint32_t kMostRequests = 1U << 20U;

/// Looks for the number of requests whose token totals have this ratio.
/// @param concurrency streams, at least 1. Counts above kMostRequests are left out; nullopt where
/// that leaves none.
std::optional<SeedMatch> match_seed(SeededTotals& totals, const SeededWorkload& workload,
                                    double input_by_output, std::uint32_t concurrency);

}  // namespace tokenjoule
