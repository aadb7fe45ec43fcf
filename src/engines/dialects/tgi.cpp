#include "base/text.hpp"
#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

using M = EngineMetric;
using enum CounterClock;

int fit(const ProbeAnswers& answers) {
  if (const auto info = json_at(answers, "/info")) {
    const JsonView root = info->root();
    if (starts_with(root["router"].string().value_or(""), "text-generation-router")) return 100;
    if (root["docker_label"].present() && root["max_total_tokens"].present()) return 90;
  }
  return has_family_beginning(answers, "tgi_") ? 60 : 0;
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  const auto server = json_at(answers, "/info");
  if (!server) return;
  info.version = server->root()["version"].string().value_or("");
  add_members(info, server->root(),
              {{"model_dtype", "dtype"},
               {"max_total_tokens", "max_model_len"},
               {"max_concurrent_requests", "max_num_seqs"},
               {"sha", "build"}});
}

}  // namespace

// There is no counter of tokens but the sums of two histograms: prompts are added when they are
// found valid, before they wait and also where they fail later; output tokens when a request ends
// well (TGI 3.3, router/src/validation.rs and server.rs).
const TableDialect& tgi_dialect() {
  static const TableDialect dialect({
      .name = "tgi",
      .fits = fit,
      .further_pages = {"/info"},
      .counters =
          {
              {M::output_tokens, at_finish, {"tgi_request_generated_tokens_sum"}},
              {M::prompt_tokens, at_arrival, {"tgi_request_input_length_sum"}},
              {M::requests_finished, at_finish, {"tgi_request_success"}},
              {M::requests_aborted, at_finish, {"tgi_request_failure"}},
              {M::requests_running, gauge, {"tgi_batch_current_size"}},
              {M::requests_waiting, gauge, {"tgi_queue_size"}},
          },
      .limits = {"TGI counts output tokens of requests that end well, when they end, and prompt "
                 "tokens when they arrive",
                 "TGI does not tell how many prompt tokens came from its cache",
                 "TGI takes text only, no token ids, and cannot be held to a length: answers end "
                 "where the model ends them"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
