#include "base/random.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "base/check.hpp"

namespace tokenjoule {

namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace

Random::Random(std::uint64_t seed) : Random(seed, 0) {}

Random::Random(std::uint64_t seed, std::uint64_t stream) : state_{} {
  std::uint64_t mix = seed;
  std::uint64_t stream_mix = split_mix(mix) ^ stream;
  for (auto& word : state_) word = split_mix(stream_mix);
}

std::uint64_t Random::bits() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  TJ_ASSERT(low <= high);
  const std::uint64_t range =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  if (range == 0) return static_cast<std::int64_t>(bits());
  const std::uint64_t limit = UINT64_MAX - (UINT64_MAX % range + 1) % range;
  std::uint64_t draw = bits();
  while (draw > limit) draw = bits();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw % range);
}

double Random::normal(double mean, double deviation) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return mean + deviation * radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Random::exponential(double mean) { return -mean * std::log(1.0 - uniform()); }

double Random::gamma(double shape, double mean) {
  TJ_ASSERT(shape > 0);
  // The method wants a shape of 1 or more; a smaller one is reached by a power of a uniform number.
  const double raised = shape < 1 ? shape + 1 : shape;
  const double boost = shape < 1 ? std::pow(1.0 - uniform(), 1 / shape) : 1.0;
  const double d = raised - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal(0, 1);
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v <= 0) continue;
    const double u = 1.0 - uniform();
    if (std::log(u) < x * x / 2 + d - d * v + d * std::log(v)) return d * v * boost * mean / shape;
  }
}

}  // namespace tokenjoule
