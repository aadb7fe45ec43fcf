#include "base/text.hpp"
#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

int fit(const ProbeAnswers& answers) {
  const auto api = json_at(answers, "/openapi.json");
  if (!api) return 0;
  const auto title = api->root()["info"]["title"].string().value_or("");
  return title.find("llama.cpp Python API") != std::string_view::npos ? 100 : 0;
}

void describe(EngineInfo& info, const ProbeAnswers& answers) {
  if (starts_with(info.model, "/")) {
    // The path of the file, which the server does not insist on: it tells others nothing.
    info.model = last_part_of_path(info.model);
    info.configuration.erase("served_models");
  }
  if (const auto api = json_at(answers, "/openapi.json")) {
    info.version = api->root()["info"]["version"].string().value_or("");
  }
}

}  // namespace

// The server inside llama-cpp-python (llama_cpp/server/app.py, 0.2 to 0.3): one model behind one
// lock, and by its own default a new request breaks off the one that runs.
const TableDialect& llama_cpp_python_dialect() {
  static const TableDialect dialect({
      .name = "llama-cpp-python",
      .fits = fit,
      .request = {.min_tokens = "min_tokens",
                  .chat_min_tokens = "min_tokens",
                  .usage_option = false},
      .one_request_at_a_time = true,
      .further_pages = {"/openapi.json"},
      .why_no_metrics = "the server of llama-cpp-python has no metrics page",
      .limits = {"the server of llama-cpp-python works on one request at a time, and a new one "
                 "breaks off the one that runs",
                 "it sends no usage in streams: output tokens are counted by events",
                 "it has no counters, and takes text only, no token ids"},
      .describe = describe,
  });
  return dialect;
}

}  // namespace tokenjoule
