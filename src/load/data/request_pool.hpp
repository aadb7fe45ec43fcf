#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "load/shapes/arrival_schedule.hpp"
#include "load/text_prompts.hpp"

namespace tokenjoule {

/// Tokens of one block of a Mooncake trace (FAST'25 release: "hash_ids", one a 512-token block).
constexpr std::int64_t kTraceBlock = 512;

/// A later turn of a conversation. Its prompt is sent behind all that was said before.
struct Turn {
  std::int64_t input = 0;   ///< as in PoolEntry, of this turn's own prompt
  std::int64_t output = 0;  ///< as in PoolEntry
  std::string prompt;       ///< "": made up
  std::string answer;       ///< said before the next turn, whatever the engine answered
  Nanoseconds think;        ///< from the end of the answer before to this turn's send
};

/// One request that a data set or a trace tells of, or a whole conversation.
struct PoolEntry {
  std::int64_t input = 0;             ///< prompt tokens; 0: not known yet
  std::int64_t output = 0;            ///< answer tokens to ask for; 0: as --output-len says
  std::string prompt;                 ///< "": made up, of `input` tokens
  std::string answer;                 ///< from which `output` is counted; said before the next turn
  std::string model;                  ///< "": the run's
  std::vector<std::uint64_t> blocks;  ///< equal numbers are equal blocks of kTraceBlock tokens
  std::optional<Nanoseconds> arrival;  ///< from the first entry on
  std::vector<Turn> later;             ///< of a conversation, behind the first
};

/// All that a data set holds.
struct RequestPool {
  std::string name;    ///< "azure", "sharegpt", …
  std::string sha256;  ///< of the file
  std::vector<PoolEntry> entries;
  std::int64_t left_out = 0;     ///< entries of the file that are no request
  std::string lengths = "file";  ///< where lengths are from: file, engine, estimate

  bool has_texts() const;
  /// Every entry says when it came.
  bool has_arrivals() const;
};

/// The files that --dataset names.
enum class DataSetKind { sharegpt, jsonl, mooncake, azure };
std::optional<DataSetKind> data_set_named(std::string_view name);
std::string_view name_of(DataSetKind kind);

/// The file's entries, in its order; of a trace in the order of their times. No entry at all, or a
/// line that is none, is an error that names the line.
///
/// azure: CSV of Azure's LLM traces, "TIMESTAMP,ContextTokens,GeneratedTokens".
/// mooncake: JSONL, {"timestamp" ms, "input_length", "output_length", "hash_ids"}.
/// sharegpt: JSON, [{"conversations": [{"from": "human", "value"}, {"from": "gpt", "value"}]}]: the
///   first question and its answer's length; conversations that begin otherwise are left out.
/// jsonl: ours; see docs/load.md.
Result<RequestPool> request_pool_in(DataSetKind kind, std::string_view bytes);

/// Reads the file as well. Errors of either, with its path.
Result<RequestPool> request_pool_of(DataSetKind kind, const std::string& path);

/// When the entries came, `speed` times as fast. Each entry must say when.
/// A period is as long as the last arrival and one mean gap.
ArrivalTrace arrivals_of(const RequestPool& pool, double speed, std::uint64_t seed);

/// Fills in the lengths of texts: by the engine's tokenizer where it answers, else four bytes a
/// token. So many texts have to be counted that at most kMostTexts entries are kept, chosen by the
/// seed.
constexpr std::size_t kMostTexts = 1000;
void count_texts(RequestPool& pool, const CountTokens& count_tokens, std::uint64_t seed);

}  // namespace tokenjoule
