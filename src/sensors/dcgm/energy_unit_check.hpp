#pragma once

#include <optional>

#include "base/quantity.hpp"
#include "base/time.hpp"

namespace tokenjoule {

/// Holds an energy counter against the power of the same device while both are read: a counter of
/// joules that is taken for millijoules, or the other way round, is off by a thousand.
class EnergyUnitCheck {
 public:
  /// What a poll read: both of one device. Without one of them nothing is learnt.
  void add(MonoTime at, Joules energy, Watts power);

  /// The counter's energy over the integral of power, from the first step of the counter seen to
  /// its last one: from three steps on, and 1 J by power. nullopt before that.
  std::optional<double> ratio() const;
  /// "1000 times too large", "1000 times too small", where the ratio is within a factor of two of
  /// that (integrated power is off by far less); nullptr if not, or not known.
  const char* fault() const;

 private:
  struct Point {
    MonoTime at;
    Joules energy;
    Watts power;
  };
  void start_from(const Point& point);

  std::optional<Point> last_;
  std::optional<Joules> first_energy_;  ///< at the first step
  Joules integral_;                     ///< of power, since that step
  Joules integral_at_step_, energy_at_step_;
  int steps_ = 0;  ///< after the first
};

}  // namespace tokenjoule
