#include "sensors/amd_exporter/amd_exporter_sensor.hpp"

#include "base/text.hpp"
#include "sensors/metrics_page.hpp"

namespace tokenjoule {

namespace {

using M = Measurand;

std::string text_of(std::optional<std::string_view> label) {
  return std::string(label.value_or(""));
}

/// A GPU by its serial number; partitions but the first repeat their GPU or read 0.
std::optional<Device> gpu_of(const PrometheusSample& sample) {
  const std::string serial = text_of(sample.label("serial_number"));
  const std::string partition = text_of(sample.label("gpu_partition_id"));
  if (serial.empty() || (!partition.empty() && partition != "0")) return std::nullopt;
  Device gpu{.id = serial,
             .name = text_of(sample.label("card_model")),
             .kind = DeviceKind::gpu,
             .label = text_of(sample.label("gpu_id"))};
  gpu.facts[kSerialFact] = serial;
  if (const auto type = sample.label("gpu_compute_partition_type"); type && !type->empty())
    gpu.facts["compute_partition"] = std::string(*type);
  if (const auto host = sample.label("hostname"); host && !host->empty())
    gpu.facts["hostname"] = std::string(*host);
  return gpu;
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_amd_exporter(const SensorSpec& spec, Clock& clock) {
  constexpr auto kGauge = SignalKind::gauge;
  return open_metrics_page(
      {.sensor = "amd-exporter",
       .default_url = "http://127.0.0.1:5000/metrics",
       .hint = "say where AMD's device-metrics-exporter is: --sensor "
               "amd-exporter:url=http://HOST:5000/metrics; its list of fields must have "
               "GPU_ENERGY_CONSUMED and GPU_PACKAGE_POWER",
       .boundary = Boundary::gpu_board,
       .fields = {{"gpu_energy_consumed", M::energy, SignalKind::counter, "uJ", 1e-6, true},
                  {"gpu_package_power", M::power, kGauge, "W", 1.0, true},
                  {"gpu_average_package_power", M::power, kGauge, "W", 1.0, true},
                  {"gpu_power_usage", M::power, kGauge, "W", 1.0, true}},
       .device_of = gpu_of},
      spec, clock);
}

}  // namespace tokenjoule
