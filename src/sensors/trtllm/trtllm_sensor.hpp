#pragma once

#include <memory>
#include <string_view>

#include "sensors/sensor.hpp"

namespace tokenjoule {

/// What GET /energy_metrics of trtllm-serve says.
struct TrtllmEnergy {
  double joules = 0;
  double server_s = 0;  ///< the server's own steady clock, when it read
};
/// {"total_energy_j": x, "query_time": y}, both numbers, the first not negative. Error: `retry`.
Result<TrtllmEnergy> trtllm_energy_in(std::string_view body);

/// See README.md beside this file.
Result<std::unique_ptr<Sensor>> open_trtllm(const SensorSpec& spec, Clock& clock);

}  // namespace tokenjoule
