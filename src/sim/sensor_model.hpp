#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/gpu_model.hpp"
#include "sim/options.hpp"

namespace tokenjoule {

/// What the sensors of the simulated GPUs show, with the ways and faults of real ones. The same
/// time gives the same reading, however often it is asked. Absent: not on the page.
class SensorModel {
 public:
  /// `gpus` must outlive it.
  SensorModel(const GpuModel& gpus, const SimulatorOptions& options);

  bool present(int gpu, MonoTime at) const;
  /// Counter in whole millijoules since a "boot" long before the start.
  std::optional<std::int64_t> energy_mj(int gpu, MonoTime at) const;
  /// Mean over the averaging time, and the power of the moment; both on the sensors' own grid.
  std::optional<Watts> average_power(int gpu, MonoTime at) const;
  std::optional<Watts> instant_power(int gpu, MonoTime at) const;
  int temperature_c(int gpu, MonoTime at) const;
  int sm_clock_mhz(int gpu, MonoTime at) const;
  int memory_clock_mhz() const { return 2600; }
  /// Percent of the last second in which the GPU worked.
  int utilisation_percent(int gpu, MonoTime at) const;
  std::int64_t capped_ns(int gpu, MonoTime at) const;

 private:
  MonoTime grid_time(int gpu, MonoTime at, Nanoseconds step) const;
  double true_counter_mj(int gpu, MonoTime at) const;
  Watts as_shown(Watts power, int gpu, MonoTime tick, std::uint64_t kind) const;

  const GpuModel& gpus_;
  SensorParameters sensors_;
  FaultPlan faults_;
  std::uint64_t seed_;
  std::vector<double> phase_;    ///< of the sensors' grid, share of a step
  std::vector<double> boot_mj_;  ///< counter at the start
};

}  // namespace tokenjoule
