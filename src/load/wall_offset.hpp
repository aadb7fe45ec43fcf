#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace tokenjoule {

/// Carries the kernel's receive stamps, which are wall-clock times, over to the run's steady clock.
/// Pure: it is fed with readings of both clocks, each few milliseconds.
class WallOffset {
 public:
  /// A jump between two samples that is larger than this is a step of the wall clock.
  static constexpr Nanoseconds kStep = milliseconds(10);
  /// A reading that took longer than this was interrupted, and is not used once another is known.
  static constexpr Nanoseconds kWidest = microseconds(100);

  /// The wall clock, read between two reads of the steady one.
  /// @returns by how much the wall clock stepped since the last sample, where it did.
  std::optional<Nanoseconds> sample(TimeSpan steady, WallTime wall);

  /// The instant of a wall-clock stamp; needs a sample before.
  MonoTime steady_time(WallTime wall) const { return {wall.unix_ns - offset_ns_}; }

 private:
  bool known_ = false;
  std::int64_t offset_ns_ = 0;  ///< wall clock - steady clock
};

}  // namespace tokenjoule
