#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "record/import/bench_result.hpp"
#include "record/import/load_logs.hpp"

namespace tokenjoule {

namespace {

/// Unix seconds as whole nanoseconds.
std::optional<std::int64_t> unix_ns_in(const JsonView& view) {
  const auto seconds = view.number();
  if (!seconds || *seconds < 1e8 || *seconds > 4.1e9) return std::nullopt;
  const double whole = std::floor(*seconds);
  return static_cast<std::int64_t>(whole) * 1'000'000'000 +
         static_cast<std::int64_t>((*seconds - whole) * 1e9);
}

/// The first of several names, in the newer schema's timings or beside them as in the older one.
std::optional<std::int64_t> time_in(const JsonView& request,
                                    std::initializer_list<std::string_view> names) {
  const JsonView timings = request["info"]["timings"];
  const JsonView older = request["scheduler_info"]["request_timings"];
  for (const auto name : names) {
    for (const JsonView* place : {&timings, &older, &request}) {
      if (const auto at = unix_ns_in((*place)[name])) return at;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> count_in(const JsonView& request,
                                     std::initializer_list<std::string_view> names,
                                     std::string_view metrics) {
  for (const auto name : names) {
    const auto count = request[name].integer();
    if (count && *count >= 0) return count;
  }
  for (const auto name : {"total_tokens", "text_tokens"}) {
    const auto count = request[metrics][name].integer();
    if (count && *count >= 0) return count;
  }
  return std::nullopt;
}

struct Entry {
  std::int64_t start = 0, end = 0;
  std::optional<std::int64_t> first, last;
  RequestRecord record;
};

std::optional<Entry> entry_in(const JsonView& request, Outcome outcome) {
  const auto start =
      time_in(request, {"request_start", "request_start_time", "start_time", "resolve_start"});
  const auto end = time_in(request, {"request_end", "request_end_time", "end_time", "resolve_end"});
  if (!start || !end || *end < *start) return std::nullopt;
  Entry entry;
  entry.start = *start;
  entry.end = *end;
  entry.first = time_in(request, {"first_token_iteration", "first_iteration", "first_token_time"});
  entry.last = time_in(request, {"last_token_iteration", "last_iteration", "last_token_time"});
  entry.record.outcome = outcome;
  entry.record.output_tokens =
      count_in(request, {"output_tokens", "response_tokens"}, "output_metrics");
  entry.record.prompt_tokens = count_in(request, {"prompt_tokens"}, "input_metrics");
  if (outcome == Outcome::failed)
    entry.record.failure = failure_words("failed", request["info"]["error"].string().value_or(
                                                       request["error"].string().value_or("")));
  return entry;
}

std::vector<Piece> pieces_of(const Entry& entry, std::int64_t begin) {
  const auto tokens = entry.record.output_tokens;
  if (!entry.first || *entry.first < entry.start || tokens.value_or(0) < 1) return {};
  const MonoTime first{*entry.first - begin};
  if (*tokens == 1 || !entry.last || *entry.last <= *entry.first) return {{first, *tokens}};
  return {{first, 1}, {MonoTime{*entry.last - begin}, *tokens - 1}};
}

void take_group(LoadLog& log, std::vector<Entry>& entries, const JsonView& group, Outcome outcome) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (auto entry = entry_in(group[i], outcome)) {
      entries.push_back(std::move(*entry));
    } else {
      log.skipped.add(static_cast<long>(i) + 1,
                      fmt::format("request of {}: it has no start or end", group.path()));
    }
  }
}

/// The benchmark asked for, the last one without a wish.
Result<JsonView> benchmark_in(const JsonView& root, const ReadOptions& options, LoadLog& log) {
  const JsonView all = root["benchmarks"];
  const auto count = static_cast<std::int64_t>(all.size());
  const std::int64_t wanted = options.run.value_or(count);
  if (count == 0 || wanted < 1 || wanted > count) {
    return failure(ErrorKind::missing, fmt::format("it has {} benchmarks", count),
                   "give GuideLLM's benchmarks.json, and --run with one of them");
  }
  if (count > 1 && !options.run)
    log.limits.push_back(fmt::format("the file has {} benchmarks: the last one is taken", count));
  return all[static_cast<std::size_t>(wanted - 1)];
}

}  // namespace

Result<LoadLog> read_guidellm(std::string_view text, const ReadOptions& options) {
  TRY(const auto document, JsonDocument::parse(text));
  LoadLog log;
  TRY(const JsonView benchmark, benchmark_in(document.root(), options, log));
  const JsonView requests = benchmark["requests"];
  std::vector<Entry> entries;
  take_group(log, entries, requests["successful"], Outcome::completed);
  take_group(log, entries, requests["incomplete"], Outcome::cancelled);
  take_group(log, entries, requests["errored"], Outcome::failed);
  if (entries.empty()) {
    return failure(ErrorKind::missing, "the benchmark has no request with start and end",
                   "give the full benchmarks.json, with its requests");
  }
  log.begin_ns =
      std::min_element(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.start < b.start;
      })->start;
  for (Entry& entry : entries) {
    entry.record.sent = entry.record.planned = MonoTime{entry.start - *log.begin_ns};
    put_pieces(entry.record, pieces_of(entry, *log.begin_ns));
    entry.record.end = MonoTime{entry.end - *log.begin_ns};
    log.requests.push_back(std::move(entry.record));
  }
  const JsonView strategy = benchmark["config"]["strategy"];
  log.concurrency = strategy["streams"].integer();
  log.pieces_known = false;
  log.limits.emplace_back("the times between first and last token of an answer are not known");
  settle_requests(log);
  return log;
}

}  // namespace tokenjoule
