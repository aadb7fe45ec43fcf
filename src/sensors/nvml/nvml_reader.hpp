#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "devices/nvml.hpp"
#include "sensors/nvml/nvml_values.hpp"

namespace tokenjoule {

/// What one GPU gave, and the gravest of what it refused.
struct NvmlRead {
  NvmlValues values;
  /// retry: some value may be there next time. unavailable: the GPU is lost. What the GPU just does
  /// not offer is no error.
  std::optional<Error> error;
};

/// Reads the values: all fields by one call, the others one by one. A GPU that is lost is asked
/// nothing more.
NvmlRead read_nvml(const Nvml& nvml, nvml::Device device, const std::vector<NvmlKey>& keys);

/// One value, asked for by a call of its own, or why the GPU does not give it. For checking what a
/// GPU offers; a sensor uses read_nvml.
Result<double> read_nvml_value(const Nvml& nvml, nvml::Device device, const NvmlKey& key);

}  // namespace tokenjoule
