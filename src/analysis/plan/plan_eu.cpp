#include <fmt/format.h>

#include "analysis/plan/eu_report.hpp"
#include "analysis/plan/plan_sections.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr char kRegulation[] =
    "Delegated Regulation (EU) 2024/1364, text of 2024-06-06 "
    "(data.europa.eu/eli/reg_del/2024/1364/oj)";

/// One key performance indicator of the annexes, as read there.
struct Indicator {
  const char* key;
  const char* title;
  const char* unit;
  const char* annex;
  const char* missing;  ///< why it has no value, where none of our figures fills it
};

constexpr char kNotOurs[] = "not an energy figure of inference: from the operator's own records";
constexpr char kMeter[] = "from the operator's meters";

constexpr Indicator kIndicators[] = {
    {"PDIT", "installed IT power demand", "kW", "annex II.1", ""},
    {"SDC", "floor area of the data centre", "m2", "annex II.1", kNotOurs},
    {"SCR", "floor area of the computer rooms", "m2", "annex II.1", kNotOurs},
    {"EIT", "energy of the IT equipment in the year", "kWh", "annex II.1",
     "give --power (with --busy-hours and --idle-power) of all IT"},
    {"EDC", "energy of the data centre in the year", "kWh", "annex II.1",
     "give --pue and the power of all IT"},
    {"EDC-BG", "of it from back-up generators", "kWh", "annex II.1", kMeter},
    {"CBtG", "battery capacity offered to the grid", "kW", "annex II.1", kNotOurs},
    {"WIN", "water input in the year", "m3", "annex II.1", "give --wue and the power of all IT"},
    {"WIN-POT", "of it potable water", "m3", "annex II.1", kMeter},
    {"EREUSE", "waste heat reused in the year", "kWh", "annex II.1", kMeter},
    {"TWH", "mean temperature of the waste heat", "°C", "annex II.1", kMeter},
    {"TIN", "intake air temperature of the IT, set point", "°C", "annex II.1", kNotOurs},
    {"CDD", "cooling degree days, base 21 °C", "°C days", "annex II.1", kNotOurs},
    {"ERES-TOT", "renewable energy: guarantees of origin, purchase agreements, on site", "kWh",
     "annex II.1", kMeter},
    {"CSERV", "capacity of the servers (SERT, active state)", "1", "annex II.2", kNotOurs},
    {"CSTOR", "capacity of the storage", "PB", "annex II.2", kNotOurs},
    {"BIN, BOUT", "bandwidth of incoming and outgoing traffic", "GB/s", "annex II.3", kNotOurs},
    {"TIN, TOUT", "incoming and outgoing traffic", "EB", "annex II.3", kNotOurs},
    {"PUE", "power usage effectiveness, EDC / EIT", "1", "annex III", "give --pue"},
    {"WUE", "water usage effectiveness, WIN / EIT", "m3/MWh", "annex III", "give --wue"},
    {"ERF", "energy reuse factor, EREUSE / EDC", "1", "annex III", kMeter},
    {"REF", "renewable energy factor, ERES-TOT / EDC", "1", "annex III", kMeter},
};

/// What our figures say to the indicator, with its formula.
std::optional<std::pair<double, std::string>> filled(std::string_view key, const PlanInputs& in) {
  if (key == "PDIT") return {{in.installed_power->value() / 1000, "as given, nominal"}};
  if (key == "PUE" && in.pue) return {{*in.pue, "as given"}};
  if (key == "WUE" && in.wue) return {{*in.wue, "as given; L/kWh is m3/MWh"}};
  const auto day = energy_per_day(in);
  if (!day) return std::nullopt;
  const double year = kilowatt_hours(day->value) * kHoursPerYear / 24;
  if (key == "EIT") return {{year, "energy a day × 365, of the power given"}};
  if (key == "EDC" && in.pue) return {{year * *in.pue, "EIT × PUE"}};
  if (key == "WIN" && in.wue) return {{year / 1000 * *in.wue, "EIT in MWh × WUE"}};
  return std::nullopt;
}

void indicator_line(const Indicator& indicator, const PlanInputs& in, PlanWriter& out) {
  PlanLine line{"",
                indicator.key,
                indicator.title,
                std::nullopt,
                indicator.unit,
                "",
                "",
                fmt::format("{}, {}", kRegulation, indicator.annex),
                ""};
  if (const auto figure = filled(indicator.key, in)) {
    line.value = figure->first;
    line.formula = figure->second;
    const bool as_given = starts_with(figure->second, "as given");
    line.kind = as_given ? "stated" : "modelled";
  } else {
    line.reason = indicator.missing;
  }
  out.add(std::move(line));
}

}  // namespace

std::string_view size_class(Watts installed) {
  const double kw = installed.value() / 1000;
  if (kw < 100) return "below annex IV";
  if (kw < 500) return "very small";
  if (kw < 1000) return "small";
  if (kw < 2000) return "medium";
  return kw <= 10000 ? "large" : "very large";
}

void plan_eu(const PlanInputs& in, PlanWriter& out) {
  if (!in.installed_power) return;
  const double kw = in.installed_power->value() / 1000;
  out.section("eu_report");
  out.add({"", "installed_kilowatts_over_threshold", "installed IT power / 500 kW",
           kw * 1000 / kReportingThresholdWatts, "1", "stated",
           in.installed_power->value() >= kReportingThresholdWatts
               ? "at or above the threshold for reporting; the legal assessment is yours"
               : "below the threshold for reporting; the legal assessment is yours",
           kRegulation, ""});
  for (const Indicator& indicator : kIndicators) indicator_line(indicator, in, out);
  out.note(fmt::format("size class of annex IV: {}; the legal assessment is yours",
                       size_class(*in.installed_power)));
  out.note(
      "the threshold counts the nominal power of servers, storage and network in the computer "
      "room, not what they draw; the list is that of the regulation's first text: check for "
      "amendments");
}

}  // namespace tokenjoule
