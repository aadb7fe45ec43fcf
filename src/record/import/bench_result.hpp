#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/json_view.hpp"
#include "base/result.hpp"
#include "record/import/foreign_log.hpp"

/// What the results of vLLM's serving benchmark and its descendants (SGLang, InferenceX) share.
namespace tokenjoule {

/// Model, rate, concurrency, length, totals and contract. An error where `root` is no such result.
Status take_bench_result(LoadLog& log, const JsonView& root);
/// Begin of the load by benchmark_start_time_unix, else by "date" and the length.
void take_begin(LoadLog& log, const JsonView& root);

/// One piece of an answer: when, and how many tokens where that is known.
struct Piece {
  MonoTime at;
  std::optional<std::int64_t> tokens;
};
/// Writes the pieces into the record's token times, and its end if it has none.
void put_pieces(RequestRecord& request, std::span<const Piece> pieces);

/// Single requests by the arrays of --save-detailed; false where start times or lengths are
/// missing. Skips requests whose entries cannot be read.
bool take_requests(LoadLog& log, const JsonView& root);

/// "class: message", short and harmless.
std::string failure_words(std::string_view kind, std::string_view message);

/// The earliest send becomes 0, requests are put in order and numbered, the length is set.
void settle_requests(LoadLog& log);

}  // namespace tokenjoule
