#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/clock.hpp"
#include "sensors/nvml/nvml_gpus.hpp"

namespace tokenjoule {

/// One value of a GPU as NVML gives it, or why it does not.
struct GpuValue {
  std::string source;     ///< function and field: "nvmlDeviceGetFieldValues(185)"
  std::string_view what;  ///< "power, mean over 1 s"
  std::string_view unit;  ///< of `raw`: "mW"
  std::optional<double> raw;
  std::string status;  ///< "ok", or the error in words
};

/// Each value that our sensor knows how to ask for, read once by a call of its own.
std::vector<GpuValue> values_of(const Nvml& nvml, const OpenedGpu& gpu, const std::string& driver);

/// What a read took, in microseconds, over all GPUs that give the value.
struct ReadCost {
  std::string source;
  std::vector<double> us;  ///< ascending
};

/// Reads all values of all GPUs in turns for `length`, one turn at least; last in the list are the
/// fields of a poll in one call, as the sensor reads them.
std::vector<ReadCost> read_costs(const Nvml& nvml, const std::vector<OpenedGpu>& gpus,
                                 const std::string& driver, Seconds length, Clock& clock);

}  // namespace tokenjoule
