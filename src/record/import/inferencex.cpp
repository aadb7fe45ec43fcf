#include "record/import/bench_result.hpp"
#include "record/import/load_logs.hpp"

namespace tokenjoule {

Result<LoadLog> read_inferencex(std::string_view text, const ReadOptions&) {
  TRY(const auto document, JsonDocument::parse(text));
  const JsonView root = document.root();
  LoadLog log;
  TRY_DO(take_bench_result(log, root));
  if (log.totals->requests.value_or(0) <= 0) {
    return failure(ErrorKind::missing,
                   "no request completed (InferenceX: invalid_successful_query_count)",
                   "import a run that has results");
  }
  take_begin(log, root);
  log.limits.emplace_back(
      "the result has totals only: single requests, their latencies and the failed ones are not "
      "known");
  return log;
}

}  // namespace tokenjoule
