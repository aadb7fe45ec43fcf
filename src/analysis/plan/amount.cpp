#include "analysis/plan/amount.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "analysis/plan/conversions.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

using D = Dimension;

/// A unit; `inverse`: the amount is `factor` divided by the number written.
struct Unit {
  D dimension;
  std::string_view name;
  double factor;
  bool inverse = false;
};

constexpr double kDay = 86400;
constexpr double kYear = 365 * kDay;
constexpr double kKwh = kJoulesPerKilowattHour;
constexpr double kTon = kBtuPerHourPerTon * kJoulesPerBtu / 3600;

// Behind a currency the name starts with "/". The first unit of a dimension is the one it is kept
// in or the one that people write; spellings of one unit stand together.
constexpr Unit kUnits[] = {
    {D::power, "W", 1},
    {D::power, "kW", 1e3},
    {D::power, "MW", 1e6},
    {D::power, "GW", 1e9},
    {D::power, "BTU/h", kJoulesPerBtu / 3600},
    {D::power, "ton", kTon},
    {D::power, "tons", kTon},
    {D::power, "kWh/day", kKwh / kDay},
    {D::power, "MWh/day", 1e3 * kKwh / kDay},
    {D::power, "MJ/day", 1e6 / kDay},
    {D::power, "kWh/year", kKwh / kYear},
    {D::power, "MWh/year", 1e3 * kKwh / kYear},
    {D::energy, "J", 1},
    {D::energy, "kJ", 1e3},
    {D::energy, "MJ", 1e6},
    {D::energy, "GJ", 1e9},
    {D::energy, "mWh", 3.6},
    {D::energy, "Wh", 3600},
    {D::energy, "kWh", kKwh},
    {D::energy, "MWh", 1e3 * kKwh},
    {D::energy, "GWh", 1e6 * kKwh},
    {D::energy, "BTU", kJoulesPerBtu},
    {D::energy_per_token, "J/token", 1},
    {D::energy_per_token, "J/tok", 1},
    {D::energy_per_token, "mJ/token", 1e-3},
    {D::energy_per_token, "Wh/token", 3600},
    {D::energy_per_token, "J/Mtok", 1e-6},
    {D::energy_per_token, "Wh/Mtok", 3600e-6},
    {D::energy_per_token, "Wh/Mtokens", 3600e-6},
    {D::energy_per_token, "kWh/Mtok", 3.6},
    {D::energy_per_token, "kWh/Mtokens", 3.6},
    {D::energy_per_token, "tokens/J", 1, true},
    {D::energy_per_token, "tokens/Wh", 3600, true},
    {D::energy_per_token, "tokens/kWh", kKwh, true},
    {D::energy_per_token, "tok/kWh", kKwh, true},
    {D::energy_per_token, "Mtok/kWh", 3.6, true},
    {D::money, "", 1},
    {D::electricity_price, "/kWh", 1},
    {D::electricity_price, "/MWh", 1e-3},
    {D::token_price, "/Mtok", 1},
    {D::token_price, "/Mtokens", 1},
    {D::token_price, "/ktok", 1e3},
    {D::token_price, "/token", 1e6},
    {D::mass, "g", 1},
    {D::mass, "kg", 1e3},
    {D::mass, "t", 1e6},
    {D::mass, "gCO2e", 1},
    {D::mass, "kgCO2e", 1e3},
    {D::mass, "tCO2e", 1e6},
    {D::carbon_intensity, "g/kWh", 1},
    {D::carbon_intensity, "gCO2e/kWh", 1},
    {D::carbon_intensity, "kg/kWh", 1e3},
    {D::carbon_intensity, "kgCO2e/kWh", 1e3},
    {D::carbon_intensity, "kg/MWh", 1},
    {D::carbon_intensity, "t/GWh", 1},
    {D::water_intensity, "L/kWh", 1},
    {D::water_intensity, "l/kWh", 1},
    {D::water_intensity, "mL/kWh", 1e-3},
    {D::water_intensity, "m3/MWh", 1},
    {D::voltage, "V", 1},
    {D::voltage, "kV", 1e3},
    {D::current, "A", 1},
    {D::hours, "h", 1},
    {D::hours, "", 1},
    {D::hours, "min", 1.0 / 60},
    {D::tokens, "", 1},
    {D::tokens, "tokens", 1},
    {D::tokens, "k", 1e3},
    {D::tokens, "M", 1e6},
    {D::tokens_per_day, "", 1},
    {D::tokens_per_day, "k", 1e3},
    {D::tokens_per_day, "M", 1e6},
    {D::tokens_per_day, "G", 1e9},
    {D::tokens_per_day, "Mtok/day", 1e6},
    {D::tokens_per_day, "tokens/day", 1},
    {D::tokens_per_second, "tokens/s", 1},
    {D::tokens_per_second, "tok/s", 1},
    {D::tokens_per_second, "", 1},
    {D::ratio, "", 1},
};

