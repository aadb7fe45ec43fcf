#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/nvml_abi.hpp"

namespace tokenjoule {

/// How a value is asked for: as a field of the batched call, or by a function of its own.
enum class NvmlCall {
  field,
  total_energy,     ///< mJ
  power_usage,      ///< mW
  enforced_limit,   ///< mW
  default_limit,    ///< mW
  max_limit,        ///< mW
  min_limit,        ///< mW
  requested_limit,  ///< mW
  temperature,      ///< degrees Celsius
  sm_clock,         ///< MHz
  memory_clock,     ///< MHz
  utilisation,      ///< percent
  memory_used,      ///< bytes
};

/// One value of a GPU.
struct NvmlKey {
  NvmlCall call = NvmlCall::field;
  std::uint32_t field = 0;  ///< with NvmlCall::field only
  std::uint32_t scope = nvml::kScopeGpu;
  friend auto operator<=>(const NvmlKey&, const NvmlKey&) = default;
};

constexpr NvmlKey nvml_field(std::uint32_t field, std::uint32_t scope = nvml::kScopeGpu) {
  return {NvmlCall::field, field, scope};
}
constexpr NvmlKey nvml_call(NvmlCall call) { return {call, 0, nvml::kScopeGpu}; }

/// What is read: "nvmlDeviceGetFieldValues(185)", "nvmlDeviceGetPowerUsage".
std::string source_of(const NvmlKey& key);

/// Values of one GPU, in the units of NvmlCall and nvml::Field. One that was not given is not
/// there.
using NvmlValues = std::map<NvmlKey, double>;

/// The value of a field; nullopt where it has none (its own result says so), or a type or a value
/// that no field of ours can have: unknown type, negative, no number.
std::optional<double> number_in(const nvml::FieldValue& answer);

/// The fields that hold the time of thermal and brake slowdown, ns, to be added up. Their numbers
/// were 251 to 253 in drivers 575, are 269 to 271 from 580.82 on, and mean other things in between
/// and before (NVML's change log, and the numbers in nvidia-ml-py 12.570 to 13.590). Where they are
/// not known: field 75, thermal slowdown alone, which never moved.
std::vector<std::uint32_t> slowdown_fields(std::string_view driver_version);

/// All that a GPU is asked for once, to learn what it offers.
std::vector<NvmlKey> keys_to_probe(std::string_view driver_version);

}  // namespace tokenjoule
