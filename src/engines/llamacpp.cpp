#include "base/text.hpp"
#include "engines/counter_rules.hpp"
#include "engines/known_dialects.hpp"
#include "engines/probe_answers.hpp"
#include "engines/request_body.hpp"

namespace tokenjoule {

namespace {

// The page is written with a C++ stream's default of six digits: above 1e6 a counter moves in tens.
constexpr int kDigits = 6;

/// Prompt counters leave cache hits out. Since build 10423 they move as the prompt is worked on,
/// and prompt_tokens_cached_total stands beside them, by which such a build is told (llama.cpp,
/// pull request 26920); before, they moved when a slot was done. Output tokens are always added
/// when a slot is released.
std::vector<CounterRule> rules(bool counts_prompts_per_step) {
  using enum CounterClock;
  using M = EngineMetric;
  const CounterClock prompt_clock = counts_prompts_per_step ? per_step : at_finish;
  return {
      {M::output_tokens, at_finish, {"llamacpp:tokens_predicted"}, {}, kDigits},
      {M::prompt_tokens_computed, prompt_clock, {"llamacpp:prompt_tokens"}, {}, kDigits},
      {M::prompt_tokens_cached, prompt_clock, {"llamacpp:prompt_tokens_cached"}, {}, kDigits},
      {M::requests_running, gauge, {"llamacpp:requests_processing"}, {}, kDigits},
      {M::requests_waiting, gauge, {"llamacpp:requests_deferred"}, {}, kDigits},
      {M::cache_use, gauge, {"llamacpp:kv_cache_usage_ratio"}, {}, kDigits},
  };
}

class LlamaCpp final : public EngineDialect {
 public:
  std::string_view name() const override { return "llamacpp"; }

  int fits(const ProbeAnswers& answers) const override {
    const auto props = json_at(answers, "/props");
    const bool has_props = props && (props->root()["build_info"].string() ||
                                     props->root()["default_generation_settings"].present());
    return has_props || owner_of_models(answers) == "llamacpp" ||
                   has_family_beginning(answers, "llamacpp:")
               ? 90
               : 0;
  }

  std::string request_body(const RequestSpec& spec) const override {
    return request_body_with({.ignore_eos = true, .switches = {{"cache_prompt", false}}}, spec);
  }
  bool takes_token_ids() const override { return true; }
  bool takes_ignore_eos() const override { return true; }

  std::vector<EngineCounter> counters_on(const PrometheusPage& page) const override {
    return counters_by(rules(!page.samples_named("llamacpp:prompt_tokens_cached_total").empty()),
                       page);
  }

  EngineInfo described_by(const ProbeAnswers& answers) const override {
    EngineInfo info = info_from_models(name(), answers);
    if (starts_with(info.model, "/")) {
      // The path of the file, which the server does not insist on: it tells others nothing.
      info.model = last_part_of_path(info.model);
      info.configuration.erase("served_models");
    }
    if (const auto models = json_at(answers, "/v1/models")) {
      const JsonView meta = models->root()["data"][0]["meta"];
      add_reported(info, "model_parameters", meta["n_params"]);
      add_reported(info, "model_bytes", meta["size"]);
    }
    const auto props = json_at(answers, "/props");
    if (!props) return info;
    const JsonView root = props->root();
    info.version = root["build_info"].string().value_or("");
    add_reported(info, "max_model_len", root["default_generation_settings"]["n_ctx"]);
    add_reported(info, "total_slots", root["total_slots"]);
    if (const auto path = root["model_path"].string()) {
      add_reported_text(info, "model_file", last_part_of_path(*path));
    }
    return info;
  }
};

}  // namespace

const EngineDialect& llamacpp_dialect() {
  static const LlamaCpp dialect;
  return dialect;
}

}  // namespace tokenjoule
