#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.hpp"
#include "base/result.hpp"

namespace tokenjoule {

/// How long prompts or answers are to be, in tokens. Every drawn length is at least 1.
struct LengthSpec {
  enum class Shape { fixed, uniform, normal, lognormal };
  Shape shape = Shape::fixed;
  std::int64_t low = 1;   ///< fixed: the length; uniform: the shortest, included
  std::int64_t high = 1;  ///< uniform: the longest, included; fixed: as low
  double mean = 0;  ///< normal, lognormal: mean of the lengths themselves (not of their logarithms)
  double deviation = 0;  ///< normal, lognormal: standard deviation of the lengths themselves

  /// One length. Uses the generator always in the same way: same generator, same length.
  std::int64_t draw(Random& random) const;
  /// The mean length, before lengths below 1 are raised to 1.
  double expected() const;
  /// As on the command line: "1024", "512-1536", "normal:1024,128", "lognormal:1024,128".
  std::string text() const;
};

LengthSpec fixed_length(std::int64_t tokens);

/// Takes "1024", "512-1536", "normal:mean,sd", "lognormal:mean,sd"; mean and sd are those of the
/// lengths. Lengths are 1 to 10 000 000 tokens. Anything else is a usage error.
Result<LengthSpec> length_spec_in(std::string_view text);

/// vLLM's --range-ratio: uniform on [floor(L(1-R)), ceil(L(1+R))], at least 1. R in [0, 1), and the
/// length must be a fixed one; anything else is a usage error.
Result<LengthSpec> with_range_ratio(const LengthSpec& fixed, double ratio);

}  // namespace tokenjoule
