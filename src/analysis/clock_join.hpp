#pragma once

#include <optional>
#include <span>

#include "base/time.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// The wall time of an instant, from the anchors around it: linear between two, by the nearest
/// one's offset outside of all. nullopt without an anchor. `anchors` in time order.
std::optional<WallTime> wall_time_at(std::span<const ClockAnchor> anchors, MonoTime at);

/// How far wall minus steady clock moved between the two anchors around or in the span, where it
/// moved most, less what the anchors' own uncertainty explains. 0 where it did not, or with fewer
/// than two anchors.
Nanoseconds clock_step_in(std::span<const ClockAnchor> anchors, TimeSpan span);

}  // namespace tokenjoule
