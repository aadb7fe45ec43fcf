#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "sim/engine_model.hpp"
#include "sim/gpu_model.hpp"
#include "sim/options.hpp"
#include "sim/sensor_model.hpp"
#include "sim/token_ledger.hpp"

namespace tokenjoule {

/// What really happened in a span.
struct Truth {
  Joules engine_gpus;          ///< sum over the GPUs that the engine uses
  std::vector<Joules> by_gpu;  ///< all, in order of index, the idle ones too
  std::int64_t output_tokens = 0;
  std::int64_t prompt_tokens = 0;  ///< a prompt counts whole with its first token
};

/// Engine, GPUs, sensors and the ledger of tokens on one time, without a clock of its own. The
/// server drives it by the steady clock, a virtual run by an invented one.
class Simulation {
 public:
  explicit Simulation(const SimulatorOptions& options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Hands a request over at `now`; an idle engine begins a step at once.
  void submit(const EngineRequest& request, MonoTime now);
  void abort(std::uint64_t id) { engine_.abort(id); }
  /// When the step under way ends; nullopt: nothing to do.
  std::optional<MonoTime> step_end() const { return step_end_; }
  /// Ends the step under way, which is over by `now`, and begins the next where it ended; at `now`
  /// if that is more than 20 ms ago, since then whoever drives could not keep up.
  const std::vector<EngineOutput>& end_step(MonoTime now);

  /// Tokens as they are sent.
  void count_sent(MonoTime at, std::int64_t output_tokens, std::int64_t prompt_tokens);

  /// [from, to). Exact from known_from() to the end of the step under way.
  Truth truth(TimeSpan span) const;
  MonoTime known_from() const;

  const SimulatorOptions& options() const { return options_; }
  const EngineModel& engine() const { return engine_; }
  const GpuModel& gpus() const { return gpus_; }
  const SensorModel& sensors() const { return sensors_; }

 private:
  void begin_step(MonoTime at);
  MonoTime after_stalls(MonoTime at) const;

  SimulatorOptions options_;
  EngineModel engine_;
  GpuModel gpus_;
  SensorModel sensors_;
  TokenLedger output_tokens_;
  TokenLedger prompt_tokens_;
  Random jitter_;
  std::optional<MonoTime> step_end_;
};

}  // namespace tokenjoule
