#include "load/data/sampling.hpp"

#include <bit>

#include "base/check.hpp"
#include "base/random.hpp"

namespace tokenjoule {

namespace {

/// A permutation of 0..count-1 that needs no memory: a Feistel network over the next even number of
/// bits, walked until it lands inside (Black and Rogaway, Ciphers with Arbitrary Finite Domains,
/// 2002). For an even spread, not for secrecy.
std::uint64_t permuted(std::uint64_t index, std::uint64_t count, Random keys) {
  constexpr int kRounds = 6;
  const auto half = (static_cast<unsigned>(std::bit_width(count - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t round_keys[kRounds];
  for (auto& key : round_keys) key = keys.bits();
  do {
    std::uint64_t left = index >> half;
    std::uint64_t right = index & mask;
    for (const std::uint64_t key : round_keys) {
      const std::uint64_t mixed = Random(key, right).bits() & mask;
      const std::uint64_t next = left ^ mixed;
      left = right;
      right = next;
    }
    index = (left << half) | right;
  } while (index >= count);
  return index;
}

}  // namespace

std::string_view name_of(Sampling sampling) {
  switch (sampling) {
    case Sampling::permute: return "permute";
    case Sampling::replacement: return "replacement";
    case Sampling::sequential: break;
  }
  return "sequential";
}

std::uint64_t sampled_index(Sampling sampling, std::uint64_t count, std::uint64_t position,
                            std::uint64_t seed, std::uint64_t stream) {
  TJ_ASSERT(count >= 1);
  if (count == 1) return 0;
  switch (sampling) {
    case Sampling::sequential: return position % count;
    case Sampling::replacement: {
      Random random(Random(seed, stream).bits(), position);
      return static_cast<std::uint64_t>(random.integer(0, static_cast<std::int64_t>(count) - 1));
    }
    case Sampling::permute: break;
  }
  const std::uint64_t pass = position / count;
  return permuted(position % count, count, Random(Random(seed, stream).bits(), pass));
}

}  // namespace tokenjoule
