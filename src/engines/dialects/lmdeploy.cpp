#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

using M = EngineMetric;
using enum CounterClock;

int fit(const ProbeAnswers& answers) {
  if (owner_of_models(answers) == "lmdeploy") return 100;
  return has_family_beginning(answers, "lmdeploy:") ? 60 : 0;
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  const auto page = metrics_page_of(answers);
  if (!page) return;
  add_labels(info, *page, "lmdeploy:backend_config_info",
             {{"tp", "tensor_parallel_size"},
              {"dp", "data_parallel_size"},
              {"session_len", "max_model_len"},
              {"quant_policy", "quant_policy"},
              {"enable_prefix_caching", "enable_prefix_caching"}});
}

}  // namespace

// Prompt and output tokens move with each iteration, cached ones when a request is done (LMDeploy
// 0.16, lmdeploy/metrics/). The spelling max_tokens is deprecated there, but the only one that all
// of its releases take.
const TableDialect& lmdeploy_dialect() {
  static const TableDialect dialect({
      .name = "lmdeploy",
      .fits = fit,
      .request = {.ignore_eos = true, .chat_min_tokens = "min_new_tokens"},
      .why_no_metrics = "LMDeploy was started with --disable-metrics, or is older than its metrics",
      .counters =
          {
              {M::output_tokens, per_step, {"lmdeploy:generation_tokens"}},
              {M::prompt_tokens, per_step, {"lmdeploy:prompt_tokens"}},
              {M::prompt_tokens_cached, at_finish, {"lmdeploy:cached_tokens"}},
              {M::draft_tokens, per_step, {"lmdeploy:spec_decode_num_draft_tokens"}},
              {M::draft_tokens_accepted, per_step, {"lmdeploy:spec_decode_num_accepted_tokens"}},
              {M::requests_finished,
               at_finish,
               {"lmdeploy:request_success"},
               {{"finished_reason", "ResponseType.FINISH"}}},
              {M::requests_aborted,
               at_finish,
               {"lmdeploy:request_success"},
               {{"finished_reason", "ResponseType.CANCEL"}}},
              {M::requests_running, gauge, {"lmdeploy:num_requests_running"}},
              {M::requests_waiting, gauge, {"lmdeploy:num_requests_waiting"}},
              {M::cache_use, gauge, {"lmdeploy:gpu_cache_usage_perc"}},
          },
      .traits = {.repeated_over = {"pid"}},
      .limits = {"LMDeploy takes a list of numbers for a list of prompts: prompts are sent as text",
                 "LMDeploy counts cached prompt tokens when a request is done",
                 "each data-parallel rank of LMDeploy has a page of its own"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
