#include "load/data/request_pool.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "base/check.hpp"
#include "base/text.hpp"
#include "io/digest.hpp"
#include "io/file.hpp"
#include "load/data/sampling.hpp"

namespace tokenjoule {

namespace {

constexpr std::uint64_t kChoiceStream = (std::uint64_t{1} << 60U) + 3;

/// English text has about four bytes a token in the vocabularies in use.
std::int64_t estimated_tokens(std::string_view text) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>((text.size() + 3) / 4));
}

/// Of an entry, or of a turn.
template <typename Asked>
bool lacks_length(const Asked& asked) {
  return (asked.input == 0 && !asked.prompt.empty()) ||
         (asked.output == 0 && !asked.answer.empty());
}

bool needs_counting(const PoolEntry& entry) {
  return lacks_length(entry) ||
         std::any_of(entry.later.begin(), entry.later.end(), lacks_length<Turn>);
}

/// Counts a text; from the first that the engine does not count on, all are estimated.
class TextCounter {
 public:
  explicit TextCounter(const CountTokens& count_tokens)
      : count_tokens_(count_tokens), engine_answers_(static_cast<bool>(count_tokens)) {}

  std::int64_t tokens_of(std::string_view text) {
    const auto counted = engine_answers_ ? count_tokens_(text) : std::nullopt;
    if (counted && *counted > 0) return *counted;
    engine_answers_ = false;
    return estimated_tokens(text);
  }
  template <typename Asked>
  void fill_in(Asked& asked) {
    if (asked.input == 0) asked.input = tokens_of(asked.prompt);
    if (asked.output == 0 && !asked.answer.empty()) asked.output = tokens_of(asked.answer);
  }
  bool engine_answers() const { return engine_answers_; }

 private:
  const CountTokens& count_tokens_;
  bool engine_answers_;
};

/// "FILE:LINE: …", which editors and terminals can follow, where the message begins with a line.
Error located(Error error, const std::string& path) {
  constexpr std::string_view kLine = "line ";
  if (!starts_with(error.message, kLine)) return std::move(error).in(path);
  const auto blank = error.message.find(' ', kLine.size());
  error.message =
      fmt::format("{}:{}: {}", path, error.message.substr(kLine.size(), blank - kLine.size()),
                  error.message.substr(blank + 1));
  return error;
}

void keep_some(RequestPool& pool, std::uint64_t seed) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < kMostTexts; ++i) {
    chosen.push_back(sampled_index(Sampling::permute, pool.entries.size(), i, seed, kChoiceStream));
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<PoolEntry> kept;
  for (const std::uint64_t index : chosen) kept.push_back(std::move(pool.entries[index]));
  pool.entries = std::move(kept);
}

}  // namespace

bool RequestPool::has_texts() const {
  return std::any_of(entries.begin(), entries.end(),
                     [](const PoolEntry& entry) { return !entry.prompt.empty(); });
}

bool RequestPool::has_arrivals() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const PoolEntry& entry) { return entry.arrival.has_value(); });
}

std::optional<DataSetKind> data_set_named(std::string_view name) {
  for (const auto kind :
       {DataSetKind::sharegpt, DataSetKind::jsonl, DataSetKind::mooncake, DataSetKind::azure}) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string_view name_of(DataSetKind kind) {
  switch (kind) {
    case DataSetKind::sharegpt: return "sharegpt";
    case DataSetKind::jsonl: return "jsonl";
    case DataSetKind::mooncake: return "mooncake";
    case DataSetKind::azure: break;
  }
  return "azure";
}

Result<RequestPool> request_pool_of(DataSetKind kind, const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown)) {
    return failure(ErrorKind::usage, fmt::format("{} is no file that can be read whole", path),
                   "give the data set as a file");
  }
  TRY(const std::string bytes, file_bytes(path));
  auto pool = request_pool_in(kind, bytes);
  if (!pool) return unexpected(located(std::move(pool).error(), path));
  pool->sha256 = sha256_hex(bytes);
  return pool;
}

ArrivalTrace arrivals_of(const RequestPool& pool, double speed, std::uint64_t seed) {
  TJ_ASSERT(pool.has_arrivals() && !pool.entries.empty() && speed > 0);
  ArrivalTrace trace;
  trace.seed = seed;
  for (const PoolEntry& entry : pool.entries) {
    trace.offsets.push_back(to_nanoseconds(to_seconds(*entry.arrival) / speed));
  }
  const Nanoseconds last = trace.offsets.back();
  const auto gaps = static_cast<std::int64_t>(trace.offsets.size()) - 1;
  // A trace of one instant has no gap of its own: a second.
  const Nanoseconds gap = gaps > 0 && last > Nanoseconds{0} ? last / gaps : whole_seconds(1);
  trace.period = last + std::max(gap, Nanoseconds{1});
  return trace;
}

void count_texts(RequestPool& pool, const CountTokens& count_tokens, std::uint64_t seed) {
  const auto uncounted = std::count_if(pool.entries.begin(), pool.entries.end(), needs_counting);
  if (uncounted == 0) return;
  // Entries with times are kept, all of them: without some the trace would be another one.
  if (pool.entries.size() > kMostTexts && !pool.has_arrivals()) keep_some(pool, seed);
  TextCounter counter(count_tokens);
  for (PoolEntry& entry : pool.entries) {
    counter.fill_in(entry);
    for (Turn& turn : entry.later) counter.fill_in(turn);
    if (entry.later.empty()) entry.answer.clear();  // nothing is said behind it
  }
  pool.lengths = counter.engine_answers() ? "engine" : "estimate";
}

}  // namespace tokenjoule
