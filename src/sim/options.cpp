#include "sim/options.hpp"

#include <iterator>

#include <fmt/core.h>

namespace tokenjoule {

namespace {

struct Range {
  std::string_view name;
  double value;
  double low;
  double high;
};

Status check_ranges(const Range* begin, const Range* end) {
  for (const Range* range = begin; range != end; ++range) {
    if (range->value >= range->low && range->value <= range->high) continue;
    return failure(ErrorKind::usage,
                   fmt::format("the simulator's {} is out of range: {}", range->name, range->value),
                   fmt::format("choose one from {} to {}", range->low, range->high));
  }
  return {};
}

Status check_engine(const EngineParameters& engine) {
  const Range ranges[] = {
      {"max_num_seqs", static_cast<double>(engine.max_num_seqs), 1, 100'000},
      {"max_num_batched_tokens", static_cast<double>(engine.max_num_batched_tokens), 1, 1e7},
      {"max_model_len", static_cast<double>(engine.max_model_len), 2, 1e7},
      {"key-value cache (tokens)", static_cast<double>(engine.kv_cache_tokens),
       static_cast<double>(engine.max_model_len) + 16, 1e10},
      {"tokens per event", static_cast<double>(engine.tokens_per_event), 1, 1000},
      {"mean output tokens", static_cast<double>(engine.mean_output_tokens), 1, 1e6},
      {"step overhead (s)", engine.step_overhead.value(), 0, 10},
      {"weights pass (s)", engine.weights_pass.value(), 1e-6, 10},
      {"time of a decoded token (s)", engine.per_decode_token.value(), 0, 1},
      {"time of a context token (s)", engine.per_context_token.value(), 0, 1},
      {"time of a prompt token (s)", engine.per_prefill_token.value(), 1e-9, 1},
      {"step jitter", engine.step_jitter, 0, 0.5},
      {"tokens per second of a stream", engine.paced_tokens_per_second.value_or(1), 0.01, 1000},
      {"paced step (s)", to_seconds(engine.paced_step).value(), 1e-4, 1},
  };
  return check_ranges(std::begin(ranges), std::end(ranges));
}

Status check_gpus(const GpuParameters& gpu) {
  const double idle = gpu.idle.value() * (1 + gpu.spread);
  const Range ranges[] = {
      {"number of GPUs", static_cast<double>(gpu.engine_gpus), 1, 1024},
      {"number of idle GPUs", static_cast<double>(gpu.idle_gpus), 0, 1024},
      {"spread of the GPUs", gpu.spread, 0, 0.5},
      {"idle power (W)", gpu.idle.value(), 0, 1e5},
      {"power of the weights pass (W)", gpu.weights_pass.value(), 0, 1e5},
      {"decode power (W)", gpu.decode.value(), 0, 1e5},
      {"context power (W)", gpu.context.value(), 0, 1e5},
      {"prefill power (W)", gpu.prefill.value(), 0, 1e5},
      // A cap below idle power could not be kept by working more slowly.
      {"default power limit (W)", gpu.default_limit.value(), idle + 1, 1e6},
      {"power cap (W)", gpu.cap.value_or(gpu.default_limit).value(), idle + 1, 1e6},
  };
  return check_ranges(std::begin(ranges), std::end(ranges));
}

}  // namespace

Status check_options(const SimulatorOptions& options) {
  TRY_DO(check_engine(options.engine));
  TRY_DO(check_gpus(options.gpu));
  const SensorParameters& sensors = options.sensors;
  const Nanoseconds step = options.faults.counter_step.value_or(sensors.counter_step);
  const Range ranges[] = {
      {"drift period (s)", options.drift.period.value(), 0.01, 1e6},
      {"drift of the power", options.drift.power_amplitude, 0, 0.9},
      {"drift of the step time", options.drift.time_amplitude, 0, 0.9},
      {"counter step (s)", to_seconds(step).value(), 0.001, 3600},
      {"power step (s)", to_seconds(sensors.power_step).value(), 0, 3600},
      {"averaging time (s)", sensors.averaging.value(), 0.001, 3600},
  };
  return check_ranges(std::begin(ranges), std::end(ranges));
}

}  // namespace tokenjoule
