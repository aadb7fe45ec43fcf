#pragma once

#include <optional>

#include "base/time.hpp"

namespace tokenjoule {

/// Makes a meter's counter of few bits continuous over its wraps. A reading below the last one is a
/// wrap only if the little that then must have passed could have: at most 1 MW since that reading,
/// and two steps. Anything else is a meter that was reset, and is given on as it is: lower, so that
/// the analysis sees it and drops the interval.
class CounterUnwrapper {
 public:
  /// @param modulus where the counter starts again, in its own unit. @param to_si of that unit.
  CounterUnwrapper(double modulus, double to_si) : modulus_(modulus), to_si_(to_si) {}

  /// The reading with all wraps so far added, in the counter's own unit.
  double unwrapped(double raw, MonoTime at);

 private:
  struct Last {
    double raw;
    MonoTime at;
  };
  double modulus_;
  double to_si_;
  double wrapped_ = 0;
  std::optional<Last> last_;
};

}  // namespace tokenjoule
