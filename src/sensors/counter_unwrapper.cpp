#include "sensors/counter_unwrapper.hpp"

namespace tokenjoule {

double CounterUnwrapper::unwrapped(double raw, MonoTime at) {
  // More than any one meter carries (a 400 V feed of 63 A: 44 kW), and little beside 2^31 steps.
  constexpr double kMostWatts = 1e6;
  if (last_ && raw < last_->raw) {
    const double passed = modulus_ - last_->raw + raw;
    const double most = kMostWatts * to_seconds(at - last_->at).value() / to_si_ + 2;
    wrapped_ = passed <= most ? wrapped_ + modulus_ : 0;
  }
  last_ = Last{raw, at};
  return raw + wrapped_;
}

}  // namespace tokenjoule
