#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "load/data/request_pool.hpp"

// How the files of request_pool_in() are read.

namespace tokenjoule {

namespace {

constexpr std::int64_t kLongest = 10'000'000;     // tokens
constexpr double kLongestTrace = 400.0 * 86'400;  // seconds

tl::unexpected<Error> bad_line(std::size_t line, std::string_view why, std::string hint) {
  return failure(ErrorKind::usage, fmt::format("line {} {}", line, why), std::move(hint));
}

bool is_length(std::optional<std::int64_t> tokens) {
  return tokens && *tokens >= 1 && *tokens <= kLongest;
}

/// Days from 1970-01-01 to a date of the Gregorian calendar (Hinnant, chrono-Compatible Low-Level
/// Date Algorithms).
std::int64_t days_to(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = year / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

/// "2023-11-16 18:15:46.6805900" as nanoseconds since 1970, whatever the zone.
std::optional<Nanoseconds> time_in(std::string_view text) {
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const auto part = [&](std::size_t at, std::size_t size) {
    return integer_in(text.substr(at, size));
  };
  const auto year = part(0, 4), month = part(5, 2), day = part(8, 2);
  const auto hour = part(11, 2), minute = part(14, 2);
  const auto second = number_in(text.substr(17));
  if (!year || !month || !day || !hour || !minute || !second || *month < 1 || *month > 12 ||
      *second < 0 || *second >= 61) {
    return std::nullopt;
  }
  const std::int64_t minutes = days_to(*year, *month, *day) * 1440 + *hour * 60 + *minute;
  return whole_seconds(minutes * 60) + to_nanoseconds(Seconds(*second));
}

/// Calls `take(line, number)` for each line that is not empty; ends at the first error.
template <typename Take>
Status each_line(std::string_view bytes, Take take) {
  std::size_t number = 0;
  for (std::string_view line : split(bytes, '\n')) {
    ++number;
    line = trimmed(line);
    if (line.empty()) continue;
    TRY_DO(take(line, number));
  }
  return {};
}

Status add_azure_row(RequestPool& pool, std::string_view line, std::size_t number) {
  constexpr std::string_view kHeader = "TIMESTAMP,ContextTokens,GeneratedTokens";
  const std::string hint = fmt::format("an Azure trace has the columns {}", kHeader);
  if (number == 1) {
    return line == kHeader ? Status()
                           : bad_line(number, "is not the header of an Azure trace", hint);
  }
  const auto cells = split(line, ',');
  if (cells.size() != 3) return bad_line(number, "does not have three columns", hint);
  const auto at = time_in(trimmed(cells[0]));
  const auto input = integer_in(trimmed(cells[1]));
  const auto output = integer_in(trimmed(cells[2]));
  if (!at || !input || !output || *input < 0 || *output < 0) {
    return bad_line(number, "has a cell that is no time or no number of tokens", hint);
  }
  // Rows without a prompt or an answer are failures of that service.
  if (!is_length(input) || !is_length(output)) {
    ++pool.left_out;
    return {};
  }
  PoolEntry entry{.input = *input, .output = *output};
  entry.arrival = *at;
  pool.entries.push_back(std::move(entry));
  return {};
}

Result<JsonDocument> object_in(std::string_view line, std::size_t number) {
  auto document = JsonDocument::parse(line);
  if (document && document->root().is(JsonNode::Type::object)) return document;
  return bad_line(number, "is no JSON object",
                  "write one JSON object a line, or choose another --dataset for this file");
}

Status add_mooncake_row(RequestPool& pool, std::string_view line, std::size_t number) {
  TRY(const JsonDocument document, object_in(line, number));
  const JsonView json = document.root();
  const auto at = json["timestamp"].number();
  const auto input = json["input_length"].integer();
  const auto output = json["output_length"].integer();
  if (!at || *at < 0 || *at > kLongestTrace * 1e3 || !is_length(input) || !is_length(output)) {
    return bad_line(
        number, "lacks a timestamp or a length",
        R"(write {"timestamp": 0, "input_length": 512, "output_length": 128, "hash_ids": [0]})");
  }
  PoolEntry entry{.input = *input, .output = *output};
  entry.arrival = to_nanoseconds(Seconds(*at * 1e-3));
  const JsonView blocks = json["hash_ids"];
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto block = blocks[i].integer();
    if (!block || *block < 0)
      return bad_line(number, "has a hash id that is no number", R"(write "hash_ids": [0, 1])");
    entry.blocks.push_back(static_cast<std::uint64_t>(*block));
  }
  pool.entries.push_back(std::move(entry));
  return {};
}

constexpr const char* kOwnHint =
    R"(write {"prompt": "…"} or {"input_tokens": 512}, with "output_tokens", "at_s", "model" if )"
    R"(wanted; a conversation is {"turns": [{"prompt": "…", "answer": "…"}, …]})";

/// What is nearly the name of a length or a time is a slip of the pen, and would leave it at a
/// default. Other members are a data set's own.
Status check_members(const JsonView& json, std::size_t number) {
  static const std::vector<std::string> ours = {"input_tokens", "output_tokens", "think_s", "at_s"};
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view key = json.key(i);
    const auto meant = closest(key, ours);
    if (!meant || *meant == key) continue;
    return bad_line(number, fmt::format("has a member {}", quoted(key)) + did_you_mean(key, ours),
                    kOwnHint);
  }
  return {};
}

/// What one turn, or a request without turns, asks.
Result<Turn> turn_in(const JsonView& json, std::size_t number) {
  TRY_DO(check_members(json, number));
  Turn turn;
  turn.prompt = std::string(json["prompt"].string().value_or(""));
  turn.answer = std::string(json["answer"].string().value_or(""));
  const auto input = json["input_tokens"].integer();
  const auto output = json["output_tokens"].integer();
  const auto think = json["think_s"].number();
  if ((input && !is_length(input)) || (output && !is_length(output)) ||
      (json["input_tokens"].present() && !input) || (json["output_tokens"].present() && !output)) {
    return bad_line(number, "has a length that is no number of tokens", kOwnHint);
  }
  if (turn.prompt.empty() && !input) return bad_line(number, "has no prompt", kOwnHint);
  if (json["think_s"].present() && (!think || *think < 0 || *think > 86'400)) {
    return bad_line(number, "has a think_s that is no time up to a day", kOwnHint);
  }
  turn.input = input.value_or(0);
  turn.output = output.value_or(0);
  turn.think = to_nanoseconds(Seconds(think.value_or(0)));
  return turn;
}

Result<std::vector<Turn>> turns_in(const JsonView& json, std::size_t number) {
  std::vector<Turn> turns;
  const JsonView list = json["turns"];
  if (!list.present()) {
    TRY(Turn only, turn_in(json, number));
    turns.push_back(std::move(only));
    return turns;
  }
  TRY_DO(check_members(json, number));
  for (const char* member : {"prompt", "answer", "input_tokens", "output_tokens", "think_s"}) {
    if (!json[member].present()) continue;
    return bad_line(number, fmt::format("has turns and, beside them, its own {}", member),
                    kOwnHint);
  }
  constexpr std::size_t kMostTurns = 900;
  if (!list.is(JsonNode::Type::array) || list.size() == 0 || list.size() > kMostTurns) {
    return bad_line(number, "has turns that are no list of 1 to 900", kOwnHint);
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY(Turn turn, turn_in(list[i], number));
    const bool last = i + 1 == list.size();
    // What is said behind a turn must be known before the load.
    if (!last && turn.answer.empty() && (turn.output == 0 || !turn.prompt.empty())) {
      return bad_line(number, "has a turn without the answer that the next one follows", kOwnHint);
    }
    if (!turns.empty() && turn.prompt.empty() != turns.front().prompt.empty()) {
      return bad_line(number, "has turns with a prompt and turns without", kOwnHint);
    }
    turns.push_back(std::move(turn));
  }
  return turns;
}

Status add_own_row(RequestPool& pool, std::string_view line, std::size_t number) {
  TRY(const JsonDocument document, object_in(line, number));
  const JsonView json = document.root();
  TRY(std::vector<Turn> turns, turns_in(json, number));
  PoolEntry entry;
  if (json["model"].present() && !json["model"].string()) {
    return bad_line(number, "has a model that is no name", kOwnHint);
  }
  entry.model = std::string(json["model"].string().value_or(""));
  const auto at = json["at_s"].number();
  if (json["at_s"].present() && (!at || *at < 0 || *at > kLongestTrace)) {
    return bad_line(number, "has an at_s that is no time", kOwnHint);
  }
  if (at) entry.arrival = to_nanoseconds(Seconds(*at));
  Turn& first = turns.front();
  if (first.think > Nanoseconds{0}) {
    return bad_line(number, "has a think_s that no answer comes before", kOwnHint);
  }
  entry.input = first.input;
  entry.output = first.output;
  entry.prompt = std::move(first.prompt);
  entry.answer = std::move(first.answer);
  entry.later.assign(std::make_move_iterator(turns.begin() + 1),
                     std::make_move_iterator(turns.end()));
  pool.entries.push_back(std::move(entry));
  return {};
}

/// The text of a turn, if it is of that speaker.
std::string_view said_by(const JsonView& turn, std::string_view speaker, std::string_view other) {
  const auto from = turn["from"].string();
  return from == speaker || from == other ? turn["value"].string().value_or("") : "";
}

Status read_sharegpt(RequestPool& pool, std::string_view bytes) {
  constexpr const char* kHint =
      R"(ShareGPT is [{"conversations": [{"from": "human", "value": "…"}, …]}, …])";
  const auto document = JsonDocument::parse(bytes);
  if (!document) {
    return failure(ErrorKind::usage, "this is no JSON: " + document.error().message, kHint);
  }
  const JsonView list = document->root();
  if (!list.is(JsonNode::Type::array)) {
    return failure(ErrorKind::usage, "this is no JSON array of conversations", kHint);
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonView turns = list[i]["conversations"];
    PoolEntry entry;
    entry.prompt = std::string(said_by(turns[0], "human", "user"));
    entry.answer = std::string(said_by(turns[1], "gpt", "assistant"));
    if (entry.prompt.empty() || entry.answer.empty()) {
      ++pool.left_out;
    } else {
      pool.entries.push_back(std::move(entry));
    }
  }
  return {};
}

/// Arrivals in order, counted from the first. Some with and some without is a mistake.
Status settle_arrivals(RequestPool& pool) {
  const auto with = std::count_if(pool.entries.begin(), pool.entries.end(),
                                  [](const PoolEntry& entry) { return entry.arrival.has_value(); });
  if (with == 0) return {};
  if (!pool.has_arrivals()) {
    return failure(
        ErrorKind::usage,
        fmt::format("only {} of {} requests say when they came", with, pool.entries.size()),
        "give each line an at_s, or none");
  }
  std::stable_sort(pool.entries.begin(), pool.entries.end(),
                   [](const PoolEntry& a, const PoolEntry& b) { return *a.arrival < *b.arrival; });
  const Nanoseconds first = *pool.entries.front().arrival;
  for (PoolEntry& entry : pool.entries) entry.arrival = *entry.arrival - first;
  if (*pool.entries.back().arrival > to_nanoseconds(Seconds(kLongestTrace))) {
    return failure(ErrorKind::usage, "the trace is longer than 400 days", "cut it");
  }
  return {};
}

}  // namespace

Result<RequestPool> request_pool_in(DataSetKind kind, std::string_view bytes) {
  RequestPool pool;
  pool.name = name_of(kind);
  if (starts_with(bytes, "\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const auto rows = [&](auto add) {
    return each_line(
        bytes, [&](std::string_view line, std::size_t number) { return add(pool, line, number); });
  };
  switch (kind) {
    case DataSetKind::azure: TRY_DO(rows(add_azure_row)); break;
    case DataSetKind::mooncake: TRY_DO(rows(add_mooncake_row)); break;
    case DataSetKind::jsonl: TRY_DO(rows(add_own_row)); break;
    case DataSetKind::sharegpt: TRY_DO(read_sharegpt(pool, bytes)); break;
  }
  if (pool.entries.empty()) {
    return failure(ErrorKind::usage, "there is no request in this file",
                   "see which data sets there are in docs/load.md");
  }
  TRY_DO(settle_arrivals(pool));
  return pool;
}

}  // namespace tokenjoule
