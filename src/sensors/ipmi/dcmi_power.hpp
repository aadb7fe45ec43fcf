#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "devices/ipmi_device.hpp"

namespace tokenjoule {

/// Get Power Reading, system power statistics: DCMI 1.5, section 6.6.1.
extern const IpmiRequest kGetPowerReading;

/// The answer. Minimum, maximum and average are over `period`; what a controller takes for that is
/// its own affair: some tell one second and mean since they were started.
struct DcmiPower {
  Watts current;
  Watts minimum;
  Watts maximum;
  Watts average;
  std::uint32_t unix_seconds = 0;  ///< the controller's own clock, 0 if it has none
  Seconds period;                  ///< 0 if not told
  bool active = false;             ///< power is being measured: else the values are of some time
};

/// @param reply completion code and data, as IpmiDevice::ask gives them. Errors: of kind
/// unavailable where the controller does not know the command, does not allow it, or answers
/// something else; of kind retry where it is busy.
Result<DcmiPower> dcmi_power_in(std::span<const std::uint8_t> reply);

/// Nothing but zeros or ones is no power of a machine that answers, whatever else is said.
bool is_power(Watts watts);

/// What a completion code other than 0 means (IPMI 2.0, table 5-2).
Error ipmi_refusal(std::uint8_t completion_code);

}  // namespace tokenjoule
