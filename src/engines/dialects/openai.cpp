#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

int fit(const ProbeAnswers& answers) { return model_names(answers).empty() ? 0 : 1; }

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  if (const auto version = json_at(answers, "/version")) {
    info.version = version->root()["version"].string().value_or("");
    info.simulated = version->root()["simulated"].boolean().value_or(false);
  }
}

}  // namespace

// Any other server of the OpenAI API: only the fields that all of them take, no counters, since the
// meaning of a counter is known for a known engine only. Its further pages are those by which
// engines are told that do not say who they are in /v1/models.
const TableDialect& openai_dialect() {
  static const TableDialect dialect({
      .name = "openai",
      .fits = fit,
      .further_pages = {"/info", "/api/version", "/prometheus/metrics", "/openapi.json"},
      .limits = {"the engine is not known: tokens are counted by the client alone, prompts are "
                 "text, and answers end where the model ends them"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
