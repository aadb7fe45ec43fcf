#pragma once

#include <string_view>

#include "base/result.hpp"
#include "record/import/foreign_log.hpp"

/// Readers of load generators' records, one a format. All take the whole text, keep every request
/// that can be read (the others are skipped and named), and give one error (missing) where the text
/// is something else. No prompt and no answer is taken over.
namespace tokenjoule {

/// vllm bench serve --save-result [--save-detailed]: one JSON object. With start_times (2025-10 and
/// later) its single requests are known; their times are of perf_counter, so that the wall time of
/// the load follows from `date`, written when it had ended (vllm/benchmarks/serve.py).
Result<LoadLog> read_vllm(std::string_view text, const ReadOptions& options);

/// SGLang's bench_serving --output-file: one JSON object a line and run. It says no times: totals
/// only, and when the run was must follow from the power log.
Result<LoadLog> read_sglang(std::string_view text, const ReadOptions& options);

/// InferenceX's raw result (utils/bench_serving/benchmark_serving.py): as vLLM's, with the window
/// in Unix time since 2026-05-26. Totals only.
Result<LoadLog> read_inferencex(std::string_view text, const ReadOptions& options);

/// AIPerf's profile_export.jsonl: one object a request, in Unix nanoseconds. Tokens are the
/// server's usage where it is there, else AIPerf's own count.
Result<LoadLog> read_aiperf(std::string_view text, const ReadOptions& options);

/// GuideLLM's benchmarks.json, of the older and the newer schema (src/guidellm/schemas). It keeps
/// the first and the last token's time of a request, not those between.
Result<LoadLog> read_guidellm(std::string_view text, const ReadOptions& options);

/// MLPerf loadgen's mlperf_log_detail.txt: the power window in UTC, tokens and samples by their
/// rates. Totals only.
Result<LoadLog> read_mlperf_loadgen(std::string_view text, const ReadOptions& options);

}  // namespace tokenjoule
