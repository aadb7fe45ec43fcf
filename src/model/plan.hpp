#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tokenjoule {

/// One figure of a plan with all that is needed to check it.
struct PlanLine {
  std::string section;  ///< key of the group: "energy_per_token", "power", "site", …
  std::string key;      ///< unique in its section: "watt_hours_per_million_tokens"
  std::string title;
  std::optional<double> value;
  std::string unit;
  /// stated (given, or converted from what was given), measured_gpu, measured_wall,
  /// measured_<boundary>, simulated, ceiling, modelled.
  std::string kind;
  std::string formula;  ///< with the numbers' names: "J/token × 10⁶ / 3600"
  std::string source;   ///< of its constants; "" where it has none
  std::string reason;   ///< why value is absent
};

/// The answer of `tokenjoule plan`.
struct Plan {
  std::vector<PlanLine> lines;     ///< sections stand together, in the order shown
  std::vector<std::string> notes;  ///< what a reader must know, a sentence each
};

}  // namespace tokenjoule
