#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

using M = EngineMetric;
using enum CounterClock;

int fit(const ProbeAnswers& answers) {
  if (owner_of_models(answers) == "Triton Inference Server") return 100;
  return has_family_beginning(answers, "nv_inference_") ? 60 : 0;
}

std::map<std::string, std::string> request(const char* type) { return {{"request_type", type}}; }

}  // namespace

// Triton through its OpenAI frontend (port 9000), whose /metrics is that of port 8002. There is no
// counter of tokens, and the counts of requests are those of every model of an ensemble: neither is
// taken. The gauges are those of the TensorRT-LLM backend (tensorrtllm_backend, README).
const TableDialect& triton_dialect() {
  static const TableDialect dialect({
      .name = "triton",
      .fits = fit,
      .request = {.ignore_eos = true, .min_tokens = "min_tokens", .chat_min_tokens = "min_tokens"},
      .counters =
          {
              {M::requests_running, gauge, {"nv_trt_llm_request_metrics"}, request("active")},
              {M::requests_waiting, gauge, {"nv_trt_llm_request_metrics"}, request("waiting")},
              {M::cache_use,
               gauge,
               {"nv_trt_llm_kv_cache_block_metrics"},
               {{"kv_cache_block_type", "fraction"}}},
          },
      .limits = {"Triton counts no tokens: they are counted by the client alone",
                 "Triton's OpenAI frontend takes one text as a prompt, no token ids",
                 "Triton's OpenAI frontend refuses a request with a field that it does not know: "
                 "mind --extra-body"},
  });
  return dialect;
}

}  // namespace tokenjoule
