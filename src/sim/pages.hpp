#pragma once

#include <string>

#include "base/time.hpp"
#include "sim/simulation.hpp"

namespace tokenjoule {

/// The engine's /metrics page under the names of vLLM's V1 engine, Prometheus text 0.0.4.
std::string engine_metrics_page(const Simulation& simulation, WallTime started);

/// The GPU page in the text of the DCGM exporter, as read at that time. GPUs that are lost have no
/// rows; a family without rows is left out.
std::string gpu_metrics_page(const Simulation& simulation, MonoTime at);

/// GET /truth: {"simulated", "joules": {"total", "<uuid>": …}, "output_tokens", "prompt_tokens"}.
/// "total" is of the GPUs that the engine uses; idle ones stand under their UUID only.
std::string truth_json(const Simulation& simulation, const Truth& truth);

/// GET /v1/models and GET /version.
std::string models_json(const SimulatorOptions& options, WallTime started);
std::string version_json();

}  // namespace tokenjoule
