#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "record/import/foreign_log.hpp"

namespace tokenjoule {

enum class ColumnRole { ignored, time, device, uuid, name, value };

/// What one column of a table of readings holds.
struct PowerColumn {
  ColumnRole role = ColumnRole::ignored;
  Measurand measurand = Measurand::power;  ///< of a value
  double to_si = 1;                        ///< of a bare number in this column
};

/// Which column is what; an error says what the table lacks.
using ColumnChoice = std::function<Result<std::vector<PowerColumn>>(
    const std::vector<std::string>& header, PowerLog& log)>;

/// Reads a CSV whose first row names its columns. Cells may carry a unit ("76.10 W"); "[N/A]" and
/// the like are absent. A row without a time, or without power and energy, is skipped and named;
/// the others are kept. Errors: no header that `choose` takes, no row left, rows of several devices
/// that no column tells apart.
Result<PowerLog> read_power_table(std::string_view text, PowerLog log, const ColumnChoice& choose);

/// "power.draw [W]" as "power.draw" and "W".
struct NamedUnit {
  std::string name;  ///< lower case
  std::string unit;  ///< "" where none is written
};
NamedUnit named_unit(std::string_view column);
/// What a number in this unit is multiplied by for the SI unit; nullopt for an unknown unit.
std::optional<double> scale_of(std::string_view unit);

/// The index of the device in the log, added where it is new.
std::size_t device_index(PowerLog& log, const LoggedDevice& device);
/// Puts rows in time order; an error where there are none.
Status finish_power_log(PowerLog& log);

}  // namespace tokenjoule
