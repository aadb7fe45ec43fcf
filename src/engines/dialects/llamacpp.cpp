#include "base/text.hpp"
#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

using M = EngineMetric;
using enum CounterClock;

// The page is written with a C++ stream's default of six digits: above 1e6 a counter moves in tens.
constexpr int kDigits = 6;

// Prompt counters leave cache hits out. Since build 10423 they move as the prompt is worked on, and
// prompt_tokens_cached_total stands beside them, by which such a build is told (llama.cpp, pull
// request 26920); before, they moved when a slot was done. Output tokens are always added when a
// slot is released.
constexpr char kNewBuild[] = "llamacpp:prompt_tokens_cached";

int fit(const ProbeAnswers& answers) {
  const auto props = json_at(answers, "/props");
  const bool has_props = props && (props->root()["build_info"].string() ||
                                   props->root()["default_generation_settings"].present());
  return has_props || owner_of_models(answers) == "llamacpp" ||
                 has_family_beginning(answers, "llamacpp:")
             ? 90
             : 0;
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  if (starts_with(info.model, "/")) {
    // The path of the file, which the server does not insist on: it tells others nothing.
    info.model = last_part_of_path(info.model);
    info.configuration.erase("served_models");
  }
  if (const auto models = json_at(answers, "/v1/models")) {
    add_members(info, models->root()["data"][0]["meta"],
                {{"n_params", "model_parameters"}, {"size", "model_bytes"}});
  }
  const auto props = json_at(answers, "/props");
  if (!props) return;
  const JsonView root = props->root();
  info.version = root["build_info"].string().value_or("");
  add_reported(info, "max_model_len", root["default_generation_settings"]["n_ctx"]);
  add_reported(info, "total_slots", root["total_slots"]);
  if (const auto path = root["model_path"].string()) {
    add_reported_text(info, "model_file", last_part_of_path(*path));
  }
}

}  // namespace

const TableDialect& llamacpp_dialect() {
  static const TableDialect dialect({
      .name = "llamacpp",
      .fits = fit,
      .request = {.ignore_eos = true, .switches = {{"cache_prompt", false}}},
      .token_id_prompts = true,
      .why_no_metrics = "llama-server was started without --metrics",
      .counters =
          {
              {M::output_tokens, at_finish, {"llamacpp:tokens_predicted"}},
              {M::prompt_tokens_computed, per_step, {"llamacpp:prompt_tokens"}, {}, kNewBuild},
              {M::prompt_tokens_computed, at_finish, {"llamacpp:prompt_tokens"}},
              {M::prompt_tokens_cached, per_step, {"llamacpp:prompt_tokens_cached"}},
              {M::draft_tokens, at_finish, {"llamacpp:spec_decode_num_draft_tokens"}},
              {M::draft_tokens_accepted, at_finish, {"llamacpp:spec_decode_num_accepted_tokens"}},
              {M::requests_running, gauge, {"llamacpp:requests_processing"}},
              {M::requests_waiting, gauge, {"llamacpp:requests_deferred"}},
              {M::cache_use, gauge, {"llamacpp:kv_cache_usage_ratio"}},
          },
      .traits = {.significant_digits = kDigits},
      .limits = {"llama-server counts output tokens when a request is done, with six digits"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
