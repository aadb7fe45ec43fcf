#include <cstdio>
#include <thread>

#include <fmt/core.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "sim/server.hpp"

namespace tokenjoule {

namespace {

using K = OptionKind;

std::vector<OptionSpec> simulate_options() {
  const std::string server = "Server";
  const std::string engine = "Simulated engine";
  const std::string gpu = "Simulated GPUs";
  const std::string faults = "Faults";
  return {
      {"--port,-p", "P", "port to listen on; 0: a free one (default: 0)", K::value, "", server},
      {"--host", "ADDRESS", "address to listen on (default: 127.0.0.1)", K::value, "", server},
      {"--port-file", "FILE", "write the port to this file once it listens", K::value, "", server},
      {"--tls-cert", "FILE", "serve https with this certificate (PEM); needs --tls-key", K::value,
       "", server},
      {"--tls-key", "FILE", "its key (PEM)", K::value, "", server},
      {"--tls", "FILE",
       "serve https with a certificate made here, which is written to FILE for measure --cacert",
       K::value, "", server},
      {"--nvml-state", "FILE",
       "show the GPUs through this file to our fake NVML library (TOKENJOULE_FAKE_NVML=FILE)",
       K::value, "", server},
      {"--seed", "N", "same seed, same simulation (default: 1)", K::value, "", server},
      {"--model,-m", "NAME", "the model's name (default: simulated-model)", K::value, "", engine},
      {"--max-num-seqs", "N", "requests in a batch at most (default: 256)", K::value, "", engine},
      {"--max-num-batched-tokens", "N", "tokens in a step at most (default: 2048)", K::value, "",
       engine},
      {"--kv-cache-tokens", "N", "tokens that the KV cache holds (default: 400000)", K::value, "",
       engine},
      {"--max-model-len", "N", "prompt and answer together at most (default: 32768)", K::value, "",
       engine},
      {"--tokens-per-event", "N", "tokens that a decode step gives each sequence (default: 1)",
       K::value, "", engine},
      {"--tokens-per-second", "R",
       "fixed decode rate of each stream (default: as fast as steps go)", K::value, "", engine},
      {"--gpus", "N", "GPUs that the engine runs on (default: 1)", K::value, "", gpu},
      {"--idle-gpus", "N", "further GPUs that it does not use (default: 0)", K::value, "", gpu},
      {"--power-cap", "W", "enforced power limit of each GPU; steps slow down to keep it", K::value,
       "", gpu},
      {"--drift", "", "let power and speed change in different proportions", K::flag, "", gpu},
      {"--drift-period", "TIME", "period of that change (default: 20s)", K::value, "", gpu},
      {"--fault", "KIND[:key=value…]",
       "a fault of sensor, page or engine; repeatable; see src/sim/README.md", K::values, "",
       faults},
  };
}

Status take_engine(SimulatorOptions& options, const ParsedOptions& parsed) {
  EngineParameters& engine = options.engine;
  if (const auto name = parsed.text("model")) options.model = *name;
  const std::pair<const char*, std::int64_t*> counts[] = {
      {"max-num-seqs", &engine.max_num_seqs},
      {"max-num-batched-tokens", &engine.max_num_batched_tokens},
      {"kv-cache-tokens", &engine.kv_cache_tokens},
      {"max-model-len", &engine.max_model_len},
      {"tokens-per-event", &engine.tokens_per_event},
  };
  for (const auto& [name, into] : counts) {
    TRY(const auto given, parsed.integer(name, 1, 100'000'000));
    if (given) *into = *given;
  }
  TRY(engine.paced_tokens_per_second, parsed.number("tokens-per-second", 0.001, 1000));
  return {};
}

Status take_tls(SimulatorOptions& options, const ParsedOptions& parsed) {
  options.tls_certificate = parsed.text("tls-cert").value_or("");
  options.tls_key = parsed.text("tls-key").value_or("");
  options.tls_made = parsed.text("tls").value_or("");
  if (options.tls_certificate.empty() != options.tls_key.empty())
    return failure(ErrorKind::usage, "--tls-cert and --tls-key go together",
                   "give both, or --tls FILE for a certificate that is made here");
  if (!options.tls_made.empty() && !options.tls_certificate.empty())
    return failure(ErrorKind::usage, "--tls makes a certificate, --tls-cert brings one",
                   "leave one of the two out");
  return {};
}

Status take_gpus(SimulatorOptions& options, const ParsedOptions& parsed) {
  TRY(const auto gpus, parsed.integer("gpus", 1, 64));
  TRY(const auto idle_gpus, parsed.integer("idle-gpus", 0, 64));
  TRY(const auto cap, parsed.number("power-cap", 1, 1e5));
  TRY(const auto period, parsed.duration("drift-period"));
  if (gpus) options.gpu.engine_gpus = static_cast<int>(*gpus);
  if (idle_gpus) options.gpu.idle_gpus = static_cast<int>(*idle_gpus);
  if (cap) options.gpu.cap = Watts(*cap);
  options.drift.on = parsed.flag("drift") || period.has_value();
  if (period) options.drift.period = *period;
  return {};
}

Result<SimulatorOptions> simulator_options_from(const ParsedOptions& parsed) {
  SimulatorOptions options;
  TRY(const auto port, parsed.integer("port", 0, 65535));
  TRY(const auto seed, parsed.integer("seed", 0, INT64_MAX));
  if (port) options.port = static_cast<std::uint16_t>(*port);
  if (seed) options.seed = static_cast<std::uint64_t>(*seed);
  if (const auto host = parsed.text("host")) options.host = *host;
  if (const auto file = parsed.text("port-file")) options.port_file = *file;
  if (const auto file = parsed.text("nvml-state")) options.nvml_state = *file;
  TRY_DO(take_tls(options, parsed));
  TRY_DO(take_engine(options, parsed));
  TRY_DO(take_gpus(options, parsed));
  const auto words = parsed.texts("fault");
  TRY(options.faults, faults_in(words));
  TRY_DO(check_options(options));
  return options;
}

Result<int> run_simulate(const ParsedOptions& parsed) {
  TRY(const SimulatorOptions options, simulator_options_from(parsed));
  InterruptWatcher interrupts;
  TRY(const auto server, SimulatorServer::create(options));
  put_out(server->start_message());
  std::fflush(stdout);
  const std::stop_callback stop(interrupts.token(), [&server] { server->stop(); });
  TRY_DO(server->run());
  return kExitUsable;
}

}  // namespace

CommandSpec simulate_command() {
  return {
      "simulate",
      "an OpenAI-compatible engine with SIMULATED GPUs whose true energy is known",
      "tokenjoule simulate [--port P] [--gpus N] [options]",
      simulate_options(),
      {"tokenjoule simulate --port 8000 --gpus 2", "tokenjoule simulate --port 8443 --tls cert.pem",
       "tokenjoule simulate --port 8000 --fault counter_reset:at=40 --drift"},
      0,
      run_simulate};
}

}  // namespace tokenjoule
