#include "sensors/dcgm/energy_unit_check.hpp"

namespace tokenjoule {

namespace {
constexpr int kSteps = 3;
constexpr Joules kLeast(1);
constexpr double kThousandLow = 500, kThousandHigh = 2000;
}  // namespace

void EnergyUnitCheck::start_from(const Point& point) {
  first_energy_.reset();
  steps_ = 0;
  last_ = point;
}

void EnergyUnitCheck::add(MonoTime at, Joules energy, Watts power) {
  const Point point{at, energy, power};
  // Longer than any exporter collects: what flowed meanwhile is not known.
  constexpr Nanoseconds kLongestGap = whole_seconds(60);
  if (!last_ || energy < last_->energy || at - last_->at > kLongestGap) return start_from(point);
  if (first_energy_) integral_ += 0.5 * (last_->power + power) * to_seconds(at - last_->at);
  const bool stepped = energy > last_->energy;
  last_ = point;
  if (!stepped) return;
  if (!first_energy_) {
    first_energy_ = energy;
    integral_ = Joules();
    return;
  }
  ++steps_;
  energy_at_step_ = energy;
  integral_at_step_ = integral_;
}

std::optional<double> EnergyUnitCheck::ratio() const {
  if (steps_ < kSteps || integral_at_step_ < kLeast) return std::nullopt;
  return (energy_at_step_ - *first_energy_) / integral_at_step_;
}

const char* EnergyUnitCheck::fault() const {
  const auto found = ratio();
  if (!found) return nullptr;
  if (*found > kThousandLow && *found < kThousandHigh) return "1000 times too large";
  if (*found > 1 / kThousandHigh && *found < 1 / kThousandLow) return "1000 times too small";
  return nullptr;
}

}  // namespace tokenjoule
