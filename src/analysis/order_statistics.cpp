#include "analysis/order_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

namespace tokenjoule {

namespace {

constexpr unsigned kBitsAPass = 16;
constexpr unsigned kBits = 64;

/// Numbers whose order is that of the values. (IEEE 754: of positive ones the bits are so already.)
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
  constexpr std::uint64_t kSign = std::uint64_t{1} << (kBits - 1);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double value_of(std::uint64_t key) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << (kBits - 1);
  return std::bit_cast<double>((key & kSign) != 0 ? key ^ kSign : ~key);
}

/// A place looked for: what is known of its key, and its place among the values that share that.
struct Wanted {
  std::uint64_t prefix = 0;
  std::int64_t rank = 0;
};

/// Values whose keys begin alike, counted by their next bits.
class Digits {
 public:
  std::int64_t& operator[](std::uint64_t digit) { return counts_[digit]; }

 private:
  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(std::size_t{1} << kBitsAPass);
};

void settle(Wanted& wanted, Digits& digits) {
  std::uint64_t digit = 0;
  for (; wanted.rank >= digits[digit]; ++digit) wanted.rank -= digits[digit];
  wanted.prefix = (wanted.prefix << kBitsAPass) | digit;
}

void one_pass(const EachValue& values, std::vector<Wanted>& wanted, unsigned settled_bits) {
  std::map<std::uint64_t, Digits> groups;
  for (const Wanted& one : wanted) groups.try_emplace(one.prefix);
  const unsigned shift = kBits - settled_bits - kBitsAPass;
  values([&](double value) {
    const std::uint64_t key = key_of(value);
    const std::uint64_t prefix = settled_bits == 0 ? 0 : key >> (shift + kBitsAPass);
    const auto group = groups.find(prefix);
    if (group == groups.end()) return;
    ++group->second[(key >> shift) & ((std::uint64_t{1} << kBitsAPass) - 1)];
  });
  for (Wanted& one : wanted) settle(one, groups.at(one.prefix));
}

struct CountAndMean {
  std::int64_t count = 0;
  double mean = 0;
};

CountAndMean count_and_mean(const EachValue& values) {
  CountAndMean found;
  double sum = 0, lost = 0;
  values([&](double value) {
    ++found.count;
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  });
  found.mean = (sum + lost) / static_cast<double>(found.count);
  return found;
}

}  // namespace

std::vector<double> order_statistics(const EachValue& values,
                                     const std::vector<std::int64_t>& ranks) {
  std::vector<Wanted> wanted;
  for (const std::int64_t rank : ranks) wanted.push_back({.prefix = 0, .rank = rank});
  for (unsigned settled = 0; settled < kBits; settled += kBitsAPass) {
    one_pass(values, wanted, settled);
  }
  std::vector<double> found;
  for (const Wanted& one : wanted) found.push_back(value_of(one.prefix));
  return found;
}

Summary summary_of_many(const EachValue& values, std::string unit, std::string reason_if_none) {
  Summary summary;
  summary.unit = std::move(unit);
  const CountAndMean all = count_and_mean(values);
  summary.n = all.count;
  if (all.count == 0) {
    summary.reason = std::move(reason_if_none);
    return summary;
  }
  summary.mean = all.mean;
  // Type 7, as quantile() has it: between the two places next to (n - 1) p.
  constexpr double kShares[] = {0.05, 0.50, 0.90, 0.95, 0.99};
  std::vector<std::int64_t> ranks;
  std::vector<double> between;
  for (const double share : kShares) {
    const double place = static_cast<double>(all.count - 1) * share;
    const auto below = static_cast<std::int64_t>(std::floor(place));
    ranks.push_back(below);
    ranks.push_back(std::min(below + 1, all.count - 1));
    between.push_back(place - static_cast<double>(below));
  }
  const std::vector<double> at = order_statistics(values, ranks);
  std::optional<double>* const into[] = {&summary.p5, &summary.p50, &summary.p90, &summary.p95,
                                         &summary.p99};
  for (std::size_t i = 0; i < between.size(); ++i) {
    *into[i] = at[2 * i] + between[i] * (at[2 * i + 1] - at[2 * i]);
  }
  return summary;
}

}  // namespace tokenjoule
