#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "analysis/plan/plan_sections.hpp"

namespace tokenjoule {

namespace {

constexpr char kPueSource[] =
    "PUE = energy of the data centre / energy of its IT (ISO/IEC 30134-2)";
constexpr char kWueSource[] =
    "WUE = water / energy of the IT (ISO/IEC 30134-9); grid water as given";

/// An amount of IT energy that site figures are given for.
struct Base {
  std::string key;   ///< "per_million_tokens"
  std::string name;  ///< "per million tokens"
  Joules energy;
};

std::vector<Base> bases(const PlanInputs& in) {
  std::vector<Base> all;
  if (in.energy)
    all.push_back(
        {"per_million_tokens", "per million tokens", Joules(in.energy->value.value() * 1e6)});
  if (in.query_energy) all.push_back({"per_query", "per query", in.query_energy->value});
  if (const auto day = energy_per_day(in)) all.push_back({"per_day", "per day", day->value});
  return all;
}

/// "× PUE " where one was given.
std::string pue_in(const PlanInputs& in) { return in.pue ? " × PUE" : ""; }

double site_kwh(const PlanInputs& in, Joules it) {
  return kilowatt_hours(it) * in.pue.value_or(1);  // without a PUE: of the IT alone, as noted
}

void water_line(const PlanInputs& in, const Base& base, PlanWriter& out) {
  if (!in.wue && !in.grid_wue) return;
  double litres_per_kwh = 0;
  std::string formula;
  if (in.wue) {
    litres_per_kwh += *in.wue;
    formula = "IT kWh × WUE";
  }
  if (in.grid_wue) {
    litres_per_kwh += *in.grid_wue * in.pue.value_or(1);
    formula += (in.wue ? " + " : "") + ("IT kWh" + pue_in(in)) + " × grid water";
  }
  out.add({"", "water_" + base.key, "water " + base.name,
           kilowatt_hours(base.energy) * litres_per_kwh, "L", "modelled", formula, kWueSource, ""});
}

void lines_of(const PlanInputs& in, const Base& base, PlanWriter& out) {
  const double kwh = site_kwh(in, base.energy);
  const std::string energy = "IT kWh" + pue_in(in);
  if (in.pue) {
    out.add({"", "site_kilowatt_hours_" + base.key, "energy of the site " + base.name, kwh, "kWh",
             "modelled", energy, kPueSource, ""});
  }
  if (in.electricity_price) {
    out.add({"", "cost_" + base.key, "electricity " + base.name, kwh * in.electricity_price->value,
             in.electricity_price->currency, "modelled", energy + " × price", "", ""});
  }
  const auto carbon = [&](std::optional<double> factor, const std::string& basis) {
    if (!factor) return;
    out.add({"", "carbon_" + basis + "_based_" + base.key,
             "CO2e " + base.name + ", " + basis + "-based", kwh * *factor, "g", "modelled",
             energy + " × grid factor (" + basis + "-based)",
             "GHG Protocol Scope 2 Guidance: the two bases are never added or mixed", ""});
  };
  carbon(in.grid_location, "location");
  carbon(in.grid_market, "market");
  water_line(in, base, out);
}

bool asks_for_site(const PlanInputs& in) {
  return in.pue || in.wue || in.grid_wue || in.grid_location || in.grid_market;
}

/// The factors themselves, so that the lines below can be checked.
void factor_lines(const PlanInputs& in, PlanWriter& out) {
  const auto factor = [&out](const char* key, const char* title, std::optional<double> value,
                             const std::string& unit) {
    if (value) out.add({"", key, title, *value, unit, "stated", "as given", "", ""});
  };
  factor("pue", "PUE", in.pue, "1");
  factor("wue", "WUE", in.wue, "L/kWh");
  factor("grid_water", "water of the grid", in.grid_wue, "L/kWh");
  factor("grid_location_based", "grid factor, location-based", in.grid_location, "g/kWh");
  factor("grid_market_based", "grid factor, market-based", in.grid_market, "g/kWh");
  if (in.electricity_price) {
    factor("electricity_price", "price of electricity", in.electricity_price->value,
           in.electricity_price->currency + "/kWh");
  }
}

double whole(double count) { return std::floor(count * (1 + 1e-12)); }

/// Lines for what so much IT energy buys; `how` is its formula.
void bought(const PlanInputs& in, double it_joules, const std::string& key,
            const std::string& title, const std::string& how, PlanWriter& out) {
  const std::string suffix = key.empty() ? "" : "_" + key;
  const std::string of = title.empty() ? "" : ", " + title;
  if (in.query_energy) {
    out.add({"", "queries" + suffix, "queries that the budget buys" + of,
             whole(it_joules / in.query_energy->value.value()), "queries", "modelled",
             how + " / energy per query, rounded down", "", ""});
  }
  if (in.energy) {
    out.add({"", "tokens" + suffix, "output tokens that the budget buys" + of,
             whole(it_joules / in.energy->value.value()), "tokens", "modelled",
             how + " / energy per token, rounded down", "", ""});
  }
}

Status bought_with_money(const PlanInputs& in, PlanWriter& out) {
  if (!in.electricity_price) {
    return failure(ErrorKind::usage, "a budget of money needs the price of electricity",
                   "give --electricity-price 0.12EUR/kWh");
  }
  if (in.electricity_price->currency != in.budget->currency) {
    return failure(ErrorKind::usage,
                   fmt::format("--budget is in {}, --electricity-price in {}", in.budget->currency,
                               in.electricity_price->currency),
                   "give both in one currency");
  }
  if (in.electricity_price->value <= 0)
    return failure(ErrorKind::usage, "a price of 0 buys without end", "give a price above 0");
  const double kwh = in.budget->value / in.electricity_price->value / in.pue.value_or(1);
  bought(in, kwh * kJoulesPerKilowattHour, "", "",
         "money / price" + std::string(in.pue ? " / PUE" : ""), out);
  return {};
}

Status bought_with_carbon(const PlanInputs& in, PlanWriter& out) {
  if (!in.grid_location && !in.grid_market) {
    return failure(ErrorKind::usage, "a budget of CO2 needs a grid factor",
                   "give --grid-location 381g/kWh or --grid-market 50g/kWh");
  }
  const auto buy = [&](std::optional<double> factor, const std::string& basis) {
    if (!factor || *factor <= 0) return;
    const double kwh = in.budget->value / *factor / in.pue.value_or(1);
    bought(in, kwh * kJoulesPerKilowattHour, basis + "_based", basis + "-based",
           "mass / grid factor" + std::string(in.pue ? " / PUE" : ""), out);
  };
  buy(in.grid_location, "location");
  buy(in.grid_market, "market");
  return {};
}

}  // namespace

void plan_site(const PlanInputs& in, PlanWriter& out) {
  const auto all = bases(in);
  if (all.empty() || !(asks_for_site(in) || in.electricity_price)) return;
  out.section("site");
  factor_lines(in, out);
  for (const Base& base : all) lines_of(in, base, out);
  if (!in.pue) out.note("no --pue was given: cost, carbon and water are those of the IT alone");
  const bool boards = (in.energy && in.energy->kind == "measured_gpu") ||
                      (in.busy_power && in.busy_power->kind == "measured_gpu");
  if (boards) {
    out.note(
        "the figures are those of GPU boards: the rest of the servers is not in them, so the "
        "site's are too low");
  }
}

Status plan_budget(const PlanInputs& in, PlanWriter& out) {
  if (!in.budget) return {};
  if (!in.query_energy && !in.energy) {
    return failure(ErrorKind::usage, "what a budget buys needs the energy of a query or token",
                   "give --query-energy 0.34Wh, or --energy with --tokens-per-query");
  }
  out.section("budget");
  if (in.budget->dimension == Dimension::money) return bought_with_money(in, out);
  if (in.budget->dimension == Dimension::mass) return bought_with_carbon(in, out);
  bought(in, in.budget->value / in.pue.value_or(1), "", "",
         "energy" + std::string(in.pue ? " / PUE" : ""), out);
  return {};
}

Status plan_price_bound(const PlanInputs& in, PlanWriter& out) {
  if (!in.token_price) return {};
  if (!in.electricity_price || in.electricity_price->value <= 0) {
    return failure(ErrorKind::usage, "the bound that a price sets needs the price of electricity",
                   "give --electricity-price 0.12EUR/kWh, above 0");
  }
  if (in.electricity_price->currency != in.token_price->currency) {
    return failure(ErrorKind::usage,
                   fmt::format("--token-price is in {}, --electricity-price in {}",
                               in.token_price->currency, in.electricity_price->currency),
                   "give both in one currency");
  }
  const double bound =
      watt_hours_that_a_price_pays(in.token_price->value, in.electricity_price->value);
  out.section("price_bound");
  out.add({"", "watt_hours_per_million_tokens_at_most", "what the price can pay at the meter",
           bound, "Wh/Mtok", "ceiling", "price per million tokens / price per kWh × 1000", "", ""});
  if (in.pue) {
    out.add({"", "it_watt_hours_per_million_tokens_at_most", "of it for the IT", bound / *in.pue,
             "Wh/Mtok", "ceiling", "the bound / PUE", kPueSource, ""});
  }
  out.note(
      "the price's bound holds for a seller who does not lose on electricity alone; what is "
      "really used lies below it, how far is not known from the price");
  if (!in.energy) return {};
  const double used = watt_hours_per_million(in.energy->value) * in.pue.value_or(1);
  out.add({"", "electricity_share_of_price", "share of the price that electricity takes",
           100 * used / bound, "%", "modelled", "Wh/Mtok" + pue_in(in) + " / the bound", "", ""});
  return {};
}

}  // namespace tokenjoule
