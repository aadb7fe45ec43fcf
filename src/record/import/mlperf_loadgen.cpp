#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/stamp.hpp"
#include "base/text.hpp"
#include "record/import/csv_line.hpp"
#include "record/import/load_logs.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kMark = ":::MLLOG ";

/// The values of a loadgen log that are wanted here.
struct Loadgen {
  std::optional<std::int64_t> begin_ns, end_ns;
  std::optional<double> tokens_per_second, samples_per_second;
  std::string scenario;
  SkippedRows skipped;
};

void take_value(Loadgen& found, std::string_view key, const JsonView& value) {
  const auto time = [&value] {
    const auto stamp = stamp_in(value.string().value_or(""));
    return stamp && stamp->absolute ? std::optional(stamp->ns) : std::nullopt;
  };
  if (key == "power_begin") found.begin_ns = time();
  if (key == "power_end") found.end_ns = time();
  if (key == "result_tokens_per_second" || key == "result_completed_tokens_per_second")
    found.tokens_per_second = value.number();
  if (key == "result_samples_per_second" || key == "result_completed_samples_per_sec")
    found.samples_per_second = value.number();
  if (key == "effective_scenario") found.scenario = value.string().value_or("");
}

Loadgen loadgen_in(std::string_view text) {
  Loadgen found;
  LineWalk lines(text);
  while (const auto line = lines.next()) {
    const std::size_t mark = line->find(kMark);
    if (mark == std::string_view::npos) continue;
    const auto document = JsonDocument::parse(line->substr(mark + kMark.size()));
    if (!document) {
      found.skipped.add(lines.number(), "it is no JSON behind its mark");
      continue;
    }
    const JsonView root = document->root();
    take_value(found, root["key"].string().value_or(""), root["value"]);
  }
  return found;
}

}  // namespace

Result<LoadLog> read_mlperf_loadgen(std::string_view text, const ReadOptions&) {
  const Loadgen found = loadgen_in(text);
  if (!found.begin_ns || !found.end_ns || *found.end_ns <= *found.begin_ns) {
    return failure(ErrorKind::missing, "it has no power_begin and power_end",
                   "give the mlperf_log_detail.txt of a run with power");
  }
  if (!found.tokens_per_second || *found.tokens_per_second <= 0) {
    return failure(ErrorKind::missing, "it has no tokens per second",
                   "give the log of a language model");
  }
  LoadLog log;
  log.begin_ns = *found.begin_ns;
  log.length = {*found.end_ns - *found.begin_ns};
  const double seconds = to_seconds(log.length).value();
  LoadTotals totals;
  totals.output_tokens = *found.tokens_per_second * seconds;
  if (found.samples_per_second) totals.requests = *found.samples_per_second * seconds;
  log.totals = totals;
  log.skipped = found.skipped;
  log.limits.push_back(fmt::format(
      "loadgen ({}) says rates: tokens and samples are rate × length of the power window",
      found.scenario.empty() ? "scenario not given" : quoted(found.scenario, 30)));
  return log;
}

}  // namespace tokenjoule
