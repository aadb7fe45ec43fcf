#include "sensors/stated_unit.hpp"

#include <array>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

struct UnitName {
  std::string_view name = {};
  Measurand measurand = Measurand::power;
  double to_si = 1;
};
constexpr std::array<UnitName, 4> kUnits = {{
    {"Wmin", Measurand::energy, 60},
    {"Wh", Measurand::energy, 3600},
    {"W", Measurand::power, 1},
    {"J", Measurand::energy, 1},
}};

struct Prefix {
  char letter;
  double factor;
};
constexpr std::array<Prefix, 4> kPrefixes = {{{'u', 1e-6}, {'m', 1e-3}, {'k', 1e3}, {'M', 1e6}}};

tl::unexpected<Error> bad_unit(std::string_view text) {
  return failure(ErrorKind::usage, fmt::format("unit={} is not known", quoted(text)),
                 "write W, mW, kW, 0.1W, J, mJ, Wh, kWh, 0.1kWh or Wmin");
}

std::optional<StatedUnit> unit_named(std::string_view name) {
  for (const UnitName& unit : kUnits) {
    if (name == unit.name) return StatedUnit{unit.measurand, "", unit.to_si};
    if (name.size() != unit.name.size() + 1 || name.substr(1) != unit.name) continue;
    for (const Prefix& prefix : kPrefixes) {
      if (name.front() == prefix.letter)
        return StatedUnit{unit.measurand, "", unit.to_si * prefix.factor};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<StatedUnit> stated_unit_in(std::string_view text) {
  const auto end_of_factor = std::min(text.find_first_not_of("0123456789."), text.size());
  double factor = 1;
  if (end_of_factor > 0) {
    const auto number = number_in(text.substr(0, end_of_factor));
    if (!number || *number <= 0) return bad_unit(text);
    factor = *number;
  }
  auto unit = unit_named(text.substr(end_of_factor));
  if (!unit) return bad_unit(text);
  unit->name = text;
  unit->to_si *= factor;
  return *unit;
}

Result<StatedUnit> unit_setting(const SensorSpec& spec) {
  const auto unit = spec.settings.find("unit");
  if (unit != spec.settings.end()) return stated_unit_in(unit->second);
  return failure(ErrorKind::usage, fmt::format("the sensor {} needs a unit", spec.name),
                 "state it: unit=W, unit=0.1kWh, unit=J …");
}

Result<Boundary> boundary_setting(const SensorSpec& spec, std::optional<Boundary> by_default) {
  constexpr char kHint[] =
      "write boundary=node_ac for a node's mains side, or gpu_board, cpu_package, node_dc, rack …";
  const auto name = spec.settings.find("boundary");
  if (name == spec.settings.end()) {
    if (by_default) return *by_default;
    return failure(ErrorKind::usage, fmt::format("the sensor {} needs a boundary", spec.name),
                   kHint);
  }
  if (const auto boundary = boundary_named(name->second)) return *boundary;
  return failure(ErrorKind::usage, fmt::format("boundary={} is not known", quoted(name->second)),
                 kHint);
}

}  // namespace tokenjoule
