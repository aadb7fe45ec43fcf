#include "selftest/delay_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tokenjoule {

namespace {

constexpr unsigned kBinBits = 6;  // 64 bins to each doubling
constexpr unsigned kExactBits = kBinBits + 1;

unsigned shift_of(std::uint64_t ns) {
  const auto width = static_cast<unsigned>(std::bit_width(ns));
  return width > kExactBits ? width - kExactBits : 0;
}

std::size_t bin_of(std::uint64_t ns) {
  const unsigned shift = shift_of(ns);
  return (std::size_t{shift} << kBinBits) + (ns >> shift);
}

Nanoseconds middle_of(std::size_t bin) {
  const std::size_t doubling = bin >> kBinBits;
  if (doubling < 2) return {static_cast<std::int64_t>(bin)};
  const std::size_t shift = doubling - 1;
  const std::size_t low = (bin - (shift << kBinBits)) << shift;
  return {static_cast<std::int64_t>(low + (std::size_t{1} << shift) / 2)};
}

}  // namespace

DelayHistogram::DelayHistogram() : bins_(bin_of(INT64_MAX) + 1) {}

void DelayHistogram::add(Nanoseconds delay) {
  ++count_;
  ++bins_[bin_of(static_cast<std::uint64_t>(std::max<std::int64_t>(0, delay.count)))];
}

std::optional<Nanoseconds> DelayHistogram::quantile(double p) const {
  if (count_ == 0) return std::nullopt;
  const auto rank = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(p * static_cast<double>(count_))));
  std::int64_t seen = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen >= rank) return middle_of(bin);
  }
  return std::nullopt;
}

}  // namespace tokenjoule
