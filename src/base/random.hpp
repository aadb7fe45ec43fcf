#pragma once

#include <array>
#include <cstdint>

namespace tokenjoule {

/// A seeded generator (xoshiro256**, Blackman and Vigna 2018, seeded by SplitMix64) with its own
/// distributions: the same seed gives the same numbers with every compiler and library.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  /// A generator for an independent stream: same seed and stream, same numbers.
  Random(std::uint64_t seed, std::uint64_t stream);

  std::uint64_t bits();
  /// Uniform on [0, 1), 53 bits.
  double uniform();
  /// Uniform on the integers low..high, both included, without bias. low <= high.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  /// Normal by Box and Muller.
  double normal(double mean, double deviation);
  /// Exponential with the given mean.
  double exponential(double mean);
  /// Gamma with this shape (above 0) and mean, by Marsaglia and Tsang (ACM Transactions on
  /// Mathematical Software 26, 2000). Its coefficient of variation is 1 / sqrt(shape); shape 1 is
  /// exponential().
  double gamma(double shape, double mean);

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace tokenjoule
