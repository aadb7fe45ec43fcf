#include "sim/virtual_sensor.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace tokenjoule {

namespace {

/// One signal of each GPU.
struct SignalRow {
  Measurand measurand;
  SignalKind kind;
  std::string_view source;
  std::string_view raw_unit;
  double to_si;
  std::optional<double> (*raw)(const Simulation& simulation, int gpu, MonoTime at);
};

std::optional<double> raw_watts(std::optional<Watts> power) {
  return power ? std::optional(power->value()) : std::nullopt;
}

std::optional<double> raw_energy(const Simulation& simulation, int gpu, MonoTime at) {
  const auto energy = simulation.sensors().energy_mj(gpu, at);
  return energy ? std::optional(static_cast<double>(*energy)) : std::nullopt;
}

double enforced_limit(const GpuParameters& gpu) {
  return std::min(gpu.cap.value_or(gpu.default_limit), gpu.default_limit).value();
}

using S = Simulation;
constexpr SignalKind kGauge = SignalKind::gauge;
constexpr SignalKind kCounter = SignalKind::counter;

constexpr SignalRow kRows[] = {
    {Measurand::energy, kCounter, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "mJ", 1e-3, raw_energy},
    {Measurand::power, kGauge, "DCGM_FI_DEV_POWER_USAGE", "W", 1,
     [](const S& s, int gpu, MonoTime at) {
       return raw_watts(s.sensors().average_power(gpu, at));
     }},
    {Measurand::power, kGauge, "DCGM_FI_DEV_POWER_USAGE_INSTANT", "W", 1,
     [](const S& s, int gpu, MonoTime at) {
       return raw_watts(s.sensors().instant_power(gpu, at));
     }},
    {Measurand::power_limit_enforced, kGauge, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "W", 1,
     [](const S& s, int, MonoTime) -> std::optional<double> {
       return enforced_limit(s.options().gpu);
     }},
    {Measurand::power_limit_default, kGauge, "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", "W", 1,
     [](const S& s, int, MonoTime) -> std::optional<double> {
       return s.options().gpu.default_limit.value();
     }},
    {Measurand::temperature, kGauge, "DCGM_FI_DEV_GPU_TEMP", "degC", 1,
     [](const S& s, int gpu, MonoTime at) -> std::optional<double> {
       return s.sensors().temperature_c(gpu, at);
     }},
    {Measurand::sm_clock, kGauge, "DCGM_FI_DEV_SM_CLOCK", "MHz", 1,
     [](const S& s, int gpu, MonoTime at) -> std::optional<double> {
       return s.sensors().sm_clock_mhz(gpu, at);
     }},
    {Measurand::utilisation, kGauge, "DCGM_FI_DEV_GPU_UTIL", "%", 0.01,
     [](const S& s, int gpu, MonoTime at) -> std::optional<double> {
       return s.sensors().utilisation_percent(gpu, at);
     }},
    {Measurand::power_capped_time, kCounter, "DCGM_FI_DEV_POWER_VIOLATION", "ns", 1e-9,
     [](const S& s, int gpu, MonoTime at) -> std::optional<double> {
       return static_cast<double>(s.sensors().capped_ns(gpu, at));
     }},
};

constexpr std::size_t kRowCount = std::size(kRows);

Signal signal_of(const SignalRow& row, const SimulatedGpu& gpu, const Simulation& simulation) {
  Signal signal;
  signal.sensor = "dcgm";
  signal.device = gpu.uuid;
  signal.measurand = row.measurand;
  signal.kind = row.kind;
  signal.boundary = Boundary::gpu_board;
  signal.source = std::string(row.source);
  signal.raw_unit = std::string(row.raw_unit);
  signal.to_si = row.to_si;
  if (row.source == "DCGM_FI_DEV_POWER_USAGE")
    signal.averaging = simulation.options().sensors.averaging;
  signal.driver = "simulated";
  return signal;
}

}  // namespace

std::vector<Device> virtual_devices(const Simulation& simulation) {
  std::vector<Device> devices;
  for (const SimulatedGpu& gpu : simulation.gpus().gpus()) {
    Device device;
    device.id = gpu.uuid;
    device.name = "Simulated GPU";
    device.kind = DeviceKind::gpu;
    device.label = std::to_string(devices.size());
    device.chosen = gpu.used_by_engine;
    device.chosen_by = "--gpus";
    device.simulated = true;
    devices.push_back(device);
  }
  return devices;
}

std::vector<Signal> virtual_signals(const Simulation& simulation, Nanoseconds period) {
  std::vector<Signal> signals;
  for (const SimulatedGpu& gpu : simulation.gpus().gpus()) {
    for (const SignalRow& row : kRows) {
      Signal signal = signal_of(row, gpu, simulation);
      signal.id = static_cast<std::uint32_t>(signals.size());
      signal.period = to_seconds(period);
      signals.push_back(signal);
    }
  }
  return signals;
}

Result<Sample> virtual_sample(const Simulation& simulation, MonoTime at, TimeSpan read) {
  const auto& down_at = simulation.options().faults.exporter_down_at;
  if (down_at && at >= mono_at(*down_at))
    return failure(ErrorKind::retry, "simulated: the exporter is down");
  Sample sample{read, {}};
  for (std::size_t i = 0; i < simulation.gpus().gpus().size(); ++i) {
    const int gpu = static_cast<int>(i);
    if (!simulation.sensors().present(gpu, at)) continue;
    for (std::size_t row = 0; row < kRowCount; ++row) {
      const auto raw = kRows[row].raw(simulation, gpu, at);
      if (raw) sample.readings.push_back({static_cast<std::uint32_t>(i * kRowCount + row), *raw});
    }
  }
  return sample;
}

}  // namespace tokenjoule
