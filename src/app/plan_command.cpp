#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "analysis/plan/plan.hpp"
#include "analysis/plan/result_figures.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "base/text.hpp"
#include "io/file.hpp"
#include "report/plan.hpp"

namespace tokenjoule {

namespace {

using D = Dimension;

/// The option as an amount; nothing where it was not given.
Result<std::optional<double>> amount(const ParsedOptions& parsed, const std::string& option,
                                     D wanted) {
  const auto text = parsed.text(option);
  if (!text) return std::optional<double>();
  TRY(const Amount found, amount_in(*text, wanted, option));
  return std::optional<double>(found.value);
}

Result<std::optional<double>> amount_within(const ParsedOptions& parsed, const std::string& option,
                                            D wanted, double low, double high) {
  TRY(const auto value, amount(parsed, option, wanted));
  if (value && (*value < low || *value > high)) {
    return failure(ErrorKind::usage,
                   fmt::format("--{} {} is out of range", option, quoted(*parsed.text(option))),
                   fmt::format("give {} from {:g} to {:g}", name_of(wanted), low, high));
  }
  return value;
}

/// Above zero: what is divided by.
Result<std::optional<double>> positive(const ParsedOptions& parsed, const std::string& option,
                                       D wanted) {
  TRY(const auto value, amount(parsed, option, wanted));
  if (value && *value <= 0) {
    return failure(ErrorKind::usage,
                   fmt::format("--{} {} is not above zero", option, quoted(*parsed.text(option))),
                   fmt::format("give {} above zero", name_of(wanted)));
  }
  return value;
}

/// A figure of the command line; one that --from has as well must be the same within 1 %.
template <typename T>
Status take(std::optional<Given<T>>& into, const std::optional<double>& value,
            std::string_view option) {
  constexpr double kSame = 0.01;
  if (!value) return {};
  if (into && std::abs(*value - into->value.value()) > kSame * std::abs(into->value.value())) {
    return failure(ErrorKind::usage,
                   fmt::format("--{} and --from state different figures: {:.5g} and {:.5g}", option,
                               *value, into->value.value()),
                   "give one of both");
  }
  into = Given<T>{T(*value)};
  return {};
}

Status take_figures(const ParsedOptions& parsed, PlanInputs& in) {
  TRY(const auto energy, positive(parsed, "energy", D::energy_per_token));
  TRY(const auto power, positive(parsed, "power", D::power));
  TRY(const auto idle, amount(parsed, "idle-power", D::power));
  TRY(const auto rate, positive(parsed, "tokens-per-second", D::tokens_per_second));
  TRY(const auto query, positive(parsed, "query-energy", D::energy));
  TRY_DO(take(in.energy, energy, "energy"));
  TRY_DO(take(in.busy_power, power, "power"));
  TRY_DO(take(in.idle_power, idle, "idle-power"));
  TRY_DO(take(in.throughput, rate, "tokens-per-second"));
  TRY_DO(take(in.query_energy, query, "query-energy"));
  TRY(in.tokens_per_query, positive(parsed, "tokens-per-query", D::tokens));
  TRY(in.busy_hours, amount_within(parsed, "busy-hours", D::hours, 0, 24));
  TRY(in.tokens_per_day, positive(parsed, "tokens-per-day", D::tokens_per_day));
  return {};
}

Status take_supply(const ParsedOptions& parsed, PlanInputs& in) {
  TRY(in.volts, positive(parsed, "voltage", D::voltage));
  TRY(in.amperes, positive(parsed, "current", D::current));
  TRY(in.power_factor, amount_within(parsed, "power-factor", D::ratio, 0.01, 1));
  TRY(const auto phases, parsed.integer("phases", 1, 3));
  if (phases && *phases == 2)
    return failure(ErrorKind::usage, "--phases 2 is none", "give --phases 1 or 3");
  if (phases) in.phases = static_cast<int>(*phases);
  return {};
}

Status take_site(const ParsedOptions& parsed, PlanInputs& in) {
  TRY(in.pue, amount_within(parsed, "pue", D::ratio, 1, 10));
  TRY(in.wue, amount(parsed, "wue", D::water_intensity));
  TRY(in.grid_wue, amount(parsed, "grid-wue", D::water_intensity));
  // More than any grid emits: g that were written as kg.
  constexpr double kMostGrid = 2000;
  TRY(in.grid_location, amount_within(parsed, "grid-location", D::carbon_intensity, 0, kMostGrid));
  TRY(in.grid_market, amount_within(parsed, "grid-market", D::carbon_intensity, 0, kMostGrid));
  TRY(const auto installed, positive(parsed, "installed-power", D::power));
  if (installed) in.installed_power = Watts(*installed);
  return {};
}

Status take_money(const ParsedOptions& parsed, PlanInputs& in) {
  if (const auto text = parsed.text("electricity-price")) {
    TRY(in.electricity_price, amount_in(*text, D::electricity_price, "electricity-price"));
  }
  if (const auto text = parsed.text("token-price")) {
    TRY(in.token_price, amount_in(*text, D::token_price, "token-price"));
  }
  if (const auto text = parsed.text("budget")) {
    constexpr D kinds[] = {D::energy, D::money, D::mass};
    TRY(in.budget, amount_in(*text, kinds, "budget"));
  }
  return {};
}

Result<PlanInputs> inputs_in(const ParsedOptions& parsed) {
  PlanInputs in;
  if (const auto path = parsed.text("from")) {
    const std::filesystem::path given(*path);
    std::error_code none;
    const auto file = std::filesystem::is_directory(given, none) ? given / "result.json" : given;
    TRY(const std::string bytes, file_bytes(file));
    TRY(in, plan_inputs_in(bytes, file.string()));
  }
  TRY_DO(take_figures(parsed, in));
  TRY_DO(take_supply(parsed, in));
  TRY_DO(take_site(parsed, in));
  TRY_DO(take_money(parsed, in));
  return in;
}

std::vector<OptionSpec> plan_options();

Result<int> run_plan(const ParsedOptions& parsed) {
  const std::string format = parsed.text("format").value_or("table");
  if (format != "table" && format != "json" && format != "markdown") {
    return failure(ErrorKind::usage, fmt::format("--format {} is none", quoted(format)),
                   "give --format table, json or markdown");
  }
  TRY(const PlanInputs in, inputs_in(parsed));
  TRY(const Plan plan, plan_of(in));
  put_out(format == "json"       ? plan_json(plan)
          : format == "markdown" ? plan_markdown(plan)
                                 : plan_table(plan));
  return kExitUsable;
}

std::vector<OptionSpec> plan_options() {
  constexpr char kFigures[] = "Figures";
  constexpr char kHours[] = "Hours";
  constexpr char kSite[] = "Site and money";
  constexpr char kSupply[] = "Supply";
  return {
      value_option("--from", "FILE", "take figures from a result.json of ours (or its folder)",
                   kFigures),
      value_option("--energy", "E",
                   "energy per output token: 0.15J/token, 41.7Wh/Mtok, 24e6tokens/kWh", kFigures),
      value_option("--power,--busy-power", "P",
                   "power while serving: 4.8kW, 8x600W, 16378BTU/h, 115.2kWh/day", kFigures),
      value_option("--tokens-per-second", "R",
                   "output tokens a second, of the same machine as the power", kFigures),
      value_option("--query-energy", "E", "energy per query: 0.34Wh", kFigures),
      value_option("--tokens-per-query", "N", "output tokens per query", kFigures),
      value_option("--busy-hours", "H", "hours a day at the power above (default: 24)", kHours),
      value_option("--idle-power", "P", "power in the other hours; 0W if switched off", kHours),
      value_option("--tokens-per-day", "N",
                   "output tokens a day that idle hours are charged to: 50M", kHours),
      value_option("--pue", "X", "energy of the data centre / energy of its IT, 1 or more", kSite),
      value_option("--wue", "W", "water at the site: 0.4L/kWh of IT energy", kSite),
      value_option("--grid-wue", "W", "water of the grid's power stations: 1.95L/kWh", kSite),
      value_option("--grid-location", "G", "grid factor, location-based: 381g/kWh", kSite),
      value_option("--grid-market", "G", "grid factor, market-based (by contract): 50g/kWh", kSite),
      value_option("--electricity-price", "C", "price of electricity: 0.12EUR/kWh", kSite),
      value_option("--token-price", "C", "price of output tokens: 0.40EUR/Mtok", kSite),
      value_option("--budget", "B", "what is to be spent: 10kWh, 100EUR or 5kg of CO2e", kSite),
      value_option("--installed-power", "P",
                   "nominal power of all IT of the data centre: the EU's threshold and indicators",
                   kSite),
      value_option("--voltage", "U", "400V; with three phases between two lines", kSupply),
      value_option("--phases", "N", "1 or 3", kSupply),
      value_option("--power-factor", "F", "above 0, at most 1", kSupply),
      value_option("--current", "I", "amperes per phase, in place of --power: 7.1A", kSupply),
      value_option("--format", "table|json|markdown", "what is printed (default: table)", "Output"),
  };
}

}  // namespace

CommandSpec plan_command() {
  return {"plan",
          "converts energy, power, cost, carbon and water, both ways, with formulas and sources",
          "tokenjoule plan [options]   (amounts carry their unit: 4.8kW, 0.12EUR/kWh)",
          plan_options(),
          {"tokenjoule plan --energy 0.15J/token --electricity-price 0.12EUR/kWh --pue 1.2",
           "tokenjoule plan --power 8x600W --voltage 400V --phases 3 --power-factor 0.98",
           "tokenjoule plan --busy-power 4.8kW --idle-power 900W --busy-hours 10 "
           "--tokens-per-day 500M",
           "tokenjoule plan --token-price 0.40EUR/Mtok --electricity-price 0.12EUR/kWh",
           "tokenjoule plan --query-energy 0.34Wh --budget 10kWh",
           "tokenjoule plan --power 430kW --installed-power 520kW --pue 1.2 --wue 0.4L/kWh"},
          0,
          run_plan};
}

}  // namespace tokenjoule
