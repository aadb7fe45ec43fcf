#include "record/import/bench_result.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/stamp.hpp"
#include "base/text.hpp"
#include "model/token_times.hpp"

namespace tokenjoule {

namespace {

/// "date" is written when the result is: seconds after the load, since statistics come first.
constexpr Seconds kDateSlack(60);
/// A load is no longer than this; more is no number of seconds.
constexpr double kLongestLoad = 1e7;

std::int64_t unix_ns(double seconds) {
  const double whole = std::floor(seconds);
  return static_cast<std::int64_t>(whole) * 1'000'000'000 +
         static_cast<std::int64_t>((seconds - whole) * 1e9);
}

bool plausible(std::optional<double> seconds) {
  return seconds && *seconds >= 0 && *seconds < kLongestLoad;
}

std::string engine_of(std::string_view backend) {
  const std::string lower = lower_case(backend);
  for (const char* known : {"vllm", "sglang", "tensorrt", "trt", "lmdeploy", "tgi"}) {
    if (lower.find(known) != std::string::npos) return known;
  }
  return "";
}

/// The arrays of one result, all of one length.
struct Details {
  JsonView starts, ttfts, itls, inputs, outputs, errors, latencies, queued;
  std::size_t count;
};

std::optional<Details> details_in(const JsonView& root) {
  Details all{root["start_times"], root["ttfts"],       root["itls"],
              root["input_lens"],  root["output_lens"], root["errors"],
              root["latencies"],   root["queue_times"], root["start_times"].size()};
  if (all.count == 0) return std::nullopt;
  for (const JsonView* needed : {&all.ttfts, &all.itls, &all.inputs, &all.outputs}) {
    if (needed->size() != all.count) return std::nullopt;
  }
  return all;
}

std::vector<Piece> pieces_of(MonoTime sent, double ttft, const JsonView& gaps, bool& broken) {
  std::vector<Piece> pieces;
  if (ttft <= 0) return pieces;
  MonoTime at = sent + to_nanoseconds(Seconds(ttft));
  pieces.push_back({at, std::nullopt});
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const auto gap = gaps[i].number();
    if (!plausible(gap)) {
      broken = true;
      break;
    }
    at += to_nanoseconds(Seconds(*gap));
    if (to_seconds(at - sent).value() > kLongestLoad) {
      broken = true;
      break;
    }
    pieces.push_back({at, std::nullopt});
  }
  return pieces;
}

void take_request(LoadLog& log, const Details& all, std::size_t i, double first_start) {
  const auto start = all.starts[i].number();
  const auto ttft = all.ttfts[i].number();
  const auto output = all.outputs[i].integer();
  const auto line = static_cast<long>(i) + 1;
  if (!start || !plausible(*start - first_start) || !plausible(ttft) || !output || *output < 0) {
    log.skipped.add(line, "start time, ttft or output length is missing");
    return;
  }
  RequestRecord request;
  request.sent = mono_at(Seconds(*start - first_start));
  const double queued = all.queued[i].number().value_or(0);
  request.planned = log.request_rate && plausible(queued) && queued <= *start - first_start
                        ? request.sent - to_nanoseconds(Seconds(queued))
                        : request.sent;
  bool broken = false;
  const auto pieces = pieces_of(request.sent, *ttft, all.itls[i], broken);
  if (broken) {
    log.skipped.add(line, "a gap between its pieces is no number");
    return;
  }
  put_pieces(request, pieces);
  if (const auto latency = all.latencies[i].number(); plausible(latency) && *latency > 0) {
    const MonoTime end = request.sent + to_nanoseconds(Seconds(*latency));
    request.end = std::max(request.end.value_or(end), end);
  }
  if (const auto input = all.inputs[i].integer(); input && *input > 0) {
    request.prompt_tokens = *input;
    request.input_tokens_asked = *input;
  }
  const std::string_view error = all.errors[i].string().value_or("");
  if (!error.empty() || (*output == 0 && pieces.empty())) {
    request.outcome = Outcome::failed;
    request.failure = failure_words("failed", error);
    if (!request.end) request.end = request.sent;
  } else {
    request.output_tokens = *output;
  }
  log.requests.push_back(std::move(request));
}

/// Requests that did not complete, where the result says so or says how many were sent.
std::optional<std::int64_t> failed_in(const JsonView& root) {
  if (const auto failed = root["failed"].integer()) return failed;
  const auto sent = root["num_prompts"].integer(), completed = root["completed"].integer();
  return sent && completed ? std::optional(*sent - *completed) : std::nullopt;
}

BenchmarkContract contract_in(const JsonView& root) {
  return {root["benchmark_start_time_unix"].number(),
          root["benchmark_end_time_unix"].number(),
          root["duration"].number(),
          root["completed"].integer(),
          root["total_input_tokens"].integer(),
          root["total_output_tokens"].integer()};
}

}  // namespace

