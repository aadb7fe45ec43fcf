#include "sensors/triton/triton_sensor.hpp"

#include "base/text.hpp"
#include "sensors/metrics_page.hpp"

namespace tokenjoule {

namespace {

using M = Measurand;

/// Triton names a GPU by its UUID alone.
std::optional<Device> gpu_of(const PrometheusSample& sample) {
  const auto uuid = sample.label("gpu_uuid");
  if (!uuid || uuid->empty()) return std::nullopt;
  return Device{.id = std::string(*uuid),
                .name = "",
                .kind = DeviceKind::gpu,
                .simulated = starts_with(*uuid, "GPU-51d0")};
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_triton(const SensorSpec& spec, Clock& clock) {
  constexpr auto kCounter = SignalKind::counter;
  constexpr auto kGauge = SignalKind::gauge;
  return open_metrics_page(
      {.sensor = "triton",
       .default_url = "http://127.0.0.1:8002/metrics",
       .hint = "say where Triton's metrics are: --sensor triton:url=http://HOST:8002/metrics; GPU "
               "metrics need --allow-gpu-metrics=true and DCGM beside the server",
       .boundary = Boundary::gpu_board,
       .fields = {{"nv_energy_consumption", M::energy, kCounter, "J", 1.0, false},
                  {"nv_gpu_power_usage", M::power, kGauge, "W", 1.0, true},
                  {"nv_gpu_power_limit", M::power_limit_enforced, kGauge, "W", 1.0, true},
                  {"nv_gpu_utilization", M::utilisation, kGauge, "1", 1.0, false},
                  {"nv_gpu_memory_used_bytes", M::memory_used, kGauge, "B", 1.0, false}},
       .device_of = gpu_of},
      spec, clock);
}

}  // namespace tokenjoule
