#pragma once

#include "base/quantity.hpp"

/// The conversions of the trade, from SI units. The other way goes through the units of amount.hpp.
namespace tokenjoule {

/// 1 kWh = 3.6 × 10⁶ J, exact: 1 h = 3600 s (SI Brochure, 9th edition, table 8).
constexpr double kJoulesPerKilowattHour = 3.6e6;
/// The International Table British thermal unit, exact by definition (Fifth International
/// Conference on the Properties of Steam, London 1956; NIST SP 811, appendix B.8).
constexpr double kJoulesPerBtu = 1055.05585262;
/// One ton of refrigeration = 12 000 BTU/h = 3516.85 W (NIST SP 811, appendix B.8).
constexpr double kBtuPerHourPerTon = 12000;
/// A year of 365 days.
constexpr double kHoursPerYear = 8760;

/// Wh per million tokens = J/token × 10⁶ / 3600; 1 J/token is 277.78.
constexpr double watt_hours_per_million(JoulesPerToken energy) {
  return energy.value() * 1e6 / kJoulesPerWattHour;
}
/// Tokens per kWh = 3.6 × 10⁶ / (J/token); energy must be above 0.
constexpr double tokens_per_kilowatt_hour(JoulesPerToken energy) {
  return kJoulesPerKilowattHour / energy.value();
}

constexpr double kilowatt_hours(Joules energy) { return energy.value() / kJoulesPerKilowattHour; }
/// Energy of one day with `busy_hours` (0 to 24) at one power and the rest at the other.
constexpr Joules energy_of_day(Watts busy, Watts idle, double busy_hours) {
  return busy * Seconds(busy_hours * 3600) + idle * Seconds((24 - busy_hours) * 3600);
}

/// Heat: BTU/h = W × 3600 / 1055.05585262.
constexpr double btu_per_hour(Watts power) { return power.value() * 3600 / kJoulesPerBtu; }
constexpr double tons_of_cooling(Watts power) { return btu_per_hour(power) / kBtuPerHourPerTon; }

/// How a machine is fed. With three phases the voltage is that between two lines.
struct Supply {
  double volts = 0;         ///< above 0
  double power_factor = 1;  ///< above 0, at most 1
  int phases = 1;           ///< 1 or 3
};
/// Amperes in each phase: P / (U cos φ); with three phases P / (√3 U cos φ), load balanced.
double amperes_per_phase(Watts power, const Supply& supply);
Watts from_amperes_per_phase(double amperes, const Supply& supply);

/// The most Wh that a million tokens may take if their whole price went to electricity:
/// price per million tokens / price per kWh × 1000. Prices in one currency; electricity above 0.
constexpr double watt_hours_that_a_price_pays(double token_price, double electricity_price) {
  return token_price / electricity_price * 1000;
}

}  // namespace tokenjoule
