#pragma once

#include <optional>

#include "base/time.hpp"
#include "io/clock.hpp"

namespace tokenjoule {

/// The calendar of a sensor that keeps its own pace because what it asks is slow: a management
/// controller that takes seconds, a plug that renews its reading once a second.
class Pace {
 public:
  explicit Pace(Nanoseconds period) : period_(period) {}
  /// Waits for the next slot, but at most 100 ms. True: the slot has come and is taken. The first
  /// one comes at once; slots that passed while an answer was awaited are left out.
  bool wait_for_slot(Clock& clock);

 private:
  Nanoseconds period_;
  std::optional<MonoTime> due_;
};

}  // namespace tokenjoule
