#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

using M = EngineMetric;
using enum CounterClock;

int fit(const ProbeAnswers& answers) {
  return has_family_beginning(answers, "dynamo_frontend_") ? 95 : 0;
}

void add_value(EngineInfo& info, const PrometheusPage& page, const char* family, const char* name) {
  const auto samples = page.samples_named(family);
  // With several models it is not known whose value it would be.
  if (samples.size() == 1) {
    add_reported_text(info, name,
                      std::to_string(static_cast<std::int64_t>(samples.front()->value)));
  }
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  const auto page = metrics_page_of(answers);
  if (!page) return;
  add_value(info, *page, "dynamo_frontend_model_context_length", "max_model_len");
  add_value(info, *page, "dynamo_frontend_model_max_num_seqs", "max_num_seqs");
  add_value(info, *page, "dynamo_frontend_model_kv_cache_block_size", "block_size");
}

/// The frontend counts output tokens as it streams them, prompts when a request is done (Dynamo
/// 1.4, lib/llm/src/http/service/metrics.rs). The page of a worker, given by its URL, has the
/// counters of the engine inside, unchanged; the frontend's are taken first where both stand.
std::vector<CounterRule> rules() {
  std::vector<CounterRule> table = {
      {M::output_tokens, per_step, {"dynamo_frontend_output_tokens"}},
      {M::prompt_tokens, at_finish, {"dynamo_frontend_input_sequence_tokens_sum"}},
      {M::prompt_tokens_cached,
       at_finish,
       {"dynamo_frontend_cached_tokens_sum", "dynamo_frontend_cached_sequence_length_sum"}},
      {M::requests_finished, at_finish, {"dynamo_frontend_requests"}, {{"status", "success"}}},
      {M::requests_running, gauge, {"dynamo_frontend_inflight_requests"}},
      {M::requests_waiting, gauge, {"dynamo_frontend_queued_requests"}},
  };
  for (const TableDialect* inner : {&vllm_dialect(), &sglang_dialect(), &trtllm_dialect()}) {
    const auto& more = inner->table().counters;
    table.insert(table.end(), more.begin(), more.end());
  }
  return table;
}

}  // namespace

const TableDialect& dynamo_dialect() {
  static const TableDialect dialect({
      .name = "dynamo",
      .fits = fit,
      .request = {.chat_limit = "max_completion_tokens",
                  .ignore_eos = true,
                  .min_tokens = "min_tokens",
                  .chat_min_tokens = "min_tokens"},
      .token_id_prompts = true,
      .counters = rules(),
      .traits = {.repeated_over = {"tp_rank", "pp_rank", "moe_ep_rank", "attn_cp_rank", "pid"}},
      .limits = {"Dynamo's frontend counts prompt tokens when a request is done",
                 "a prefill worker of Dynamo generates a token of its own for each request: add "
                 "up no pages of prefill and decode workers"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
