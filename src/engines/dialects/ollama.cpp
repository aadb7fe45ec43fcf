#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

int fit(const ProbeAnswers& answers) {
  const auto version = json_at(answers, "/api/version");
  return version && version->root()["version"].string() ? 90 : 0;
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  if (const auto version = json_at(answers, "/api/version")) {
    info.version = version->root()["version"].string().value_or("");
  }
}

}  // namespace

// Ollama through its OpenAI-compatible API; its own /api/chat is no stream of server-sent events.
const TableDialect& ollama_dialect() {
  static const TableDialect dialect({
      .name = "ollama",
      .fits = fit,
      .further_pages = {"/api/version"},
      .why_no_metrics = "Ollama has no metrics page",
      .limits = {"Ollama has no counters: tokens are counted by the client alone",
                 "Ollama takes text only, no token ids, and cannot be held to a length: answers "
                 "end where the model ends them",
                 "releases of Ollama from 0.30 to its fix leave cached prompt tokens out of usage"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
