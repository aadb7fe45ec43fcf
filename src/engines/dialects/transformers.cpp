#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"

namespace tokenjoule {

namespace {

/// It names itself nowhere; the list of its own paths is what tells it.
int fit(const ProbeAnswers& answers) {
  const auto api = json_at(answers, "/openapi.json");
  if (!api) return 0;
  const JsonView paths = api->root()["paths"];
  return paths["/load_model"].present() && paths["/v1/chat/completions"].present() ? 60 : 0;
}

}  // namespace

// `transformers serve` (Transformers 5, src/transformers/cli/serving/): usage comes with the last
// event of every stream, unasked for; a field that it does not know is refused.
const TableDialect& transformers_dialect() {
  static const TableDialect dialect({
      .name = "transformers",
      .fits = fit,
      .request = {.usage_option = false},
      .further_pages = {"/openapi.json"},
      .why_no_metrics = "transformers serve has no metrics page",
      .limits = {"transformers serve has no counters: tokens are counted by the client alone",
                 "transformers serve takes text only, no token ids, and cannot be held to a "
                 "length: answers end where the model ends them",
                 "transformers serve refuses a request with a field that it does not know: mind "
                 "--extra-body"},
  });
  return dialect;
}

}  // namespace tokenjoule
