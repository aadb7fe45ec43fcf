#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "sim/faults.hpp"

namespace tokenjoule {

/// The simulated engine. SIMULATED: round figures of no real engine; formulas in README.md.
struct EngineParameters {
  std::int64_t max_num_seqs = 256;             ///< requests in a batch at most
  std::int64_t max_num_batched_tokens = 2048;  ///< tokens of a step at most (chunked prefill)
  std::int64_t kv_cache_tokens = 400'000;      ///< must hold max_model_len
  std::int64_t max_model_len = 32'768;         ///< prompt and answer together at most
  std::int64_t tokens_per_event = 1;  ///< tokens a sequence gets a decode step, as if speculating
  std::int64_t mean_output_tokens = 256;  ///< of answers that end by themselves (no ignore_eos)
  Seconds step_overhead{0.0005};          ///< host time of a step, GPUs at idle power
  Seconds weights_pass{0.007};            ///< GPU time of a step whatever is in it, one GPU
  Seconds per_decode_token{60e-6};        ///< GPU time of a decoded token, one GPU
  Seconds per_context_token{20e-9};       ///< GPU time of a cached token read, one GPU
  Seconds per_prefill_token{25e-6};       ///< GPU time of a prompt token, one GPU
  double step_jitter = 0.02;              ///< step times vary by up to this share either way
  /// Fixed decode rate of every stream, tokens/s; absent: as fast as the steps go.
  std::optional<double> paced_tokens_per_second;
  Nanoseconds paced_step = milliseconds(1);  ///< length of a step in paced mode
};

/// The simulated GPUs. SIMULATED: of no real product.
struct GpuParameters {
  int engine_gpus = 1;  ///< the engine runs on these, in equal shares
  int idle_gpus = 0;    ///< further GPUs that the engine does not use
  Watts idle{80};
  /// Power above idle while doing that kind of work only, one GPU.
  Watts weights_pass{260};
  Watts decode{380};
  Watts context{300};
  Watts prefill{520};
  Watts default_limit{800};
  std::optional<Watts> cap;  ///< enforced limit; steps get slower to keep it
  double spread = 0.03;      ///< GPUs differ by up to this share either way
};

/// A slow change of the model's constants, so that a window cut wrongly shows.
struct DriftParameters {
  bool on = false;
  Seconds period{20};
  double power_amplitude = 0.25;  ///< active power swings by this share either way
  double time_amplitude = 0.30;   ///< step times swing by this share, a quarter period later
};

struct SensorParameters {
  Nanoseconds counter_step = milliseconds(100);  ///< energy counter moves on this grid
  Nanoseconds power_step = milliseconds(100);    ///< power readings change on this grid; 0: always
  Seconds averaging{1.0};  ///< the average power reading is the mean over this
};

/// All that `tokenjoule simulate` can be told.
struct SimulatorOptions {
  std::string host = "127.0.0.1";  ///< address to listen on
  std::uint16_t port = 0;          ///< 0: a free one
  std::string port_file;           ///< the port is written here when ready; "": nowhere
  std::string tls_certificate;     ///< PEM file: https with it instead of http; "": none
  std::string tls_key;             ///< PEM file of its key
  std::string tls_made;    ///< https with a certificate made here and written to it; "": none
  std::string nvml_state;  ///< file that shows the GPUs to the fake NVML library; "": none
  std::uint64_t seed = 1;
  std::string model = "simulated-model";  ///< served model name
  EngineParameters engine;
  GpuParameters gpu;
  DriftParameters drift;
  SensorParameters sensors;
  FaultPlan faults;
};

/// A usage error that names the first option out of range.
Status check_options(const SimulatorOptions& options);

}  // namespace tokenjoule
