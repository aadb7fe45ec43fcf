#include "sim/fake_nvml/library/fake_fields.hpp"

#include <chrono>
#include <optional>

namespace tokenjoule {

namespace {

/// Where a driver keeps its three slowdown counters; 0: it has none. See slowdown_fields in
/// src/sensors/nvml/nvml_values.hpp, which this must agree with without knowing it.
std::uint32_t first_slowdown_field(std::string_view driver) {
  if (driver.substr(0, 4) == "575.") return 251;
  if (driver.substr(0, 3) >= "580" && driver.substr(0, 6) != "580.65") return 269;
  return 0;
}

std::optional<std::uint64_t> slowdown_ns(const FakeGpu& gpu, std::string_view driver,
                                         std::uint32_t field) {
  const std::uint32_t first = first_slowdown_field(driver);
  if (first == 0 || field < first || field > first + 2) return std::nullopt;
  return field == first       ? gpu.sw_thermal_ns
         : field == first + 1 ? gpu.hw_thermal_ns
                              : gpu.power_brake_ns;
}

std::optional<std::uint64_t> unscoped_energy(const FakeGpu& gpu) {
  if (!gpu.offers(kFakeCounter)) return std::nullopt;
  return gpu.offers(kFakeModuleCounter) ? gpu.module_energy_mj : gpu.energy_mj;
}

std::optional<std::uint64_t> scoped_energy(const FakeGpu& gpu, std::uint32_t scope) {
  if (!gpu.offers(kFakeCounter) || !gpu.offers(kFakePowerFields)) return std::nullopt;
  if (scope == nvml::kScopeGpu) {
    return gpu.offers(kFakeScopedCounter) ? gpu.energy_mj : unscoped_energy(gpu);
  }
  if (scope != nvml::kScopeModule || !gpu.offers(kFakeScopedCounter)) return std::nullopt;
  return gpu.module_energy_mj;
}

std::optional<std::uint64_t> counter_of(const FakeGpu& gpu, std::string_view driver,
                                        const nvml::FieldValue& asked) {
  if (asked.field == nvml::kTotalEnergy) return unscoped_energy(gpu);
  if (asked.field == nvml::kEnergy) return scoped_energy(gpu, asked.scope);
  if (asked.field == nvml::kPowerCappedTime) return gpu.power_capped_ns;
  if (asked.field == nvml::kThermalPolicyTime) return gpu.sw_thermal_ns;
  return slowdown_ns(gpu, driver, asked.field);
}

std::optional<std::uint32_t> milliwatts_of(const FakeGpu& gpu, const nvml::FieldValue& asked) {
  if (!gpu.offers(kFakePower) || !gpu.offers(kFakePowerFields)) return std::nullopt;
  const bool module = asked.scope == nvml::kScopeModule;
  if (asked.scope > nvml::kScopeModule || (module && !gpu.offers(kFakeModule))) return std::nullopt;
  switch (asked.field) {
    case nvml::kPowerAverage:
      if (!gpu.offers(kFakeAverage)) return std::nullopt;
      return module ? gpu.module_average_mw : gpu.average_mw;
    case nvml::kPowerInstant: return module ? gpu.module_instant_mw : gpu.instant_mw;
    case nvml::kEnforcedLimit: return module ? gpu.module_limit_mw : gpu.limit_enforced_mw;
    case nvml::kMinLimit: return gpu.limit_min_mw;
    case nvml::kMaxLimit: return gpu.limit_max_mw;
    case nvml::kDefaultLimit: return gpu.limit_default_mw;
    case nvml::kRequestedLimit: return gpu.limit_requested_mw;
    default: return std::nullopt;
  }
}

std::int64_t unix_microseconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

}  // namespace

void answer_field(const FakeGpu& gpu, std::string_view driver_version, nvml::FieldValue& field) {
  field.timestamp_us = unix_microseconds();
  field.latency_us = 0;
  field.result = nvml::kSuccess;
  field.value = {};
  if (const auto counter = counter_of(gpu, driver_version, field)) {
    field.type = nvml::kUnsignedLongLong;
    field.value.unsigned_long_long = *counter;
  } else if (const auto power = milliwatts_of(gpu, field)) {
    field.type = nvml::kUnsignedInt;
    field.value.unsigned_int = *power;
  } else {
    field.result = nvml::kNotSupported;
    // NVML leaves the value undefined: whoever takes it without looking at the result shall notice.
    field.type = nvml::kUnsignedLongLong;
    field.value.unsigned_long_long = 0xDEAD'BEEF'DEAD'BEEF;
  }
}

}  // namespace tokenjoule
