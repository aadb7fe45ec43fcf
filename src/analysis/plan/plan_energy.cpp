#include <fmt/format.h>

#include "analysis/plan/plan_sections.hpp"

namespace tokenjoule {

namespace {

constexpr char kHourSource[] = "1 h = 3600 s, exact (SI Brochure, 9th ed., table 8)";
constexpr char kBtuSource[] = "1 BTU = 1055.05585262 J (International Table; NIST SP 811, B.8)";
constexpr char kTonSource[] = "1 ton of refrigeration = 12 000 BTU/h (NIST SP 811, B.8)";

void heat_lines(const Given<Watts>& power, PlanWriter& out) {
  out.add({"", "btu_per_hour", "heat to be removed", btu_per_hour(power.value), "BTU/h", power.kind,
           "W × 3600 / 1055.05585262", kBtuSource, ""});
  out.add({"", "tons_of_cooling", "cooling", tons_of_cooling(power.value), "tons", power.kind,
           "BTU/h / 12 000", kTonSource, ""});
}

void day_lines(const PlanInputs& in, PlanWriter& out) {
  const auto day = energy_per_day(in);
  if (!day) return;
  const bool all_day = in.busy_hours.value_or(24) >= 24;
  const std::string hours = all_day ? "W × 24 h / 1000"
                                    : fmt::format("(busy W × {:g} h + idle W × {:g} h) / 1000",
                                                  *in.busy_hours, 24 - *in.busy_hours);
  const double kwh = kilowatt_hours(day->value);
  out.add({"", "kilowatt_hours_per_day", "energy a day", kwh, "kWh", day->kind, hours, "", ""});
  out.add({"", "megajoules_per_day", "the same", day->value.value() / 1e6, "MJ", day->kind,
           "kWh × 3.6", kHourSource, ""});
  out.add({"", "kilowatt_hours_per_year", "energy a year", kwh * kHoursPerYear / 24, "kWh",
           day->kind, "kWh a day × 365", "a year of 365 days", ""});
  if (all_day || !in.idle_power) return;
  const double idle = in.idle_power->value.value() * (24 - *in.busy_hours) / 1000;
  out.add({"", "idle_kilowatt_hours_per_day", "of it in idle hours", idle, "kWh", day->kind,
           fmt::format("idle W × {:g} h / 1000", 24 - *in.busy_hours), "", ""});
}

}  // namespace

void plan_energy_per_token(const PlanInputs& in, PlanWriter& out) {
  if (!in.energy) return;
  const JoulesPerToken energy = in.energy->value;
  const std::string& kind = in.energy->kind;
  const double wh = watt_hours_per_million(energy);
  out.section("energy_per_token");
  out.add({"", "joules_per_token", "energy per output token", energy.value(), "J/token", kind,
           in.energy->formula, "", ""});
  out.add({"", "watt_hours_per_million_tokens", "per million tokens", wh, "Wh/Mtok", kind,
           "J/token × 10⁶ / 3600", kHourSource, ""});
  out.add({"", "kilowatt_hours_per_million_tokens", "the same", wh / 1000, "kWh/Mtok", kind,
           "Wh/Mtok / 1000", "", ""});
  out.add({"", "tokens_per_kilowatt_hour", "tokens from one kWh", tokens_per_kilowatt_hour(energy),
           "tokens/kWh", kind, "3.6 × 10⁶ / (J/token)", kHourSource, ""});
}

void plan_power(const PlanInputs& in, PlanWriter& out) {
  if (!in.busy_power) return;
  const Given<Watts>& power = *in.busy_power;
  out.section("power");
  out.add({"", "watts", "power while serving", power.value.value(), "W", power.kind, power.formula,
           "", ""});
  if (in.throughput) {
    out.add({"", "tokens_per_second", "output tokens a second", in.throughput->value.value(),
             "tokens/s", in.throughput->kind, in.throughput->formula, "", ""});
  }
  day_lines(in, out);
  heat_lines(power, out);
}

Status plan_current(const PlanInputs& in, PlanWriter& out) {
  if (!in.volts && !in.amperes && !in.phases && !in.power_factor) return {};
  std::string missing;
  const auto need = [&missing](bool given, const char* option) {
    if (!given) missing += (missing.empty() ? "" : ", ") + std::string(option);
  };
  need(in.volts.has_value(), "--voltage 400V");
  need(in.phases.has_value(), "--phases 1 or 3");
  need(in.power_factor.has_value(), "--power-factor 0.98");
  need(in.busy_power || in.amperes, "--power 4.8kW or --current 12A");
  if (!missing.empty()) {
    return failure(ErrorKind::usage, "a current needs power, voltage, phases and power factor",
                   "give also " + missing);
  }
  const Supply supply{*in.volts, *in.power_factor, *in.phases};
  const std::string root = supply.phases == 3 ? "√3 × " : "";
  out.section("current");
  if (in.amperes) {
    const Watts power = from_amperes_per_phase(*in.amperes, supply);
    out.add({"", "watts", "power drawn", power.value(), "W", "stated",
             root + "V × A × power factor", "", ""});
    return {};
  }
  out.add({"", "amperes_per_phase", "current per phase",
           amperes_per_phase(in.busy_power->value, supply), "A", in.busy_power->kind,
           "W / (" + root + "V × power factor)",
           supply.phases == 3 ? "voltage between two lines, balanced load" : "", ""});
  return {};
}

void plan_query(const PlanInputs& in, PlanWriter& out) {
  if (!in.query_energy) return;
  const Given<Joules>& query = *in.query_energy;
  out.section("query");
  out.add({"", "watt_hours_per_query", "energy per query", query.value.value() / kJoulesPerWattHour,
           "Wh", query.kind, query.formula, kHourSource, ""});
  out.add({"", "joules_per_query", "the same", query.value.value(), "J", query.kind, "Wh × 3600",
           kHourSource, ""});
  if (in.tokens_per_query && !in.energy) {
    out.add({"", "joules_per_token", "per output token", query.value.value() / *in.tokens_per_query,
             "J/token", query.kind, "J per query / tokens per query", "", ""});
  }
}

Status plan_idle_hours(const PlanInputs& in, PlanWriter& out) {
  if (!in.tokens_per_day && !(in.busy_hours && in.throughput)) return {};
  const auto day = energy_per_day(in);
  if (!day || !in.busy_hours || !in.idle_power) {
    if (!in.tokens_per_day) return {};
    return failure(ErrorKind::usage, "idle hours are charged to tokens by four figures",
                   "give --busy-power, --idle-power, --busy-hours and --tokens-per-day");
  }
  const double seconds = *in.busy_hours * 3600;
  const bool counted = in.tokens_per_day.has_value();
  const double tokens = counted ? *in.tokens_per_day : in.throughput->value.value() * seconds;
  if (tokens <= 0)
    return failure(ErrorKind::usage, "there are no busy hours", "raise --busy-hours");
  const double busy = in.busy_power->value.value() * seconds / tokens;
  const double loaded = in.energy ? in.energy->value.value() : busy;
  const double whole = day->value.value() / tokens;
  const std::string kind = counted ? day->kind : extended(in.throughput->kind);
  out.section("idle_hours");
  out.add({"", "tokens_per_day", "output tokens a day", tokens, "tokens", kind,
           counted ? "as given" : "tokens/s × busy hours × 3600", "", ""});
  out.add({"", "joules_per_token_loaded", "while serving", loaded, "J/token",
           in.energy ? in.energy->kind : in.busy_power->kind,
           in.energy ? "the figure above" : "busy W × busy hours × 3600 / tokens a day", "", ""});
  out.add({"", "joules_per_token_with_idle_hours", "with the idle hours charged", whole, "J/token",
           "modelled", "J a day / tokens a day", "", ""});
  out.add({"", "ratio", "with idle hours / while serving", whole / loaded, "1", "modelled",
           "the two above", "", ""});
  if (in.energy && counted && busy / loaded > 1.01) {
    out.note(
        fmt::format("the busy hours themselves take {:.4g} J/token at these tokens a day: the "
                    "machine is not full in them",
                    busy));
  }
  return {};
}

}  // namespace tokenjoule
