#include "load/length_spec.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::int64_t kLongest = 10'000'000;

std::int64_t whole_length(double length) {
  if (length < 1) return 1;
  if (length > static_cast<double>(kLongest)) return kLongest;
  return std::llround(length);
}

bool is_length(const std::optional<std::int64_t>& tokens) {
  return tokens && *tokens >= 1 && *tokens <= kLongest;
}

tl::unexpected<Error> no_length(std::string_view text) {
  return failure(ErrorKind::usage, fmt::format("\"{}\" is not a length in tokens", quoted(text)),
                 "write 1024, 512-1536, normal:1024,128 or lognormal:1024,512");
}

Result<LengthSpec> distribution_in(LengthSpec::Shape shape, std::string_view text,
                                   std::string_view whole) {
  const auto parts = split(text, ',');
  if (parts.size() != 2) return no_length(whole);
  const auto mean = number_in(trimmed(parts[0]));
  const auto deviation = number_in(trimmed(parts[1]));
  if (!mean || !deviation || *mean < 1 || *mean > static_cast<double>(kLongest) || *deviation < 0 ||
      *deviation > static_cast<double>(kLongest)) {
    return no_length(whole);
  }
  return LengthSpec{.shape = shape, .mean = *mean, .deviation = *deviation};
}

/// Mean and deviation of the logarithm of a lognormal length with this mean and deviation:
/// sigma^2 = ln(1 + sd^2/mean^2), mu = ln(mean) - sigma^2/2 (Johnson, Kotz and Balakrishnan,
/// Continuous Univariate Distributions, 2nd ed., chapter 14).
double lognormal_draw(double mean, double deviation, Random& random) {
  const double ratio = deviation / mean;
  const double variance = std::log1p(ratio * ratio);
  return std::exp(random.normal(std::log(mean) - variance / 2, std::sqrt(variance)));
}

}  // namespace

LengthSpec fixed_length(std::int64_t tokens) { return {.low = tokens, .high = tokens}; }

std::int64_t LengthSpec::draw(Random& random) const {
  switch (shape) {
    case Shape::fixed: return low;
    case Shape::uniform: return random.integer(low, high);
    case Shape::normal: return whole_length(random.normal(mean, deviation));
    case Shape::lognormal: break;
  }
  return whole_length(lognormal_draw(mean, deviation, random));
}

double LengthSpec::expected() const {
  const bool bounded = shape == Shape::fixed || shape == Shape::uniform;
  return bounded ? (static_cast<double>(low) + static_cast<double>(high)) / 2 : mean;
}

std::string LengthSpec::text() const {
  switch (shape) {
    case Shape::fixed: return fmt::format("{}", low);
    case Shape::uniform: return fmt::format("{}-{}", low, high);
    case Shape::normal: return fmt::format("normal:{},{}", mean, deviation);
    case Shape::lognormal: break;
  }
  return fmt::format("lognormal:{},{}", mean, deviation);
}

Result<LengthSpec> length_spec_in(std::string_view text) {
  const std::string_view spec = trimmed(text);
  constexpr std::string_view normal = "normal:";
  constexpr std::string_view lognormal = "lognormal:";
  if (starts_with(spec, normal)) {
    return distribution_in(LengthSpec::Shape::normal, spec.substr(normal.size()), text);
  }
  if (starts_with(spec, lognormal)) {
    return distribution_in(LengthSpec::Shape::lognormal, spec.substr(lognormal.size()), text);
  }
  const auto dash = spec.find('-');
  const auto low = integer_in(trimmed(spec.substr(0, dash)));
  if (!is_length(low)) return no_length(text);
  if (dash == std::string_view::npos) return fixed_length(*low);
  const auto high = integer_in(trimmed(spec.substr(dash + 1)));
  if (!is_length(high) || *high < *low) return no_length(text);
  return LengthSpec{.shape = LengthSpec::Shape::uniform, .low = *low, .high = *high};
}

Result<LengthSpec> with_range_ratio(const LengthSpec& fixed, double ratio) {
  if (!(ratio >= 0 && ratio < 1)) {
    return failure(ErrorKind::usage, fmt::format("a range ratio of {} is outside [0, 1)", ratio),
                   "--range-ratio 0.2 means lengths from 0.8 L to 1.2 L");
  }
  if (fixed.shape != LengthSpec::Shape::fixed) {
    return failure(ErrorKind::usage,
                   fmt::format("a range ratio needs a plain length, not {}", fixed.text()),
                   "leave out --range-ratio, or give the length as one number");
  }
  if (ratio == 0) return fixed;
  const double length = static_cast<double>(fixed.low);
  // A hair's breadth is taken off, so that 1024 * (1 - 0.75) is 256 on every machine.
  const double low = std::floor(length * (1 - ratio) + 1e-9);
  const double high = std::ceil(length * (1 + ratio) - 1e-9);
  return LengthSpec{.shape = LengthSpec::Shape::uniform,
                    .low = std::max<std::int64_t>(1, std::llround(low)),
                    .high = std::llround(high)};
}

}  // namespace tokenjoule