bool is_money(D dimension) {
  return dimension == D::money || dimension == D::electricity_price || dimension == D::token_price;
}

/// The currency at the start of `unit`, which then starts behind it; "" where there is none.
std::string take_currency(std::string_view& unit) {
  constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"$", "USD"}, {"€", "EUR"}, {"£", "GBP"}};
  for (const auto& [sign, code] : signs) {
    if (!starts_with(unit, sign)) continue;
    unit.remove_prefix(sign.size());
    return std::string(code);
  }
  const bool code = unit.size() >= 3 && std::all_of(unit.begin(), unit.begin() + 3,
                                                    [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!code || (unit.size() > 3 && unit[3] != '/')) return "";
  const std::string currency(unit.substr(0, 3));
  unit.remove_prefix(3);
  return currency;
}

/// A number with what stands in front of it (a currency sign) and behind it.
struct Written {
  double number = 0;
  std::string unit;
};

std::size_t length_of_number(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() &&
         std::string_view("0123456789.+-").find(text[length]) != std::string_view::npos)
    ++length;
  // An exponent, but not the e of a unit.
  const std::string_view rest = text.substr(length);
  if (rest.size() >= 2 && (rest[0] == 'e' || rest[0] == 'E')) {
    std::size_t digits = rest[1] == '-' || rest[1] == '+' ? 2 : 1;
    const std::size_t first = digits;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    if (digits > first) length += digits;
  }
  return length;
}

std::optional<Written> written_in(std::string_view text) {
  text = trimmed(text);
  std::string sign;
  for (const std::string_view symbol : {"$", "€", "£"}) {
    if (!starts_with(text, symbol)) continue;
    sign = symbol;
    text.remove_prefix(symbol.size());
  }
  const std::size_t length = length_of_number(text);
  const auto number = number_in(text.substr(0, length));
  if (!number) return std::nullopt;
  return Written{*number, sign + std::string(trimmed(text.substr(length)))};
}

/// "8x600W" as 8 and "600W"; 1 and the whole text where no number of things stands in front.
std::pair<double, std::string_view> times_in(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return {1, text};
  const auto count = integer_in(trimmed(text.substr(0, cross)));
  if (!count || *count < 1) return {1, text};
  return {static_cast<double>(*count), text.substr(cross + 1)};
}

const Unit* unit_named(std::string_view name, D dimension) {
  for (const Unit& unit : kUnits) {
    if (unit.dimension == dimension && unit.name == name) return &unit;
  }
  return nullptr;
}

std::string units_of_all(std::span<const D> wanted) {
  std::string all;
  for (const D dimension : wanted) all += (all.empty() ? "" : "; ") + units_of(dimension);
  return all;
}

std::string names_of_all(std::span<const D> wanted) {
  std::string all;
  for (const D dimension : wanted)
    all += (all.empty() ? "" : " or ") + std::string(name_of(dimension));
  return all;
}

