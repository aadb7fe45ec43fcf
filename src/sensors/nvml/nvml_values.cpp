#include "sensors/nvml/nvml_values.hpp"

#include <cmath>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::string_view function_of(NvmlCall call) {
  switch (call) {
    case NvmlCall::field: return "nvmlDeviceGetFieldValues";
    case NvmlCall::total_energy: return "nvmlDeviceGetTotalEnergyConsumption";
    case NvmlCall::power_usage: return "nvmlDeviceGetPowerUsage";
    case NvmlCall::enforced_limit: return "nvmlDeviceGetEnforcedPowerLimit";
    case NvmlCall::requested_limit: return "nvmlDeviceGetPowerManagementLimit";
    case NvmlCall::default_limit: return "nvmlDeviceGetPowerManagementDefaultLimit";
    case NvmlCall::max_limit:
    case NvmlCall::min_limit: return "nvmlDeviceGetPowerManagementLimitConstraints";
    case NvmlCall::temperature: return "nvmlDeviceGetTemperature";
    case NvmlCall::sm_clock:
    case NvmlCall::memory_clock: return "nvmlDeviceGetClockInfo";
    case NvmlCall::utilisation: return "nvmlDeviceGetUtilizationRates";
    case NvmlCall::memory_used: return "nvmlDeviceGetMemoryInfo";
  }
  return "";
}

std::optional<double> number_of_type(const nvml::FieldValue& answer) {
  switch (answer.type) {
    case nvml::kDouble: return answer.value.real;
    case nvml::kUnsignedInt: return answer.value.unsigned_int;
    case nvml::kUnsignedLong: return static_cast<double>(answer.value.unsigned_long);
    case nvml::kUnsignedLongLong: return static_cast<double>(answer.value.unsigned_long_long);
    case nvml::kSignedLongLong: return static_cast<double>(answer.value.signed_long_long);
    case nvml::kSignedInt: return answer.value.signed_int;
    case nvml::kUnsignedShort: return answer.value.unsigned_short;
    default: return std::nullopt;
  }
}

}  // namespace

std::string source_of(const NvmlKey& key) {
  if (key.call != NvmlCall::field) return std::string(function_of(key.call));
  if (key.scope == nvml::kScopeGpu) {
    return fmt::format("{}({})", function_of(key.call), key.field);
  }
  return fmt::format("{}({}, scope {})", function_of(key.call), key.field, key.scope);
}

std::optional<double> number_in(const nvml::FieldValue& answer) {
  if (answer.result != nvml::kSuccess) return std::nullopt;
  const auto number = number_of_type(answer);
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  return number;
}

std::vector<std::uint32_t> slowdown_fields(std::string_view driver_version) {
  const auto parts = split(driver_version, '.');
  const auto major = integer_in(parts.empty() ? "" : parts[0]);
  const auto minor = integer_in(parts.size() < 2 ? "" : parts[1]);
  if (major == 575) return {251, 252, 253};
  const bool renumbered = major && (*major > 580 || (*major == 580 && minor && *minor >= 82));
  if (renumbered) return {269, 270, 271};
  return {nvml::kThermalPolicyTime};
}

std::vector<NvmlKey> keys_to_probe(std::string_view driver_version) {
  std::vector<NvmlKey> keys = {nvml_field(nvml::kTotalEnergy), nvml_field(nvml::kPowerCappedTime)};
  for (const std::uint32_t scope : {nvml::kScopeGpu, nvml::kScopeModule}) {
    for (const std::uint32_t field :
         {nvml::kPowerAverage, nvml::kPowerInstant, nvml::kMinLimit, nvml::kMaxLimit,
          nvml::kDefaultLimit, nvml::kEnforcedLimit, nvml::kEnergy, nvml::kRequestedLimit}) {
      keys.push_back(nvml_field(field, scope));
    }
  }
  for (const std::uint32_t field : slowdown_fields(driver_version)) {
    keys.push_back(nvml_field(field));
  }
  for (const NvmlCall call :
       {NvmlCall::total_energy, NvmlCall::power_usage, NvmlCall::enforced_limit,
        NvmlCall::default_limit, NvmlCall::max_limit, NvmlCall::min_limit,
        NvmlCall::requested_limit, NvmlCall::temperature, NvmlCall::sm_clock,
        NvmlCall::memory_clock, NvmlCall::utilisation, NvmlCall::memory_used}) {
    keys.push_back(nvml_call(call));
  }
  return keys;
}

}  // namespace tokenjoule
