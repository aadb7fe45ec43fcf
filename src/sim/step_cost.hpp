#pragma once

#include "base/quantity.hpp"
#include "base/time.hpp"
#include "sim/engine_model.hpp"
#include "sim/options.hpp"

namespace tokenjoule {

/// How long a step takes and what each GPU of the engine draws above idle while it lasts, for a GPU
/// of factor 1.
struct StepCost {
  Nanoseconds length;
  Watts active;
  double busy = 0;      ///< share of the step in which the GPUs work, 0..1
  double slowdown = 1;  ///< by the power cap; 1: not capped
};

/// Factors of the drift at that time: {active power, step time}.
struct DriftFactors {
  double power = 1;
  double time = 1;
};
DriftFactors drift_at(const DriftParameters& drift, MonoTime at);

/// Time and power of a step by the formulas of README.md.
/// @param jitter factor on the step's time.
/// @param hottest the largest GPU factors, which the cap must hold for.
struct GpuFactors {
  double idle = 1;
  double active = 1;
};
StepCost cost_of(const StepWork& work, const SimulatorOptions& options, DriftFactors drift,
                 double jitter, GpuFactors hottest);

}  // namespace tokenjoule