/// What is wrong with the unit, as far as it can be told.
std::string complaint_on_unit(std::string_view unit, std::span<const D> wanted) {
  if (unit.empty()) return "has no unit";
  std::string_view bare = unit;
  const bool currency = !take_currency(bare).empty();
  for (const Unit& known : kUnits) {
    const bool same = is_money(known.dimension) ? currency && known.name == bare
                                                : !known.name.empty() && known.name == unit;
    if (same)
      return fmt::format("is {}, where {} is wanted", name_of(known.dimension),
                         names_of_all(wanted));
  }
  if (!currency && starts_with(unit, "/")) return "has no currency in front of its unit";
  std::vector<std::string> names;
  for (const Unit& known : kUnits) {
    if (std::find(wanted.begin(), wanted.end(), known.dimension) != wanted.end())
      names.emplace_back(known.name);
  }
  for (const std::string& name : names) {
    if (lower_case(name) == lower_case(unit))
      return fmt::format("has an unknown unit {} (did you mean {}?)", quoted(unit), name);
  }
  return fmt::format("has an unknown unit {}{}", quoted(unit), did_you_mean(unit, names));
}

tl::unexpected<Error> bad_amount(std::string_view text, std::span<const D> wanted,
                                 std::string_view option, const std::string& complaint) {
  return failure(
      ErrorKind::usage, fmt::format("--{} \"{}\" {}", option, quoted(text), complaint),
      fmt::format("{} is written with one of: {}", names_of_all(wanted), units_of_all(wanted)));
}

}  // namespace

std::string_view name_of(Dimension dimension) {
  switch (dimension) {
    case D::power: return "a power";
    case D::energy: return "an energy";
    case D::energy_per_token: return "an energy per token";
    case D::money: return "an amount of money";
    case D::electricity_price: return "a price of electricity";
    case D::token_price: return "a price of tokens";
    case D::mass: return "a mass of CO2";
    case D::carbon_intensity: return "a grid factor";
    case D::water_intensity: return "a water use";
    case D::voltage: return "a voltage";
    case D::current: return "a current";
    case D::hours: return "a number of hours";
    case D::tokens: return "a number of tokens";
    case D::tokens_per_day: return "a number of tokens a day";
    case D::tokens_per_second: return "a throughput";
    case D::ratio: return "a bare number";
  }
  return "an amount";
}

std::string units_of(Dimension dimension) {
  std::string all;
  for (const Unit& unit : kUnits) {
    if (unit.dimension != dimension) continue;
    std::string name(unit.name);
    if (is_money(dimension)) name = "EUR" + name;
    if (name.empty()) name = "no unit";
    all += (all.empty() ? "" : ", ") + name;
  }
  return is_money(dimension) ? all + " (any currency: three capitals, $, € or £)" : all;
}

Result<Amount> amount_in(std::string_view text, std::span<const Dimension> wanted,
                         std::string_view option) {
  const auto [times, each] = times_in(text);
  const auto written = written_in(each);
  if (!written) return bad_amount(text, wanted, option, "does not start with a number");
  for (const D dimension : wanted) {
    std::string_view name = written->unit;
    std::string currency;
    if (is_money(dimension)) {
      currency = take_currency(name);
      if (currency.empty()) continue;
    }
    const Unit* unit = unit_named(name, dimension);
    if (unit == nullptr) continue;
    const double number = written->number * times;
    if (number < 0) return bad_amount(text, wanted, option, "is below zero");
    const double value = unit->inverse ? unit->factor / number : number * unit->factor;
    if (!std::isfinite(value)) return bad_amount(text, wanted, option, "has no finite value");
    return Amount{dimension, value, currency};
  }
  return bad_amount(text, wanted, option, complaint_on_unit(written->unit, wanted));
}

Result<Amount> amount_in(std::string_view text, Dimension wanted, std::string_view option) {
  return amount_in(text, std::span(&wanted, 1), option);
}

}  // namespace tokenjoule
