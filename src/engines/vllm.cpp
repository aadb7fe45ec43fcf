#include <set>

#include "engines/counter_rules.hpp"
#include "engines/known_dialects.hpp"
#include "engines/probe_answers.hpp"
#include "engines/request_body.hpp"

namespace tokenjoule {

namespace {

// All token counters move in the engine step that makes the tokens; a prompt lands whole in the
// step that ends its prefill (vLLM, vllm/v1/metrics/loggers.py and stats.py, versions 0.9 to 0.29).
// Before 0.9 the cache counters were named gpu_...; both spellings stood on the page for a while.
const std::vector<CounterRule>& rules() {
  using enum CounterClock;
  using M = EngineMetric;
  static const std::vector<CounterRule> table = {
      {M::output_tokens, per_step, {"vllm:generation_tokens"}, {}, {}},
      {M::prompt_tokens, per_step, {"vllm:prompt_tokens"}, {}, {}},
      {M::prompt_tokens_computed,
       per_step,
       {"vllm:prompt_tokens_by_source"},
       {{"source", "local_compute"}},
       {}},
      {M::prompt_tokens_cached,
       per_step,
       {"vllm:prompt_tokens_cached", "vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"},
       {},
       {}},
      {M::preemptions, per_step, {"vllm:num_preemptions"}, {}, {}},
      {M::requests_finished, at_finish, {"vllm:request_success"}, {}, {}},
      {M::requests_running, gauge, {"vllm:num_requests_running"}, {}, {}},
      {M::requests_waiting, gauge, {"vllm:num_requests_waiting"}, {}, {}},
      {M::cache_use, gauge, {"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"}, {}, {}},
      {M::process_start, gauge, {"process_start_time_seconds"}, {}, {}},
  };
  return table;
}

class Vllm final : public EngineDialect {
 public:
  std::string_view name() const override { return "vllm"; }

  int fits(const ProbeAnswers& answers) const override {
    const std::string owner = owner_of_models(answers);
    if (owner == "vllm") return 100;
    // Other servers copy the names of vLLM's counters with other meanings, so that the names alone
    // prove nothing where the models belong to somebody else.
    const auto version = json_at(answers, "/version");
    const bool answers_version = version && version->root()["version"].string();
    return owner.empty() && answers_version && has_family_beginning(answers, "vllm:") ? 50 : 0;
  }

  std::string request_body(const RequestSpec& spec) const override {
    return request_body_with(
        {.chat_limit = "max_completion_tokens", .ignore_eos = true, .min_tokens = true}, spec);
  }
  bool takes_token_ids() const override { return true; }
  bool takes_ignore_eos() const override { return true; }

  std::vector<EngineCounter> counters_on(const PrometheusPage& page) const override {
    return counters_by(rules(), page);
  }

  EngineInfo described_by(const ProbeAnswers& answers) const override {
    EngineInfo info = info_from_models(name(), answers);
    if (const auto version = json_at(answers, "/version")) {
      info.version = version->root()["version"].string().value_or("");
      info.simulated = version->root()["simulated"].boolean().value_or(false);
    }
    if (const auto page = metrics_page_of(answers)) add_page_settings(info, *page);
    return info;
  }

 private:
  static void add_page_settings(EngineInfo& info, const PrometheusPage& page) {
    const auto cache = page.samples_named("vllm:cache_config_info");
    for (const char* setting : {"block_size", "num_gpu_blocks", "enable_prefix_caching",
                                "cache_dtype", "gpu_memory_utilization"}) {
      // Where the engines of a data-parallel group differ, there is no one value to report.
      std::set<std::string_view> values;
      for (const auto* sample : cache) values.insert(sample->label(setting).value_or(""));
      if (values.size() == 1) add_reported_text(info, setting, *values.begin());
    }
    std::set<std::string_view> engines;
    for (const auto* sample : page.samples_named("vllm:num_requests_running")) {
      if (const auto engine = sample->label("engine")) engines.insert(*engine);
    }
    if (!engines.empty()) {
      add_reported_text(info, "data_parallel_size", std::to_string(engines.size()));
    }
    const auto drafts = page.samples_named("vllm:spec_decode_num_drafts_total");
    if (!drafts.empty()) add_reported_text(info, "speculative_decoding", "True");
  }
};

}  // namespace

const EngineDialect& vllm_dialect() {
  static const Vllm dialect;
  return dialect;
}

}  // namespace tokenjoule
