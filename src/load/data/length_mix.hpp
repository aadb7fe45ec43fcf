#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "load/length_spec.hpp"

namespace tokenjoule {

/// A kind of request among several: prompt and answer length belong together.
struct LengthPair {
  LengthSpec input;
  LengthSpec output;
  double weight = 1;  ///< above 0; of the sum of all
};

/// "8192/1024:0.5,1024/8192:0.5": each length as length_spec_in() takes it (without commas), the
/// weight 1 where it is left out. Anything else is a usage error.
Result<std::vector<LengthPair>> length_mix_in(std::string_view text);
std::string text_of(const std::vector<LengthPair>& mix);

/// A name that a share of the requests asks for.
struct ModelShare {
  std::string name;
  double weight = 1;
};
/// "NAME=3,OTHER": weights above 0, 1 where left out.
Result<std::vector<ModelShare>> model_shares_in(std::string_view text);

/// Which of the shares a number in [0, 1) falls to. `shares` must not be empty.
template <typename Share>
const Share& chosen_share(const std::vector<Share>& shares, double uniform) {
  double sum = 0;
  for (const Share& share : shares) sum += share.weight;
  double left = uniform * sum;
  for (const Share& share : shares) {
    left -= share.weight;
    if (left < 0) return share;
  }
  return shares.back();
}

}  // namespace tokenjoule
