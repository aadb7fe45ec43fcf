#include "analysis/plan/conversions.hpp"

#include <cmath>

namespace tokenjoule {

namespace {

/// Watts for one ampere in each phase.
double watts_per_ampere(const Supply& supply) {
  const double lines = supply.phases == 3 ? std::sqrt(3.0) : 1.0;
  return lines * supply.volts * supply.power_factor;
}

}  // namespace

double amperes_per_phase(Watts power, const Supply& supply) {
  return power.value() / watts_per_ampere(supply);
}

Watts from_amperes_per_phase(double amperes, const Supply& supply) {
  return Watts(amperes * watts_per_ampere(supply));
}

}  // namespace tokenjoule
