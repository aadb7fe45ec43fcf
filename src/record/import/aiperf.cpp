#include <algorithm>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "record/import/bench_result.hpp"
#include "record/import/csv_line.hpp"
#include "record/import/load_logs.hpp"

namespace tokenjoule {

namespace {

/// Unix nanoseconds of the year 2100.
constexpr std::int64_t kLatest = 4'100'000'000'000'000'000;

/// Nanoseconds of a request, still in Unix time.
struct Line {
  std::int64_t start = 0;
  std::int64_t end = 0;
  RequestRecord record;
  std::vector<std::int64_t> pieces;  ///< Unix ns
  bool pieces_known = true;
};

/// Seconds in one unit of time; AIPerf says the unit beside each value.
std::optional<double> time_unit(std::string_view unit) {
  if (unit == "ms") return 1e-3;
  if (unit == "s" || unit == "sec" || unit == "seconds") return 1;
  if (unit == "us") return 1e-6;
  if (unit == "ns") return 1e-9;
  return std::nullopt;
}

std::optional<std::int64_t> span_ns(const JsonView& value, const JsonView& unit) {
  const auto number = value.number();
  const auto scale = time_unit(unit.string().value_or("ms"));
  if (!number || !scale || *number < 0 || *number * *scale > 1e7) return std::nullopt;
  return to_nanoseconds(Seconds(*number * *scale)).count;
}

std::optional<std::int64_t> count_in(const JsonView& metrics,
                                     std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    const auto count = metrics[name]["value"].integer();
    if (count && *count >= 0) return count;
  }
  return std::nullopt;
}

void take_pieces(Line& line, const JsonView& metrics) {
  const JsonView first = metrics["time_to_first_token"];
  const auto ttft = span_ns(first["value"], first["unit"]);
  if (!ttft) return;  // not streamed: the answer came in one piece
  std::int64_t at = line.start + *ttft;
  line.pieces.push_back(at);
  const JsonView gaps = metrics["inter_chunk_latency"];
  line.pieces_known = gaps["value"].is(JsonNode::Type::array);
  for (std::size_t i = 0; i < gaps["value"].size(); ++i) {
    const auto gap = span_ns(gaps["value"][i], gaps["unit"]);
    if (!gap || at > kLatest) break;
    line.pieces.push_back(at += *gap);
  }
  if (line.pieces_known) return;
  const JsonView whole = metrics["request_latency"];
  if (const auto latency = span_ns(whole["value"], whole["unit"]);
      latency && line.start + *latency > at)
    line.pieces.push_back(line.start + *latency);
}

void take_outcome(Line& line, const JsonView& root) {
  if (root["metadata"]["was_cancelled"].boolean().value_or(false)) {
    line.record.outcome = Outcome::cancelled;
  } else if (root["error"].present()) {
    line.record.outcome = Outcome::failed;
    line.record.failure =
        failure_words(quoted(root["error"]["type"].string().value_or("failed"), 60),
                      root["error"]["message"].string().value_or(""));
    const auto code = root["error"]["code"].integer();
    if (code && *code >= 100 && *code < 600) line.record.http_status = static_cast<int>(*code);
  }
}

std::optional<Line> line_in(const JsonView& root) {
  const auto start = root["metadata"]["request_start_ns"].integer();
  const auto end = root["metadata"]["request_end_ns"].integer();
  if (!start || !end || *end < *start || *start < 0 || *end > kLatest) return std::nullopt;
  Line line;
  line.start = *start;
  line.end = *end;
  line.record.warmup = root["metadata"]["benchmark_phase"].string() == "warmup";
  const JsonView metrics = root["metrics"];
  line.record.output_tokens = count_in(
      metrics, {"usage_completion_tokens", "output_sequence_length", "output_token_count"});
  line.record.prompt_tokens = count_in(metrics, {"usage_prompt_tokens", "input_sequence_length"});
  line.record.reasoning_tokens =
      count_in(metrics, {"usage_reasoning_tokens", "reasoning_token_count"});
  take_outcome(line, root);
  take_pieces(line, metrics);
  return line;
}

/// Counts for first and last piece, where those between have no time.
std::vector<Piece> pieces_from(const Line& line, std::int64_t begin) {
  std::vector<Piece> pieces;
  for (const std::int64_t at : line.pieces) pieces.push_back({MonoTime{at - begin}, std::nullopt});
  const auto tokens = line.record.output_tokens;
  if (!line.pieces_known && tokens == 1) pieces.resize(1);  // the other one is the answer's end
  if (!line.pieces_known && pieces.size() == 2 && tokens && *tokens > 1) {
    pieces[0].tokens = 1;
    pieces[1].tokens = *tokens - 1;
  }
  return pieces;
}

void settle(LoadLog& log, std::vector<Line> lines) {
  std::optional<std::int64_t> begin;
  for (const Line& line : lines) {
    if (!line.record.warmup) begin = std::min(begin.value_or(line.start), line.start);
  }
  log.begin_ns = begin.value_or(lines.front().start);
  for (Line& line : lines) {
    RequestRecord& record = line.record;
    record.sent = record.planned = MonoTime{line.start - *log.begin_ns};
    put_pieces(record, pieces_from(line, *log.begin_ns));
    record.end = MonoTime{line.end - *log.begin_ns};
    log.pieces_known = log.pieces_known && line.pieces_known;
    log.requests.push_back(std::move(record));
  }
  settle_requests(log);
}

}  // namespace

Result<LoadLog> read_aiperf(std::string_view text, const ReadOptions&) {
  LoadLog log;
  std::vector<Line> lines;
  bool usage = true;
  LineWalk walk(text);
  while (const auto row = walk.next()) {
    if (trimmed(*row).empty()) continue;
    const auto document = JsonDocument::parse(*row);
    auto line = document ? line_in(document->root()) : std::nullopt;
    if (!line) {
      log.skipped.add(walk.number(), "it is no record of a request");
      continue;
    }
    usage = usage && document->root()["metrics"]["usage_completion_tokens"].present();
    lines.push_back(std::move(*line));
  }
  if (lines.empty()) {
    const std::string first = log.skipped.first.empty() ? "" : " (" + log.skipped.first[0] + ")";
    return failure(ErrorKind::missing, "it has no record of a request" + first,
                   "give AIPerf's profile_export.jsonl");
  }
  if (!usage)
    log.limits.emplace_back("tokens are counted by AIPerf's own tokenizer, not by the server");
  settle(log, std::move(lines));
  if (!log.pieces_known)
    log.limits.emplace_back("the times between first and last token of an answer are not known");
  return log;
}

}  // namespace tokenjoule
