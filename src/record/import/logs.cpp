#include "record/import/logs.hpp"

#include "base/text.hpp"
#include "record/import/csv_line.hpp"
#include "record/import/load_logs.hpp"
#include "record/import/power_logs.hpp"

namespace tokenjoule {

namespace {

/// So much of a file is looked at; what a file is stands near its start.
constexpr std::size_t kLookedAt = 65536;

std::string_view head_of(std::string_view text) { return trimmed(text.substr(0, kLookedAt)); }
std::string_view first_line(std::string_view text) {
  const std::string_view head = head_of(text);
  return head.substr(0, head.find('\n'));
}
bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool is_object(std::string_view text) { return starts_with(head_of(text), "{"); }

bool is_aiperf(std::string_view text) {
  return is_object(text) && has(first_line(text), "\"request_start_ns\"");
}
bool is_aiperf_telemetry(std::string_view text) {
  return is_object(text) && has(first_line(text), "\"telemetry_data\"");
}
bool is_guidellm(std::string_view text) {
  return is_object(text) && has(text, "\"benchmarks\"") && has(text, "\"successful\"");
}
/// Keys may stand behind long arrays: the whole text is searched.
bool is_bench_result(std::string_view text) {
  return is_object(text) && has(text, "\"total_output_tokens\"") && has(text, "\"duration\"");
}
bool is_sglang(std::string_view text) {
  return is_bench_result(text) &&
         (has(text, "\"total_output_tokens_retokenized\"") || has(text, "\"accept_length\""));
}
bool is_inferencex(std::string_view text) {
  const bool detailed = has(text, "\"start_times\"");
  return is_bench_result(text) && !detailed &&
         (has(text, "\"benchmark_start_time_unix\"") || has(text, "\"request_goodput:\""));
}
bool is_mlperf_loadgen(std::string_view text) { return has(head_of(text), ":::MLLOG"); }
bool is_mlperf_power(std::string_view text) {
  const std::string_view line = first_line(text);
  return starts_with(line, "Time,") && has(line, ",Watts,");
}
bool is_dcgmi_dmon(std::string_view text) {
  return has(head_of(text), "#Entity") || has(head_of(text), "# Entity");
}
bool is_nvidia_smi(std::string_view text) {
  const std::string line = lower_case(first_line(text));
  return has(line, ",") && !starts_with(line, "{") && !starts_with(line, "<") &&
         has(line, "time") && has(line, "power");
}

// Order matters: what is more special stands first.
constexpr LogFormat kFormats[] = {
    {"aiperf", "AIPerf: profile_export.jsonl", is_aiperf, read_aiperf, nullptr},
    {"guidellm", "GuideLLM: benchmarks.json", is_guidellm, read_guidellm, nullptr},
    {"sglang", "SGLang: bench_serving --output-file", is_sglang, read_sglang, nullptr},
    {"inferencex", "InferenceX: raw result of benchmark_serving", is_inferencex, read_inferencex,
     nullptr},
    {"vllm", "vLLM: bench serve --save-result --save-detailed", is_bench_result, read_vllm,
     nullptr},
    {"mlperf", "MLPerf loadgen: mlperf_log_detail.txt", is_mlperf_loadgen, read_mlperf_loadgen,
     nullptr},
    {"aiperf-telemetry", "AIPerf: gpu_telemetry_export.jsonl", is_aiperf_telemetry, nullptr,
     read_aiperf_telemetry},
    {"mlperf-power", "MLPerf: spl.txt of the power analyzer", is_mlperf_power, nullptr,
     read_mlperf_power},
    {"dcgmi-dmon", "dcgmi dmon -e 155,156", is_dcgmi_dmon, nullptr, read_dcgmi_dmon},
    {"nvidia-smi", "nvidia-smi --query-gpu=… --format=csv; InferenceX: gpu_metrics.csv",
     is_nvidia_smi, nullptr, read_nvidia_smi},
    {"csv", "any CSV with --columns time=…,watts=…", nullptr, nullptr, read_named_columns},
};

}  // namespace

std::span<const LogFormat> log_formats() { return kFormats; }

const LogFormat* log_format_named(std::string_view name) {
  for (const LogFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const LogFormat* log_format_of(std::string_view text) {
  for (const LogFormat& format : kFormats) {
    if (format.recognises != nullptr && format.recognises(text)) return &format;
  }
  return nullptr;
}

}  // namespace tokenjoule
