#include "sim/nvml_publisher.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <unistd.h>

#include "devices/nvml_abi.hpp"

namespace tokenjoule {

namespace {

std::uint32_t milliwatts(Watts power) {
  return static_cast<std::uint32_t>(std::llround(power.value() * 1000));
}

void put_power(FakeGpu& shown, const Simulation& simulation, int gpu, MonoTime at) {
  const SensorModel& sensors = simulation.sensors();
  const auto energy = sensors.energy_mj(gpu, at);
  const auto average = sensors.average_power(gpu, at);
  const auto instant = sensors.instant_power(gpu, at);
  if (!energy) shown.flags &= ~std::uint64_t{kFakeCounter};
  if (!average && !instant) shown.flags &= ~std::uint64_t{kFakePower | kFakeAverage};
  if (energy) shown.energy_mj = static_cast<std::uint64_t>(*energy);
  if (average) shown.average_mw = milliwatts(*average);
  if (instant) shown.instant_mw = milliwatts(*instant);
  const GpuParameters& parameters = simulation.options().gpu;
  shown.limit_default_mw = shown.limit_max_mw = milliwatts(parameters.default_limit);
  shown.limit_enforced_mw = milliwatts(parameters.cap.value_or(parameters.default_limit));
  shown.limit_requested_mw = shown.limit_enforced_mw;
  shown.limit_min_mw = milliwatts(parameters.idle);
}

}  // namespace

FakeGpu fake_gpu_of(const Simulation& simulation, int gpu, MonoTime at) {
  const SimulatedGpu& simulated = simulation.gpus().gpus()[static_cast<std::size_t>(gpu)];
  const SensorModel& sensors = simulation.sensors();
  FakeGpu shown;
  put_text(shown.uuid, simulated.uuid);
  put_text(shown.name, "Simulated GPU");
  put_text(shown.bus_id, simulated.bus_id);
  shown.architecture = nvml::kHopper;
  if (!sensors.present(gpu, at)) shown.result = nvml::kGpuIsLost;
  put_power(shown, simulation, gpu, at);
  shown.temperature_c = static_cast<std::uint32_t>(sensors.temperature_c(gpu, at));
  shown.sm_clock_mhz = static_cast<std::uint32_t>(sensors.sm_clock_mhz(gpu, at));
  shown.memory_clock_mhz = static_cast<std::uint32_t>(sensors.memory_clock_mhz());
  shown.utilisation_percent = static_cast<std::uint32_t>(sensors.utilisation_percent(gpu, at));
  shown.memory_total_bytes = std::uint64_t{80} << 30U;
  shown.memory_used_bytes = std::uint64_t{simulated.used_by_engine ? 60U : 1U} << 30U;
  shown.power_capped_ns = static_cast<std::uint64_t>(sensors.capped_ns(gpu, at));
  if (simulated.used_by_engine) {
    shown.process_count = 1;
    shown.processes[0] = {static_cast<std::uint32_t>(getpid()), 0, shown.memory_used_bytes};
  }
  return shown;
}

Result<NvmlPublisher> NvmlPublisher::create(const std::string& path, const Simulation& simulation,
                                            MonoTime at) {
  std::vector<FakeGpu> gpus;
  for (std::size_t i = 0; i < simulation.gpus().gpus().size(); ++i) {
    gpus.push_back(fake_gpu_of(simulation, static_cast<int>(i), at));
  }
  TRY(FakeNvmlWriter writer, FakeNvmlWriter::create(path, "590.00 (simulated)", gpus));
  return NvmlPublisher(std::move(writer));
}

void NvmlPublisher::publish(const Simulation& simulation, MonoTime at) {
  for (std::size_t i = 0; i < simulation.gpus().gpus().size(); ++i) {
    writer_.publish(i, fake_gpu_of(simulation, static_cast<int>(i), at));
  }
}

}  // namespace tokenjoule
