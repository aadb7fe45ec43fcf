#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/signal.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// The unit of a reading whose source does not tell it, as the user states it.
struct StatedUnit {
  Measurand measurand = Measurand::power;  ///< power or energy
  std::string name;                        ///< as stated: "0.1kWh"
  double to_si = 1.0;                      ///< raw value * to_si = watts or joules
};

/// Takes W, J, Wh with the prefixes u, m, k, M ("mW", "kWh", "MJ"), W·min as "Wmin", each with a
/// decimal factor in front, above 0: "0.1kWh", "10W".
Result<StatedUnit> stated_unit_in(std::string_view text);

/// The setting "unit" of a spec.
Result<StatedUnit> unit_setting(const SensorSpec& spec);

/// The setting "boundary" of a spec, `by_default` where it is not set; names as in model/boundary.
Result<Boundary> boundary_setting(const SensorSpec& spec, std::optional<Boundary> by_default);

}  // namespace tokenjoule
