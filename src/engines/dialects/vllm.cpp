#include <set>

#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

using M = EngineMetric;
using enum CounterClock;

int fit(const ProbeAnswers& answers) {
  const std::string owner = owner_of_models(answers);
  if (owner == "vllm") return 100;
  // Other servers copy the names of vLLM's counters with other meanings, so that the names alone
  // prove nothing where the models belong to somebody else.
  const auto version = json_at(answers, "/version");
  const bool answers_version = version && version->root()["version"].string();
  return owner.empty() && answers_version && has_family_beginning(answers, "vllm:") ? 50 : 0;
}

// All token counters move in the engine step that makes the tokens; a prompt lands whole in the
// step that ends its prefill, with its cache hits and once for each of n answers (vLLM,
// vllm/v1/metrics/loggers.py and stats.py, versions 0.9 to 0.29; the Rust frontend the same).
// Before 0.9 the cache counters were named gpu_...; both spellings stood on the page for a while.
// V0 (to 0.10) is told by its swap gauge: no labels but the model, and cache hits as a rate only.
// Before 0.15 nothing says how many prompt tokens were computed.
const std::vector<CounterRule>& rules() {
  static const std::vector<CounterRule> table = {
      {M::output_tokens, per_step, {"vllm:generation_tokens"}},
      {M::prompt_tokens, per_step, {"vllm:prompt_tokens"}},
      {M::prompt_tokens_computed,
       per_step,
       {"vllm:prompt_tokens_by_source"},
       {{"source", "local_compute"}}},
      {M::prompt_tokens_cached,
       per_step,
       {"vllm:prompt_tokens_cached", "vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"}},
      {M::draft_tokens, per_step, {"vllm:spec_decode_num_draft_tokens"}},
      {M::draft_tokens_accepted, per_step, {"vllm:spec_decode_num_accepted_tokens"}},
      {M::preemptions, per_step, {"vllm:num_preemptions"}},
      {M::requests_finished, at_finish, {"vllm:request_success"}},
      {M::requests_aborted, at_finish, {"vllm:request_success"}, {{"finished_reason", "abort"}}},
      {M::requests_running, gauge, {"vllm:num_requests_running"}},
      {M::requests_waiting, gauge, {"vllm:num_requests_waiting"}},
      {M::cache_use, gauge, {"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"}},
      {M::process_start, gauge, {"process_start_time_seconds", "vllm:generation_tokens_created"}},
  };
  return table;
}

void add_page_settings(EngineInfo& info, const PrometheusPage& page) {
  add_labels(info, page, "vllm:cache_config_info",
             {{"block_size", "block_size"},
              {"num_gpu_blocks", "num_gpu_blocks"},
              {"enable_prefix_caching", "enable_prefix_caching"},
              {"cache_dtype", "cache_dtype"},
              {"gpu_memory_utilization", "gpu_memory_utilization"}});
  std::set<std::string_view> engines;
  for (const auto* sample : page.samples_named("vllm:num_requests_running")) {
    if (const auto engine = sample->label("engine")) engines.insert(*engine);
  }
  if (!engines.empty()) {
    add_reported_text(info, "data_parallel_size", std::to_string(engines.size()));
  }
  const auto drafts = page.samples_named("vllm:spec_decode_num_drafts_total");
  if (!drafts.empty()) add_reported_text(info, "speculative_decoding", "True");
  if (page.family("vllm:num_requests_swapped") == nullptr) return;
  add_reported_text(info, "engine_generation", "V0");
  info.limits = {
      "vLLM V0 does not count the prompt tokens that came from its cache",
      "releases of vLLM V0 before 0.6.5 leave tokens accepted from drafts out of their counter"};
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  if (const auto version = json_at(answers, "/version")) {
    info.version = version->root()["version"].string().value_or("");
    info.simulated = version->root()["simulated"].boolean().value_or(false);
  }
  if (const auto page = metrics_page_of(answers)) add_page_settings(info, *page);
}

}  // namespace

const TableDialect& vllm_dialect() {
  static const TableDialect dialect({
      .name = "vllm",
      .fits = fit,
      .request = {.chat_limit = "max_completion_tokens",
                  .ignore_eos = true,
                  .min_tokens = "min_tokens",
                  .chat_min_tokens = "min_tokens",
                  .return_token_ids = true},
      .token_id_prompts = true,
      .counters = rules(),
      .traits = {.repeated_over = {"pid"}},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
