#pragma once

#include <optional>

#include "selftest/turn.hpp"

namespace tokenjoule {

/// The window of a turn: the emitter's once events have begun; of another server: all time.
inline std::optional<TimeSpan> window_of(const TurnPlan& plan, const SystemClock& clock) {
  if (plan.emitter != nullptr) return plan.emitter->window(clock);
  return TimeSpan{MonoTime{INT64_MIN / 2}, MonoTime{INT64_MAX / 2}};
}

/// window_of(), asked of the emitter only until it is known.
class TurnWindow {
 public:
  TurnWindow(const TurnPlan& plan, const SystemClock& clock) : plan_(plan), clock_(clock) {}
  const std::optional<TimeSpan>& get() {
    if (!known_) known_ = window_of(plan_, clock_);
    return known_;
  }

 private:
  const TurnPlan& plan_;
  const SystemClock& clock_;
  std::optional<TimeSpan> known_;
};

}  // namespace tokenjoule
