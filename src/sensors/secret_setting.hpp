#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// A secret that a sensor needs, by reference only: the settings "<name>_env" (an environment
/// variable) or "<name>_file" (a file's first line). nullopt where neither is set. It is an error
/// to set both, to name a variable that is not set or a file that cannot be read, or an empty
/// secret; no message shows the secret. It is never a setting itself, so that it never reaches the
/// record.
Result<std::optional<std::string>> secret_setting(const SensorSpec& spec, std::string_view name);

}  // namespace tokenjoule
