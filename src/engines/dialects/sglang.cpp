#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

using M = EngineMetric;
using enum CounterClock;

int fit(const ProbeAnswers& answers) {
  const std::string owner = owner_of_models(answers);
  if (owner == "sglang") return 100;
  return has_family_beginning(answers, "sglang:") ? 60 : 0;
}

// Two sets of counters (SGLang, python/sglang/srt/observability/metrics_collector.py, 0.4 to
// 0.5.18). Those of requests move when a request is done. Those of the scheduler ("realtime") move
// as the work is done, older releases at each log interval of 40 steps; they count what was
// computed, with the tokens that were thrown away: behind the end of an answer, in requests that
// were aborted or retracted. Each rank may export the same counts. Where requests have priorities,
// priority="" is the total of the others. The counters of cached tokens by source are left alone: a
// request may be in a source and again in "total".
const std::map<std::string, std::string> kAllPriorities = {{"priority", ""}};

std::map<std::string, std::string> realtime(const std::string& mode) {
  return {{"mode", mode}, {"priority", ""}};
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  for (const char* path : {"/server_info", "/get_server_info"}) {
    const auto server = json_at(answers, path);
    if (!server) continue;
    const JsonView root = server->root();
    info.version = root["version"].string().value_or("");
    add_members(info, root,
                {{"tp_size", "tensor_parallel_size"},
                 {"pp_size", "pipeline_parallel_size"},
                 {"dp_size", "data_parallel_size"},
                 {"ep_size", "expert_parallel_size"},
                 {"quantization", "quantization"},
                 {"dtype", "dtype"},
                 {"kv_cache_dtype", "kv_cache_dtype"},
                 {"max_running_requests", "max_num_seqs"},
                 {"speculative_algorithm", "speculation"},
                 {"attention_backend", "attention_backend"}});
    if (const auto off = root["disable_radix_cache"].boolean()) {
      add_reported_text(info, "enable_prefix_caching", *off ? "False" : "True");
    }
    return;
  }
}

}  // namespace

const TableDialect& sglang_dialect() {
  static const TableDialect dialect({
      .name = "sglang",
      .fits = fit,
      .request = {.ignore_eos = true,
                  .min_tokens = "min_tokens",
                  .chat_min_tokens = "min_tokens",
                  .return_token_ids = true},
      .token_id_prompts = true,
      .further_pages = {"/server_info", "/get_server_info"},
      .why_no_metrics = "SGLang was started without --enable-metrics",
      .counters =
          {
              {M::output_tokens, at_finish, {"sglang:generation_tokens"}},
              {M::output_tokens_computed, per_step, {"sglang:realtime_tokens"}, realtime("decode")},
              {M::prompt_tokens, at_finish, {"sglang:prompt_tokens"}},
              {M::prompt_tokens_computed,
               per_step,
               {"sglang:realtime_tokens"},
               realtime("prefill_compute")},
              {M::prompt_tokens_cached,
               per_step,
               {"sglang:realtime_tokens"},
               realtime("prefill_cache")},
              {M::preemptions, per_step, {"sglang:num_retracted_requests"}, kAllPriorities},
              {M::requests_finished, at_finish, {"sglang:num_requests"}},
              {M::requests_aborted, at_finish, {"sglang:num_aborted_requests"}},
              {M::requests_running, gauge, {"sglang:num_running_reqs"}, kAllPriorities},
              {M::requests_waiting, gauge, {"sglang:num_queue_reqs"}, kAllPriorities},
              {M::cache_use, gauge, {"sglang:token_usage"}, kAllPriorities},
          },
      .traits = {.repeated_over = {"tp_rank", "pp_rank", "moe_ep_rank", "attn_cp_rank", "pid"}},
      .limits = {"SGLang counts output tokens when a request is done, and none of those that were "
                 "broken off"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
