#include <fmt/core.h>

#include "base/text.hpp"
#include "record/import/bench_result.hpp"
#include "record/import/csv_line.hpp"
#include "record/import/load_logs.hpp"

namespace tokenjoule {

namespace {

/// The lines that hold something.
std::vector<std::string_view> runs_in(std::string_view text) {
  std::vector<std::string_view> runs;
  LineWalk lines(text);
  while (const auto line = lines.next()) {
    if (!trimmed(*line).empty()) runs.push_back(*line);
  }
  return runs;
}

}  // namespace

Result<LoadLog> read_sglang(std::string_view text, const ReadOptions& options) {
  const auto runs = runs_in(text);
  const auto count = static_cast<std::int64_t>(runs.size());
  const std::int64_t wanted = options.run.value_or(count);
  if (wanted < 1 || wanted > count) {
    return failure(ErrorKind::missing, fmt::format("it has {} runs, not {}", count, wanted),
                   "give --run with one of them");
  }
  TRY(const auto document, JsonDocument::parse(runs[static_cast<std::size_t>(wanted - 1)]));
  const JsonView root = document.root();
  LoadLog log;
  TRY_DO(take_bench_result(log, root));
  if (log.engine.empty()) log.engine = "sglang";
  if (!take_requests(log, root)) {
    log.limits.emplace_back(
        "bench_serving writes no start times: totals only, no latencies; and when the run was "
        "follows from the step of power alone");
  }
  take_begin(log, root);
  if (count > 1 && !options.run)
    log.limits.push_back(fmt::format("the file has {} runs: the last one is taken", count));
  return log;
}

}  // namespace tokenjoule
