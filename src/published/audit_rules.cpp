#include "published/audit_rules.hpp"

#include "base/text.hpp"
#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kIx = "InferenceX results, 1 858 official rows of 2025-10 to 2026-06";
constexpr std::string_view kProcess = "InferenceX utils/process_result.py";
constexpr std::string_view kClient = "InferenceX utils/bench_serving/benchmark_serving.py";
constexpr std::string_view kPower = "InferenceX utils/aggregate_power.py";
constexpr std::string_view kMlperfRules =
    "mlcommons/inference_policies inference_rules.adoc, 2026-07-23";
constexpr std::string_view kMlenergy = "ml-energy/benchmark, mlenergy/benchmark/llm/benchmark.py";

constexpr AuditRule kRules[] = {
    {"R01", "values", "error",
     "rows that cannot be read; throughput, concurrency, lengths, GPUs, duration or successes that "
     "are not above 0",
     "> 0", "a failed run writes zeros: InferenceX local-results", check_values, check_unread},
    {"R02", "placeholder_latency", "error", "a mean or median latency of 0 where tokens flow",
     "> 0 s", "mock results in InferenceX's repository", check_placeholders},
    {"R03", "throughput_sum", "error",
     "input and output per GPU add up to the total; of a disaggregated server weighted by prefill "
     "and decode GPUs",
     "1e-6, relative", kProcess, check_sum},
    {"R04", "rate_is_reciprocal", "error",
     "a user's rate * time per token = 1, for mean, median and each quantile", "1e-6", kProcess,
     check_reciprocals},
    {"R04-std", "rate_deviation", "note",
     "std_intvty is written as 1 / std_tpot, which means nothing; about std_tpot / mean_tpot^2 "
     "would be right",
     "product within 1e-6 of 1", "InferenceX issue 300", check_rate_deviation},
    {"R05", "order", "error",
     "median <= p90 <= p99 <= p99.9 of latencies, the reverse of rates; the first token before the "
     "last",
     "1e-9, relative", "definition", check_order},
    {"R06", "raw_totals", "note, warning, error",
     "of raw results: rate * duration = tokens and requests; requests that failed",
     "1e-6, relative; failures > 0 note, > 1 % warning, > 5 % error", kClient, check_raw_totals},
    {"R07", "units", "warning, error", "milliseconds that are seconds, and the reverse",
     "seconds above 1e4", "InferenceX-app packages/app/src/lib/csv-export.ts", check_units},
    {"R08", "names", "note, warning",
     "the file's name against model, concurrency, tensor parallelism and lengths; a GPU that is "
     "not named or not known",
     "equal", "runs of a third party named after another model", check_names},
    {"R10", "stated_gpus", "note, warning",
     "one node: the stated GPUs are tensor * expert parallelism; the tensor's are the true ones",
     "equal", "InferenceX issue 2714 and its database rows", check_stated_gpus},
    {"R11", "first_split", "note, warning",
     "disaggregated, first schema: prefill and decode GPUs both stated as all; total = (input * P "
     "+ output * D) / N parts them",
     "P whole within 0.01", "InferenceX pull request 177", check_first_split},
    {"R12", "powered_gpus", "warning",
     "GPUs by power (all / one, or energy per token * throughput / power) are those of the layout",
     "1 %; whole within 0.01", kPower, check_powered_gpus},
    {"R13", "idle_gpus", "warning",
     "boards of the node that stayed idle, or power averaged over more GPUs than the model runs on",
     "peak < 1.3 * least power", "third-party runs on part of a node", check_idle_gpus},
    {"R14", "data_parallel", "warning",
     "twice or more of the row's GPUs were powered: rates per GPU are too high by as much. Without "
     "power in the row this cannot be seen",
     "whole within 0.01", "InferenceX issue 2714", check_data_parallel},
    {"R15", "occupancy", "warning, error",
     "Little's law: output rate / mean answer * latency / concurrency",
     "0.85 to 1.02, else warning; 0.5 to 1.1, else error; by the median latency 0.60 to 1.05", kIx,
     check_occupancy},
    {"R20", "seeded_workload", "fact, note, warning",
     "the ratio of input to output tokens is that of the lengths which the load client draws with "
     "seed 0, for k requests a stream",
     "exact: 1e-9, k from 1 to 64; near: 2e-4 at k = 10; 2 % and more: warning", kClient,
     check_seed},
    {"R21", "latency_sum", "warning, error",
     "mean latency = time to first token + time per token * (mean answer - 1)",
     "1 % warning, 3 % error; 3 % warning where the answer is 0.9 * nominal", kIx,
     check_latency_sum},
    {"R22", "charged_queries", "note, warning, error",
     "energy / energy per query is a whole number of queries, and whole rounds of the streams",
     "missing > 0 note, > 1 % warning, > 5 % error", kPower, check_charged_queries},
    {"R30", "energy_identities", "warning, error",
     "energy = energy per query * queries = power * duration = prefill + decode; energies per "
     "output token and per token fit the tokens, else they are of the decode GPUs alone",
     "1e-3; 0.02 J; 2 %", kPower, check_energy_identities},
    {"R31", "board_power", "warning, error", "mean power of a board against its limit",
     "0.1 to 1.05, else error; < 0.25 with 64 streams or more: warning",
     "InferenceX-app packages/constants/src/gpu-keys.ts", check_board_power},
    {"R32", "provisioned_share", "note", "provisioned / measured watts per GPU", "1.2 to 12",
     "seen: 2.7 to 10.3", check_provisioned},
    {"R33", "power_schema", "note, warning",
     "power that its publisher holds for not valid, or whose schema does not say whose energy is "
     "in it",
     "power_metric_schema_version 2", kPower, check_power_schema},
    {"R34", "telemetry", "warning",
     "power logs that do not cover their run: gaps, edges, stamps without a zone, bad rows",
     "3 s; both edges", kPower, nullptr, check_telemetry},
    {"R40", "arithmetic", "warning, error",
     "2 * active parameters * throughput per GPU against the peak of its precision",
     "0.4 warning, 0.7 error", "highest seen: 0.145", check_flops},
    {"R41", "bandwidth", "error",
     "a user's rate against GPUs * memory bandwidth / active weights, times 4 with speculation",
     "<= 1", "each token reads the active weights once", check_bandwidth},
    {"R42", "monotone", "warning",
     "throughput as concurrency rises, within one run of one configuration", "falls by > 5 %", kIx,
     nullptr, check_monotone},
    {"R43", "history", "warning",
     "throughput against the median of the same configuration and load, 5 days or more",
     "0.6 to 1.7", kIx, nullptr, check_history},
    {"R44", "duplicates", "warning",
     "one configuration, load and day twice with different figures; one throughput under two "
     "configurations",
     "equal", "definition", nullptr, check_duplicates},
    {"R45", "early_stop", "warning, error",
     "tokens of an answer against the nominal length; latency against time per token * answer",
     "0.75 warning, 0.40 error", "another load client in InferenceX's repository",
     check_early_stop},
    {"R46", "scenario", "note", "agents' traces, and rows without lengths: no energy per query", "",
     "InferenceX AgentX", check_scenario},
    {"R47", "known_issue", "warning", "runs that their publisher lists as faulty", "",
     "InferenceX-app lib/known-issues.ts", check_known_issues},
    {"R48", "context", "fact",
     "servers were started with the context cut to the lengths (+ 20 or + 200 tokens), which no "
     "record shows",
     "", "InferenceX benchmarks/*.sh; issue 359", nullptr, check_context},
    {"M01", "inferred", "note", "a row that was not run but taken over from another",
     "inferred = 1", "MLPerf summary_results.json", check_inferred},
    {"M02", "accelerators", "note, warning",
     "no or several kinds of accelerator; a count in the name that is not the row's", "equal",
     "MLPerf v6.0, 6.0-0001", check_accelerators},
    {"M03", "token_unit", "note", "results in samples or queries: no energy per token", "Tokens/s",
     kMlperfRules, check_token_unit},
    {"M04", "stated_limit", "note", "no power limit stated: the catalogue's stands in", "",
     "hw_notes of MLPerf systems", check_stated_limit},
    {"M05", "answer_tokens", "warning, error",
     "tokens of an answer against the benchmark's cap and the least mean that it accepts",
     "cap + 1.5 (the token that ends an answer is counted too); 0.9 * 294.45 for llama2-70b",
     kMlperfRules, check_answer_tokens},
    {"M06", "latency_limits", "warning",
     "99th per cent of time to first token and per token against the scenario's limits",
     "per benchmark", kMlperfRules, check_latency_limits},
    {"M07", "wall_power", "fact, warning", "power at the wall against the sum of the GPUs' limits",
     "above 1: fact; 0.3 to 2.5, else warning", "18 measured rows of MLPerf v5.1 and v4.1",
     check_wall_power},
    {"M08", "repeated_power", "note",
     "one power under both accuracy targets of a benchmark: it was measured once", "equal",
     "MLPerf v5.1 and v4.1", nullptr, check_repeated_power},
    {"M09", "submission", "note, warning", "open division; errors of the submission checker", "0",
     "MLPerf summary_results.json", check_submission},
    {"M10", "power_session", "warning",
     "power logs: clocks of both machines; the averaged window lies inside of the testing phase, "
     "but "
     "for whole hours",
     "0.8 s", "mlcommons/power-dev compliance/check.py", nullptr, check_power_sessions},
    {"E01", "token_energy", "error", "mean power / throughput = energy per token", "1e-6, relative",
     kMlenergy, check_token_energy},
    {"E02", "request_energy", "error", "energy per token * mean answer = energy per request",
     "1e-6, relative", kMlenergy, check_request_energy},
    {"E03", "steady_batch", "warning", "mean batch / batch limit", ">= 0.85", kMlenergy,
     check_steady_batch},
    {"E04", "board_share", "error", "mean power per GPU / limit of its board", "0.1 to 1.05",
     "seen: 0.27 to 0.99", check_board_share},
    {"E05", "energy_by_batch", "note",
     "energy per token as the batch grows, within one configuration", "rises by > 5 %",
     "Qwen3-32B on B200: 0.1406 J at 384, 0.1508 J at 512", nullptr, check_energy_by_batch},
};

}  // namespace

std::string_view name_of(AuditSeverity severity) {
  switch (severity) {
    case AuditSeverity::fact: return "fact";
    case AuditSeverity::note: return "note";
    case AuditSeverity::warning: return "warning";
    case AuditSeverity::error: return "error";
  }
  return "";
}

std::span<const AuditRule> audit_rules() { return kRules; }

const AuditRule* audit_rule_named(std::string_view word) {
  const std::string lower = lower_case(word);
  for (const AuditRule& rule : kRules) {
    if (rule.name == lower || lower_case(rule.code) == lower) return &rule;
  }
  return nullptr;
}

}  // namespace tokenjoule