std::string failure_words(std::string_view kind, std::string_view message) {
  const std::string_view first_line = message.substr(0, message.find('\n'));
  return first_line.empty() ? std::string(kind)
                            : fmt::format("{}: {}", kind, quoted(trimmed(first_line), 120));
}

void put_pieces(RequestRecord& request, std::span<const Piece> pieces) {
  if (pieces.empty()) return;
  TokenTimesWriter writer(request.sent);
  for (const Piece& piece : pieces) writer.add({piece.at, piece.tokens, false});
  request.token_times = writer.take();
  request.token_events = static_cast<std::int64_t>(pieces.size());
  request.first_body = request.first_choices = pieces.front().at;
  if (!request.end) request.end = pieces.back().at;
}

Status take_bench_result(LoadLog& log, const JsonView& root) {
  const auto duration = root["duration"].number();
  const auto output = root["total_output_tokens"].number();
  if (!plausible(duration) || *duration <= 0 || !output || *output < 0) {
    return failure(ErrorKind::missing,
                   "it has no duration or no total_output_tokens (InferenceX: "
                   "invalid_benchmark_window, invalid_output_token_count)",
                   "give the result file of the benchmark, not an aggregate of it");
  }
  log.length = to_nanoseconds(Seconds(*duration));
  log.engine = engine_of(root["backend"].string().value_or(""));
  log.model = root["model_id"].string().value_or(root["model"].string().value_or(""));
  log.concurrency = root["max_concurrency"].integer();
  if (const auto rate = root["request_rate"].number(); rate && *rate > 0) log.request_rate = *rate;
  LoadTotals totals;
  totals.output_tokens = *output;
  totals.prompt_tokens = root["total_input_tokens"].number();
  totals.requests = root["completed"].number();
  log.totals = totals;
  log.contract = contract_in(root);
  if (const auto failed = failed_in(root); failed && *failed > 0) {
    log.limits.push_back(
        fmt::format("{} requests failed; their energy is charged to the others", *failed));
  }
  return {};
}

void take_begin(LoadLog& log, const JsonView& root) {
  if (const auto start = root["benchmark_start_time_unix"].number();
      start && *start > 1e8 && *start < 4e9) {
    log.begin_ns = unix_ns(*start);
    const auto end = root["benchmark_end_time_unix"].number();
    if (end && *end > *start && *end - *start < kLongestLoad && log.requests.empty())
      log.length = {unix_ns(*end) - unix_ns(*start)};
    return;
  }
  const auto date = stamp_in(root["date"].string().value_or(""));
  if (!date || !date->absolute) return;
  log.begin_ns = date->ns - log.length.count;
  log.zone_known = date->zone_known;
  log.slack = kDateSlack;
}

bool take_requests(LoadLog& log, const JsonView& root) {
  const auto details = details_in(root);
  if (!details) return false;
  std::optional<double> first;
  for (std::size_t i = 0; i < details->count; ++i) {
    const auto start = details->starts[i].number();
    if (start && (!first || *start < *first)) first = *start;
  }
  if (!first) return false;
  for (std::size_t i = 0; i < details->count; ++i) take_request(log, *details, i, *first);
  if (log.requests.empty()) return false;
  log.totals.reset();
  settle_requests(log);
  return true;
}

void settle_requests(LoadLog& log) {
  if (log.requests.empty()) return;
  std::stable_sort(log.requests.begin(), log.requests.end(),
                   [](const RequestRecord& a, const RequestRecord& b) { return a.sent < b.sent; });
  MonoTime end{0};
  for (std::size_t i = 0; i < log.requests.size(); ++i) {
    log.requests[i].id = i;
    end = std::max(end, log.requests[i].end.value_or(log.requests[i].sent));
  }
  log.length = end - MonoTime{0};
}

}  // namespace tokenjoule
