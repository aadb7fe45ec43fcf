#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

using M = EngineMetric;
using enum CounterClock;

// /metrics is JSON here, a queue of iteration statistics that a read empties: the probe reads it
// once, the run never does. Prometheus text has a path of its own (TensorRT-LLM,
// tensorrt_llm/serve/openai_server.py, 1.0 to 1.3).
constexpr char kMetrics[] = "/prometheus/metrics";

int fit(const ProbeAnswers& answers) {
  if (owner_of_models(answers) == "tensorrt_llm") return 100;
  return has_family_beginning(answers, "trtllm_", kMetrics) ? 60 : 0;
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  if (const auto version = json_at(answers, "/version")) {
    info.version = version->root()["version"].string().value_or("");
  }
  const auto page = metrics_page_of(answers, kMetrics);
  if (!page) return;
  add_labels(info, *page, "trtllm_model_config_info",
             {{"quantization", "quantization"}, {"dtype", "dtype"}, {"gpu_type", "gpu_type"}});
  add_labels(info, *page, "trtllm_parallel_config_info",
             {{"tp_size", "tensor_parallel_size"},
              {"pp_size", "pipeline_parallel_size"},
              {"ep_size", "expert_parallel_size"}});
}

}  // namespace

// All token counters move when a request is done; a counter that is still 0 is not on the page
// (tensorrt_llm/metrics/collector.py). Gauges come once a process. Releases of the 1.0 era had no
// token counters and names without a prefix: nothing of that page is taken.
const TableDialect& trtllm_dialect() {
  static const TableDialect dialect({
      .name = "trtllm",
      .fits = fit,
      .request = {.ignore_eos = true, .min_tokens = "min_tokens", .chat_min_tokens = "min_tokens"},
      .token_id_prompts = true,
      .further_pages = {kMetrics},
      .metrics_path = kMetrics,
      .why_no_metrics = "trtllm-serve was started without return_perf_metrics: true",
      .counters =
          {
              {M::output_tokens, at_finish, {"trtllm_generation_tokens"}},
              {M::prompt_tokens, at_finish, {"trtllm_prompt_tokens"}},
              {M::prompt_tokens_cached, at_finish, {"trtllm_prompt_cached_tokens"}},
              {M::draft_tokens, at_finish, {"trtllm_spec_decode_num_draft_tokens"}},
              {M::draft_tokens_accepted, at_finish, {"trtllm_spec_decode_num_accepted_tokens"}},
              {M::requests_finished, at_finish, {"trtllm_request_success"}},
              {M::requests_running, gauge, {"trtllm_num_requests_running"}},
              {M::requests_waiting, gauge, {"trtllm_num_requests_waiting"}},
              {M::cache_use, gauge, {"trtllm_kv_cache_utilization"}},
          },
      .traits = {.repeated_over = {"pid"}},
      .limits = {"trtllm-serve counts tokens when a request is done, and none of those that were "
                 "broken off",
                 "trtllm-serve refuses a request with a field that it does not know: mind "
                 "--extra-body"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
