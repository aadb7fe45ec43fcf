#include "sim/step_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tokenjoule {

namespace {

/// GPU time of the parts of a step on one GPU of the engine, and the energy above idle that they
/// take: time and energy of each part are in proportion to its tokens.
struct Load {
  Seconds time;
  Joules active;

  void add(Seconds part, Watts power) {
    time += part;
    active += power * part;
  }
};

Load load_of(const StepWork& work, const SimulatorOptions& options) {
  const EngineParameters& engine = options.engine;
  const GpuParameters& gpu = options.gpu;
  const double share = 1.0 / gpu.engine_gpus;
  Load load;
  if (!engine.paced_tokens_per_second) load.add(engine.weights_pass * share, gpu.weights_pass);
  load.add(engine.per_decode_token * share * static_cast<double>(work.decode_tokens), gpu.decode);
  load.add(engine.per_context_token * share * static_cast<double>(work.context_tokens),
           gpu.context);
  load.add(engine.per_prefill_token * share * static_cast<double>(work.prefill_tokens),
           gpu.prefill);
  return load;
}

/// What the enforced limit leaves above the idle power of the hottest GPU, for a nominal one.
Watts active_limit(const GpuParameters& gpu, GpuFactors hottest) {
  const Watts limit = std::min(gpu.cap.value_or(gpu.default_limit), gpu.default_limit);
  return (limit - gpu.idle * hottest.idle) / hottest.active;
}

}  // namespace

DriftFactors drift_at(const DriftParameters& drift, MonoTime at) {
  if (!drift.on) return {};
  const double angle = 2 * std::numbers::pi * (since_origin(at) / drift.period);
  return {1 + drift.power_amplitude * std::sin(angle), 1 - drift.time_amplitude * std::cos(angle)};
}

StepCost cost_of(const StepWork& work, const SimulatorOptions& options, DriftFactors drift,
                 double jitter, GpuFactors hottest) {
  const Load load = load_of(work, options);
  const Watts limit = active_limit(options.gpu, hottest);
  const bool paced = options.engine.paced_tokens_per_second.has_value();
  const double stretch = drift.time * jitter;
  // Paced steps have one length; the power is that of the work done in it.
  const Seconds free_time = paced ? to_seconds(options.engine.paced_step)
                                  : options.engine.step_overhead + load.time * stretch;
  const Joules energy = load.active * drift.power * (paced ? 1.0 : stretch);
  const Watts wanted = energy / free_time;
  StepCost cost;
  cost.busy = std::min(1.0, load.time / free_time * (paced ? 1.0 : stretch));
  // Slower clocks need less voltage: s times slower draws s^1.5 times less above idle, so that a
  // capped step takes s^-0.5 of the energy.
  if (wanted > limit) cost.slowdown = std::pow(wanted / limit, 1 / 1.5);
  cost.active = std::min(wanted, limit);
  cost.length = to_nanoseconds(paced ? free_time : free_time * cost.slowdown);
  return cost;
}

}  // namespace tokenjoule
