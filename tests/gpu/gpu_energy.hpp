#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "io/clock.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

/// An energy counter over a span.
struct CounterCheck {
  Signal signal;
  std::optional<Joules> energy;  ///< absent: it did not step on both sides of the span, or fell
  std::vector<double> steps_s;   ///< time from step to step, ascending
};

/// A power signal over the same span, against the counter of its GPU and boundary.
struct PowerCheck {
  Signal signal;
  std::optional<Watts> mean;    ///< absent: no reading beyond an edge
  std::optional<double> ratio;  ///< integrated power / counter; absent where either is unknown
};

struct EnergyCheck {
  Seconds length;
  std::int64_t polls_lost = 0;  ///< with the reasons below
  std::vector<std::string> losses;
  std::vector<CounterCheck> counters;
  std::vector<PowerCheck> powers;
};

/// Polls the nvml sensor every 5 ms for `length` and a second and a half around it, and compares
/// what it got. @param library "" for the driver's. Errors: those of opening the sensor.
Result<EnergyCheck> check_energy(const std::string& library, Seconds length, Clock& clock);

}  // namespace tokenjoule
