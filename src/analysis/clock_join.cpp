#include "analysis/clock_join.hpp"

#include <algorithm>
#include <cmath>

namespace tokenjoule {

namespace {

std::int64_t offset_of(const ClockAnchor& anchor) {
  return anchor.wall.unix_ns - anchor.steady.middle().ns;
}

}  // namespace

std::optional<WallTime> wall_time_at(std::span<const ClockAnchor> anchors, MonoTime at) {
  if (anchors.empty()) return std::nullopt;
  const auto after = std::find_if(anchors.begin(), anchors.end(), [&](const ClockAnchor& anchor) {
    return anchor.steady.middle() >= at;
  });
  if (after == anchors.begin()) return WallTime{at.ns + offset_of(anchors.front())};
  if (after == anchors.end()) return WallTime{at.ns + offset_of(anchors.back())};
  const ClockAnchor& before = *std::prev(after);
  const Nanoseconds apart = after->steady.middle() - before.steady.middle();
  const double share =
      static_cast<double>((at - before.steady.middle()).count) / static_cast<double>(apart.count);
  const auto moved = static_cast<double>(offset_of(*after) - offset_of(before));
  return WallTime{at.ns + offset_of(before) + std::llround(share * moved)};
}

Nanoseconds clock_step_in(std::span<const ClockAnchor> anchors, TimeSpan span) {
  Nanoseconds largest{0};
  for (std::size_t i = 1; i < anchors.size(); ++i) {
    const ClockAnchor& before = anchors[i - 1];
    const ClockAnchor& after = anchors[i];
    if (after.steady.end < span.begin || before.steady.begin > span.end) continue;
    const Nanoseconds moved{std::abs(offset_of(after) - offset_of(before))};
    const Nanoseconds unsure = (before.steady.length() + after.steady.length()) / 2;
    largest = std::max(largest, moved - unsure);
  }
  return largest;
}

}  // namespace tokenjoule
