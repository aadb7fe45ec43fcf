#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tokenjoule {

/// What an amount on the command line may be, with the unit that its value is kept in.
enum class Dimension {
  power,              ///< W
  energy,             ///< J
  energy_per_token,   ///< J/token
  money,              ///< the currency
  electricity_price,  ///< currency/kWh
  token_price,        ///< currency per million tokens
  mass,               ///< g (of CO2 equivalent)
  carbon_intensity,   ///< g/kWh
  water_intensity,    ///< L/kWh
  voltage,            ///< V
  current,            ///< A
  hours,              ///< h
  tokens,             ///< tokens
  tokens_per_day,     ///< tokens/day
  tokens_per_second,  ///< tokens/s
  ratio,              ///< a bare number
};
std::string_view name_of(Dimension dimension);

/// A number in the unit of its dimension; `currency` ("EUR") where it is money.
struct Amount {
  Dimension dimension = Dimension::ratio;
  double value = 0;
  std::string currency;
};

/// "4.8kW", "8x600W" (8 times 600 W), "0.12EUR/kWh", "$0.40/Mtok", "24000tokens/kWh" as an amount
/// of the dimension. Zero and more only (above zero for units of the form token/J). Errors (usage)
/// name the option and say what is missing or mistyped, and the units known.
Result<Amount> amount_in(std::string_view text, Dimension wanted, std::string_view option);
/// The same where several dimensions may stand; the unit decides.
Result<Amount> amount_in(std::string_view text, std::span<const Dimension> wanted,
                         std::string_view option);

/// The units that the dimension knows, "W, kW, MW, …".
std::string units_of(Dimension dimension);

}  // namespace tokenjoule
