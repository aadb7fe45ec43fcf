#include "record/import/bench_result.hpp"
#include "record/import/load_logs.hpp"

namespace tokenjoule {

Result<LoadLog> read_vllm(std::string_view text, const ReadOptions&) {
  TRY(const auto document, JsonDocument::parse(text));
  const JsonView root = document.root();
  LoadLog log;
  TRY_DO(take_bench_result(log, root));
  const Nanoseconds whole = log.length;
  if (!take_requests(log, root)) {
    log.limits.emplace_back(
        "the result has no start times of single requests (--save-detailed of a later vLLM has): "
        "totals only, no latencies");
  }
  take_begin(log, root);
  // The load began, at the latest, so much later than the benchmark.
  if (!log.requests.empty() && log.slack == Seconds() && log.begin_ns)
    log.slack = to_seconds(whole > log.length ? whole - log.length : Nanoseconds{});
  return log;
}

}  // namespace tokenjoule
