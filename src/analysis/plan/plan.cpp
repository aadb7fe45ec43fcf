#include "analysis/plan/plan.hpp"

#include <cmath>

#include <fmt/format.h>

#include "analysis/plan/plan_sections.hpp"

namespace tokenjoule {

namespace {

/// Further apart than this, power / throughput and energy per token are not of the same thing.
constexpr double kContradiction = 0.01;

/// Kind of what follows from two figures: the same if both are, else a model.
std::string joint_kind(const std::string& a, const std::string& b) {
  return a == b ? a : "modelled";
}

/// Fills in the third of energy per token, power and throughput where two are known.
Result<PlanInputs> completed(PlanInputs in) {
  if (in.amperes && in.busy_power)
    return failure(ErrorKind::usage, "--power and --current both state the power", "give one");
  const bool energy = in.energy.has_value();
  const bool power = in.busy_power.has_value();
  const bool rate = in.throughput.has_value();
  if (energy && power && rate) {
    const double other = in.busy_power->value.value() / in.throughput->value.value();
    const double stated = in.energy->value.value();
    if (std::abs(other / stated - 1) > kContradiction) {
      return failure(ErrorKind::usage,
                     fmt::format("power / throughput is {:.4g} J/token, the energy given {:.4g}",
                                 other, stated),
                     "give two of --energy, --power and --tokens-per-second");
    }
  } else if (power && rate) {
    in.energy = {{in.busy_power->value / in.throughput->value,
                  joint_kind(in.busy_power->kind, in.throughput->kind), "W / (tokens/s)"}};
  } else if (energy && rate) {
    in.busy_power = {{in.energy->value * in.throughput->value,
                      joint_kind(in.energy->kind, in.throughput->kind), "J/token × tokens/s"}};
  } else if (energy && power) {
    in.throughput = {{in.busy_power->value / in.energy->value,
                      joint_kind(in.energy->kind, in.busy_power->kind), "W / (J/token)"}};
  }
  if (!in.query_energy && in.energy && in.tokens_per_query) {
    const Joules query(in.energy->value.value() * *in.tokens_per_query);
    in.query_energy = {{query, in.energy->kind, "J/token × tokens per query / 3600"}};
  }
  return in;
}

Status needs_idle_power(const PlanInputs& in) {
  if (!in.busy_hours || *in.busy_hours >= 24 || !in.busy_power || in.idle_power) return {};
  return failure(
      ErrorKind::usage,
      fmt::format("the power of the other {:g} hours a day is not known", 24 - *in.busy_hours),
      "give --idle-power (0W if the machine is off then)");
}

/// Figures that cannot be true together.
Status no_contradiction(const PlanInputs& in) {
  const auto contradiction = [](std::string what, const char* next) {
    return failure(ErrorKind::usage, std::move(what), next);
  };
  if (in.query_energy && in.energy && in.tokens_per_query) {
    const double product = in.energy->value.value() * *in.tokens_per_query;
    const double stated = in.query_energy->value.value();
    if (std::abs(product / stated - 1) > kContradiction)
      return contradiction(
          fmt::format("energy per token × tokens per query is {:.4g} J, the energy "
                      "per query given {:.4g} J",
                      product, stated),
          "give two of --energy, --tokens-per-query and --query-energy");
  }
  if (in.idle_power && in.busy_power && in.idle_power->value > in.busy_power->value)
    return contradiction(fmt::format("an idle power of {:g} W is above the {:g} W while serving",
                                     in.idle_power->value.value(), in.busy_power->value.value()),
                         "see whether --idle-power and --power are the other way round");
  if (in.idle_power && in.idle_power->kind == "stated" && in.busy_hours && *in.busy_hours >= 24)
    return contradiction("with 24 busy hours a day there are none for --idle-power",
                         "leave --idle-power out, or lower --busy-hours");
  if (in.tokens_per_day && in.throughput) {
    const double most =
        in.throughput->value.value() * in.busy_hours.value_or(24) * 3600;  // of the busy hours
    if (*in.tokens_per_day > most * (1 + kContradiction))
      return contradiction(
          fmt::format("{:g} tokens a day are more than the {:.5g} of {:g} hours at {:g} tokens/s",
                      *in.tokens_per_day, most, in.busy_hours.value_or(24),
                      in.throughput->value.value()),
          "raise --busy-hours, or lower --tokens-per-day");
  }
  if (in.installed_power && in.busy_power && in.busy_power->value > *in.installed_power)
    return contradiction(fmt::format("{:g} W while serving are more than the {:g} W installed",
                                     in.busy_power->value.value(), in.installed_power->value()),
                         "see whether --power and --installed-power are the other way round");
  return {};
}

/// What was given and is used by nothing: silence would pass for an answer.
Status all_used(const PlanInputs& in) {
  const auto alone = [](const char* option, const char* partner) {
    return failure(ErrorKind::usage, fmt::format("{} alone says nothing", option),
                   fmt::format("give also {}", partner));
  };
  const bool power = in.busy_power || in.amperes;
  if (in.tokens_per_query && !in.energy && !in.query_energy)
    return alone("--tokens-per-query", "--energy or --query-energy");
  if (in.throughput && !in.energy && !power)
    return alone("--tokens-per-second", "--energy or --power");
  if (in.idle_power && in.idle_power->kind == "stated" && !in.busy_hours)
    return alone("--idle-power", "--busy-hours");
  if (in.busy_hours && !power) return alone("--busy-hours", "--power");
  const bool energy = in.energy || in.query_energy || power;
  if ((in.grid_location || in.grid_market || in.grid_wue) && !energy)
    return alone("a grid factor", "--energy, --query-energy or --power");
  if (in.wue && !energy && !in.installed_power)
    return alone("--wue", "--energy, --query-energy or --power");
  if (in.pue && !energy && !in.installed_power && !in.token_price)
    return alone("--pue", "--energy, --query-energy or --power");
  if (in.electricity_price && !energy && !in.token_price)
    return alone("--electricity-price", "--energy, --power or --token-price");
  return {};
}

}  // namespace

std::string extended(const std::string& kind) {
  return kind.rfind("measured", 0) == 0 ? "modelled" : kind;
}

std::optional<Given<Joules>> energy_per_day(const PlanInputs& in) {
  if (!in.busy_power) return std::nullopt;
  const double hours = in.busy_hours.value_or(24);
  if (hours < 24 && !in.idle_power) return std::nullopt;
  const Watts idle = in.idle_power ? in.idle_power->value : Watts(0);  // of no hours at 24
  return Given<Joules>{energy_of_day(in.busy_power->value, idle, hours),
                       extended(in.busy_power->kind), ""};
}

Result<Plan> plan_of(const PlanInputs& inputs) {
  TRY(PlanInputs in, completed(inputs));
  TRY_DO(needs_idle_power(in));
  TRY_DO(all_used(in));
  TRY_DO(no_contradiction(in));
  Plan plan;
  PlanWriter out(plan);
  if (!in.from_note.empty()) out.note(in.from_note);
  TRY_DO(plan_current(in, out));
  if (in.amperes) {  // now a power as any other
    const Supply supply{*in.volts, *in.power_factor, *in.phases};
    in.busy_power = {{from_amperes_per_phase(*in.amperes, supply), "stated", "from the current"}};
    TRY(in, completed([&in] {
          PlanInputs without = in;
          without.amperes.reset();
          return without;
        }()));
    TRY_DO(needs_idle_power(in));
  }
  plan_energy_per_token(in, out);
  plan_power(in, out);
  plan_query(in, out);
  TRY_DO(plan_idle_hours(in, out));
  plan_site(in, out);
  TRY_DO(plan_budget(in, out));
  TRY_DO(plan_price_bound(in, out));
  plan_eu(in, out);
  if (plan.lines.empty()) {
    return failure(ErrorKind::usage, "there is nothing to plan from",
                   "give --energy 0.15J/token, --power 4.8kW or --from result.json; see tokenjoule "
                   "plan --help");
  }
  return plan;
}

}  // namespace tokenjoule
