#pragma once

#include <optional>
#include <string>

#include "analysis/plan/amount.hpp"
#include "analysis/plan/conversions.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "model/plan.hpp"

namespace tokenjoule {

/// A quantity with what it is (PlanLine::kind) and where it comes from.
template <typename T>
struct Given {
  T value{};
  std::string kind = "stated";
  std::string formula = "as given";
};

/// What is known for a plan; each may be absent, and nothing absent is taken for zero. Units of
/// amounts as in Dimension. Ranges are the caller's to keep.
struct PlanInputs {
  std::optional<Given<JoulesPerToken>> energy;       ///< per output token, above 0
  std::optional<Given<Watts>> busy_power;            ///< while serving
  std::optional<Given<Watts>> idle_power;            ///< with no request running
  std::optional<Given<TokensPerSecond>> throughput;  ///< output tokens, above 0
  std::optional<Given<Joules>> query_energy;         ///< per answer, above 0
  std::optional<double> tokens_per_query;            ///< output tokens, above 0
  std::optional<double> busy_hours;                  ///< a day, 0 to 24
  std::optional<double> tokens_per_day;              ///< above 0
  std::optional<double> volts, amperes, power_factor;
  std::optional<int> phases;                         ///< 1 or 3
  std::optional<double> pue;                         ///< 1 or more
  std::optional<double> wue;                         ///< L per kWh of IT energy, at the site
  std::optional<double> grid_wue;                    ///< L per kWh of grid energy
  std::optional<double> grid_location, grid_market;  ///< gCO2e/kWh
  std::optional<Amount> electricity_price, token_price;
  std::optional<Amount> budget;          ///< energy, money or mass
  std::optional<Watts> installed_power;  ///< nominal, all IT of the data centre
  std::string from_note;  ///< a sentence on the result that figures came from; "" for none
};

/// All figures that follow from the inputs, each with formula, kind and source. Nothing to plan
/// from, an input whose partner is missing, and inputs that contradict each other are usage errors
/// that say which option to give.
Result<Plan> plan_of(const PlanInputs& inputs);

}  // namespace tokenjoule
