#include "load/wall_offset.hpp"

#include <utility>

namespace tokenjoule {

std::optional<Nanoseconds> WallOffset::sample(TimeSpan steady, WallTime wall) {
  if (known_ && steady.length() > kWidest) return std::nullopt;
  const std::int64_t before = std::exchange(offset_ns_, wall.unix_ns - steady.middle().ns);
  if (!std::exchange(known_, true)) return std::nullopt;
  const Nanoseconds change{offset_ns_ - before};
  const bool step = change > kStep || change < Nanoseconds{} - kStep;
  return step ? std::optional(change) : std::nullopt;
}

}  // namespace tokenjoule
