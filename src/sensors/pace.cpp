#include "sensors/pace.hpp"

#include <algorithm>

#include "sensors/sampler.hpp"

namespace tokenjoule {

bool Pace::wait_for_slot(Clock& clock) {
  constexpr Nanoseconds kPiece = milliseconds(100);
  const MonoTime before = clock.now();
  if (!due_) due_ = before;
  if (before < *due_) clock.sleep_until(std::min(*due_, before + kPiece), {});
  const MonoTime now = clock.now();
  if (now < *due_) return false;
  due_ = next_poll(*due_, period_, now).due;
  return true;
}

}  // namespace tokenjoule
