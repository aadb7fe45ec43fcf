#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_view.hpp"

namespace tokenjoule {

/// Each counts energy in a unit of its own: taking one for another is a mistake that is made often.
enum class PlugKind {
  shelly_gen1,        ///< meters[]: power W, total watt-minutes
  shelly_gen1_meter,  ///< emeters[] of Shelly EM and 3EM: power W, total Wh
  shelly_gen2,        ///< generation 2 and later, Switch.GetStatus: apower W, aenergy.total Wh
  tasmota,            ///< Status 8: StatusSNS.ENERGY, Power W, Total kWh
};

struct PlugKindFacts {
  PlugKind kind;
  std::string_view name;
  std::string_view page;          ///< path; "{}" stands for the outlet's number
  std::string_view power_source;  ///< names of the fields
  std::string_view energy_source;
  std::string_view energy_unit;
  double joules_per_unit;
};
const PlugKindFacts& facts_of(PlugKind kind);

/// What a page says of an outlet. Null, missing, negative and what the plug calls invalid is
/// absent.
struct PlugValues {
  std::optional<double> power_w;
  std::optional<double> energy;    ///< in the kind's unit
  std::optional<double> uptime_s;  ///< of a plug whose counter starts anew with it
  std::string counting_since;      ///< when the counter was started, "" if not told
};
PlugValues plug_values(PlugKind kind, int outlet, const JsonView& page);

/// What answers "/shelly": a Shelly of which kind; nullopt if it is none.
std::optional<PlugKind> shelly_kind(const JsonView& shelly);

}  // namespace tokenjoule
