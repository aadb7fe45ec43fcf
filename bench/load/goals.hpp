#pragma once

#include <optional>
#include <string>
#include <vector>

#include "selftest/selftest.hpp"

namespace tokenjoule::bench {

/// What was measured, some rounds of each.
struct Rounds {
  std::vector<SelfTestPoint> points;   ///< of all loads
  std::vector<SelfTestPoint> stalled;  ///< 4 096 x 25, client stalled 5 ms every 100 ms
  std::vector<SelfTestPoint> guarded;  ///< 1 024 x 50, client stalled 20 ms every 200 ms
  std::vector<UnpacedRates> unpaced;
  std::vector<StampCost> stamp_costs;  ///< 4 096 x 25
};

/// What the load client is held to; see docs/benchmarks.md.
struct Goal {
  std::string what;
  std::string wanted;
  std::string found;
  std::optional<bool> met;  ///< absent: not judged, as too few rounds were quiet
};

/// A figure is the median of the quiet rounds (run-queue wait up to 1.5 %); with fewer than three
/// of them it is not judged. What must hold in every round (events lost, connects) is looked at in
/// all.
std::vector<Goal> judged(const Rounds& rounds);

}  // namespace tokenjoule::bench
