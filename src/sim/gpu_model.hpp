#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/time.hpp"
#include "sim/step_cost.hpp"

namespace tokenjoule {

struct SimulatedGpu {
  std::string uuid;  ///< begins with GPU-51d0: the mark of a simulated device
  std::string bus_id;
  bool used_by_engine = true;
  GpuFactors factors;  ///< this GPU against the nominal one
};

/// True power of all GPUs as a function of time, constant between two changes, and its exact
/// integral. Time is since the simulator's start; before it all GPUs idle.
class GpuModel {
 public:
  GpuModel(const GpuParameters& parameters, std::uint64_t seed);

  /// From `begin`, which is not before the last step's end, the engine's GPUs work as `cost` says.
  void add_step(MonoTime begin, const StepCost& cost);

  const std::vector<SimulatedGpu>& gpus() const { return gpus_; }
  GpuFactors hottest() const { return hottest_; }
  Watts power(int gpu, MonoTime at) const;
  /// Energy since the start; negative before it. Exact for any time up to the last step's end, and
  /// as if idle after it. `at` must not be before `known_from`.
  Joules energy(int gpu, MonoTime at) const;
  /// Time in which the GPU worked, and in which the cap slowed it, since the start.
  Seconds busy(int gpu, MonoTime at) const;
  Seconds capped(int gpu, MonoTime at) const;
  double slowdown(int gpu, MonoTime at) const;
  /// The history is bounded: what was before this is forgotten.
  MonoTime known_from() const;

 private:
  struct Change {
    MonoTime at;
    double watts = 0;  ///< active, nominal, from here on
    double busy = 0;   ///< share
    double slowdown = 1;
    double joules = 0;  ///< active, nominal, up to here
    double busy_s = 0;
    double capped_s = 0;
  };
  void add_change(MonoTime at, double watts, double busy, double slowdown);
  const Change& change_at(MonoTime at) const;

  GpuParameters parameters_;
  std::vector<SimulatedGpu> gpus_;
  GpuFactors hottest_;
  std::deque<Change> changes_;
  bool forgot_ = false;
};

}  // namespace tokenjoule
