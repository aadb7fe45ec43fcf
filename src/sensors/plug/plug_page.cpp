#include "sensors/plug/plug_page.hpp"

#include <iterator>

#include "base/quantity.hpp"

namespace tokenjoule {
namespace {

constexpr double kJoulesPerWattMinute = 60;

constexpr PlugKindFacts kKinds[] = {
    {PlugKind::shelly_gen1, "Shelly generation 1", "/status", "meters.power", "meters.total",
     "W min", kJoulesPerWattMinute},
    {PlugKind::shelly_gen1_meter, "Shelly EM generation 1", "/status", "emeters.power",
     "emeters.total", "Wh", kJoulesPerWattHour},
    {PlugKind::shelly_gen2, "Shelly generation 2 or later", "/rpc/Switch.GetStatus?id={}", "apower",
     "aenergy.total", "Wh", kJoulesPerWattHour},
    {PlugKind::tasmota, "Tasmota", "/cm?cmnd=Status%208", "StatusSNS.ENERGY.Power",
     "StatusSNS.ENERGY.Total (steps of 0.001 kWh)", "kWh", 1000 * kJoulesPerWattHour},
};

std::optional<double> value_of(const JsonView& view) {
  const auto number = view.number();
  return number && *number >= 0 ? number : std::nullopt;
}

PlugValues gen1_values(const JsonView& page, const char* list, std::size_t outlet) {
  const JsonView meter = page[list][outlet];
  if (meter["is_valid"].boolean() == false) return {};
  return {.power_w = value_of(meter["power"]),
          .energy = value_of(meter["total"]),
          .uptime_s = value_of(page["uptime"])};
}

/// With several outlets Power is a list; Total may be the sum of all, which is then no outlet's.
PlugValues tasmota_values(const JsonView& energy, std::size_t outlet) {
  PlugValues values;
  const JsonView power = energy["Power"];
  const JsonView total = energy["Total"];
  const bool several = power.is(JsonNode::Type::array);
  values.power_w = value_of(several ? power[outlet] : power);
  if (total.is(JsonNode::Type::array)) {
    values.energy = value_of(total[outlet]);
  } else if (!several || power.size() == 1) {
    values.energy = value_of(total);
  }
  if (!several && outlet != 0) return {};
  values.counting_since = std::string(energy["TotalStartTime"].string().value_or(""));
  return values;
}

}  // namespace

const PlugKindFacts& facts_of(PlugKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

PlugValues plug_values(PlugKind kind, int outlet, const JsonView& page) {
  const auto index = static_cast<std::size_t>(outlet);
  switch (kind) {
    case PlugKind::shelly_gen1: return gen1_values(page, "meters", index);
    case PlugKind::shelly_gen1_meter: return gen1_values(page, "emeters", index);
    case PlugKind::shelly_gen2:
      return {.power_w = value_of(page["apower"]), .energy = value_of(page["aenergy"]["total"])};
    case PlugKind::tasmota: return tasmota_values(page["StatusSNS"]["ENERGY"], index);
  }
  return {};
}

std::optional<PlugKind> shelly_kind(const JsonView& shelly) {
  if (shelly["gen"].integer().value_or(1) >= 2) return PlugKind::shelly_gen2;
  if (!shelly["type"].string()) return std::nullopt;
  return shelly["num_emeters"].integer().value_or(0) > 0 ? PlugKind::shelly_gen1_meter
                                                         : PlugKind::shelly_gen1;
}

}  // namespace tokenjoule
