#include "published/mlperf_logs.hpp"

#include "base/json_rows.hpp"
#include "base/stamp.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kDetailMark = ":::MLLOG";

/// Calls `each` for every line, without its end.
template <typename Each>
void for_each_line(std::string_view bytes, const Each& each) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    each(trimmed(bytes.substr(0, end)));
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
  }
}

/// Two spellings of loadgen stand for one figure: in its summary and in its detailed log.
struct FigureRule {
  std::string_view summary;
  std::string_view detail;
  std::optional<double>& (*of)(LoadgenFigures&);
  double scale = 1;
};

constexpr double kNanosecond = 1e-9;

constexpr FigureRule kFigures[] = {
    {"tokens per second", "result_tokens_per_second",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.tokens_per_s; }},
    {"completed tokens per second", "result_completed_tokens_per_second",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.tokens_per_s; }},
    {"samples per second", "result_samples_per_second",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.samples_per_s; }},
    {"completed samples per second", "result_completed_samples_per_sec",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.samples_per_s; }},
    {"target_qps", "effective_target_qps",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.target_qps; }},
    {"mean latency (ns)", "result_mean_latency_ns",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.latency.mean; }, kNanosecond},
    {"99.00 percentile latency (ns)", "result_99.00_percentile_latency_ns",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.latency.p99; }, kNanosecond},
    {"mean first token latency (ns)", "result_first_token_mean_latency_ns",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.ttft.mean; }, kNanosecond},
    {"99.00 percentile first token latency (ns)", "result_first_token_99.00_percentile_latency_ns",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.ttft.p99; }, kNanosecond},
    {"mean time to output token (ns)", "result_time_to_output_token_mean",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.tpot.mean; }, kNanosecond},
    {"mean time per output token (ns)", "",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.tpot.mean; }, kNanosecond},
    {"99.00 percentile time to output token (ns)",
     "result_time_per_output_token_99.00_percentile_ns",
     [](LoadgenFigures& f) -> std::optional<double>& { return f.tpot.p99; }, kNanosecond},
};

void put_figure(LoadgenFigures& figures, std::string_view FigureRule::*spelling,
                std::string_view name, std::optional<double> value) {
  if (!value) return;
  for (const FigureRule& rule : kFigures) {
    if (rule.*spelling == name) rule.of(figures) = *value * rule.scale;
  }
}

/// "08-01-2025 00:06:38.791" of a clock that is taken as UTC.
std::optional<double> seconds_of(std::string_view text) {
  const auto stamp = dated_stamp_in(text);
  return stamp ? std::optional(unix_seconds_of(*stamp)) : std::nullopt;
}

/// One line of the detailed log.
void put_detail(std::string_view key, const JsonScalar& value, LoadgenDetail& detail) {
  LoadgenFigures& figures = detail.figures;
  if (value.type == JsonScalar::Type::number)
    put_figure(figures, &FigureRule::detail, key, value.number);
  if (value.type != JsonScalar::Type::string) return;
  if (key == "effective_scenario") figures.scenario = value.string;
  if (key == "effective_test_mode") figures.mode = value.string;
  if (key == "result_validity") figures.valid = value.string == "VALID";
  if (key == "power_begin") detail.power_begin_s = seconds_of(value.string);
  if (key == "power_end") detail.power_end_s = seconds_of(value.string);
}

}  // namespace

bool is_loadgen_summary(std::string_view bytes) {
  return bytes.substr(0, 4096).find("MLPerf Results Summary") != std::string_view::npos;
}

LoadgenFigures loadgen_summary_in(std::string_view bytes) {
  LoadgenFigures figures;
  for_each_line(bytes, [&](std::string_view line) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) return;
    const std::string name = lower_case(trimmed(line.substr(0, colon)));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "scenario") figures.scenario = value;
    if (name == "mode") figures.mode = value;
    if (name == "result is") figures.valid = value == "VALID";
    put_figure(figures, &FigureRule::summary, name, number_in(value));
  });
  return figures;
}

bool is_loadgen_detail(std::string_view bytes) {
  return starts_with(trimmed(bytes.substr(0, 256)), kDetailMark);
}

LoadgenDetail loadgen_detail_in(std::string_view bytes) {
  LoadgenDetail detail;
  JsonObjectReader reader;
  for_each_line(bytes, [&](std::string_view line) {
    if (!starts_with(line, kDetailMark)) return;
    std::string key;
    // "key" stands before "value"; a line that is cut off gives nothing.
    const auto walked =
        reader.walk(trimmed(line.substr(kDetailMark.size())), [&](const JsonScalar& member) {
          if (member.path == "key") key = member.string;
          if (member.path == "value") put_detail(key, member, detail);
        });
    if (!walked) return;
  });
  return detail;
}

bool is_wall_log(std::string_view bytes) {
  const std::string_view head = trimmed(bytes.substr(0, 1024));
  return starts_with(head, "Time,") &&
         head.substr(0, head.find('\n')).find(",Watts,") != std::string_view::npos;
}

WallLog wall_log_in(std::string_view bytes) {
  WallLog log;
  for_each_line(bytes, [&](std::string_view line) {
    if (line.empty()) return;
    const auto cells = split(line, ',');
    const bool complete = cells.size() >= 4 && cells[0] == "Time" && cells[2] == "Watts";
    const auto time = complete ? seconds_of(cells[1]) : std::nullopt;
    const auto watts = complete ? number_in(cells[3]) : std::nullopt;
    if (!time || !watts) {
      ++log.unread;
      return;
    }
    log.seconds.push_back(*time);
    log.watts.push_back(*watts);
  });
  return log;
}

Result<double> mean_wall_watts(const WallLog& log, double begin_s, double end_s) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < log.seconds.size(); ++i) {
    const bool counts = log.seconds[i] > begin_s && log.seconds[i] < end_s && log.watts[i] > 0;
    if (!counts) continue;
    sum += log.watts[i];
    ++count;
  }
  if (count > 0) return sum / static_cast<double>(count);
  return failure(ErrorKind::missing, "the meter's log has no power inside of the run");
}

}  // namespace tokenjoule
