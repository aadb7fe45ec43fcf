#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

/// What one line of a program says.
struct ExecReading {
  std::string signal;  ///< the program's name for it
  std::string device;
  Boundary boundary = Boundary::node_ac;
  Measurand measurand = Measurand::power;  ///< power in watts, or energy in joules (a counter)
  double value = 0;
  std::optional<double> unix_s;  ///< when it was measured, if the program says so
};

/// Takes {"signal": "...", "device": "...", "boundary": "node_ac", "watts": 1.0}, or "joules"
/// instead of "watts", and an optional "t_unix_s". Values must be finite and not negative; other
/// members are let pass. The error says which member does not fit.
Result<ExecReading> exec_line_in(std::string_view line);

/// What kind of device a boundary is usually drawn around.
DeviceKind device_kind_of(Boundary boundary);

}  // namespace tokenjoule
