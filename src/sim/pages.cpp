#include "sim/pages.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

/// A label value, escaped as the text format wants it.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text;
}

class MetricsPage {
 public:
  explicit MetricsPage(std::string labels) : labels_(std::move(labels)) {}

  void family(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
    name_ = name;
  }
  /// `more` labels follow the common ones, beginning with a comma.
  void row(double value, std::string_view more = {}) {
    fmt::format_to(std::back_inserter(text_), "{}{{{}{}}} {:.6f}\n", name_, labels_, more, value);
  }
  void row(std::int64_t value, std::string_view more = {}) {
    fmt::format_to(std::back_inserter(text_), "{}{{{}{}}} {}.0\n", name_, labels_, more, value);
  }
  /// A row of a histogram: the family's name goes on with `suffix`.
  void row_of(std::string_view suffix, std::int64_t value, std::string_view more = {}) {
    fmt::format_to(std::back_inserter(text_), "{}{}{{{}{}}} {}.0\n", name_, suffix, labels_, more,
                   value);
  }
  void counter(std::string_view name, std::int64_t value, std::string_view help) {
    family(name, "counter", help);
    row(value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string labels_;
  std::string name_;
  std::string text_;
};

void add_gauges(MetricsPage& page, const Simulation& simulation) {
  const EngineModel& engine = simulation.engine();
  page.family("vllm:num_requests_running", "gauge",
              "Number of requests in model execution batches.");
  page.row(engine.running());
  page.family("vllm:num_requests_waiting", "gauge", "Number of requests waiting to be processed.");
  page.row(engine.waiting());
  page.family("vllm:kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.");
  page.row(engine.cache_use());
  const std::string cache = fmt::format(
      ",block_size=\"{}\",cache_dtype=\"auto\",enable_prefix_caching=\"False\","
      "num_gpu_blocks=\"{}\"",
      EngineModel::kBlockTokens, engine.cache_blocks());
  page.family("vllm:cache_config_info", "gauge", "Information of the LLMEngine CacheConfig");
  page.row(std::int64_t{1}, cache);
}

void add_token_counters(MetricsPage& page, const EngineCounts& counts) {
  page.counter("vllm:num_preemptions_total", counts.preemptions,
               "Cumulative number of preemption from the engine.");
  page.counter("vllm:prompt_tokens_total", counts.prompt_tokens,
               "Number of prefill tokens processed.");
  page.family("vllm:prompt_tokens_by_source_total", "counter",
              "Number of prompt tokens by source.");
  page.row(counts.prompt_tokens, ",source=\"local_compute\"");
  page.row(std::int64_t{0}, ",source=\"local_cache_hit\"");
  page.row(std::int64_t{0}, ",source=\"external_kv_transfer\"");
  page.counter("vllm:prompt_tokens_cached_total", 0,
               "Number of cached prompt tokens (local + external).");
  page.counter("vllm:generation_tokens_total", counts.output_tokens,
               "Number of generation tokens processed.");
  page.family("vllm:request_success_total", "counter", "Count of successfully processed requests.");
  page.row(counts.stopped, ",finished_reason=\"stop\"");
  page.row(counts.length_limited, ",finished_reason=\"length\"");
  page.row(counts.aborted, ",finished_reason=\"abort\"");
  page.row(std::int64_t{0}, ",finished_reason=\"error\"");
}

/// A histogram in the buckets that vLLM has: 1, 2, 5, 10, 20 … up to the longest length.
void add_lengths(MetricsPage& page, const std::string& name, const FinishedLengths& lengths,
                 std::int64_t longest, std::string_view help) {
  page.family(name, "histogram", help);
  std::int64_t below = 0;
  auto next = lengths.counts.begin();
  const auto count_up_to = [&](std::int64_t bound) {
    for (; next != lengths.counts.end() && next->first <= bound; ++next) below += next->second;
  };
  for (std::int64_t decade = 1; decade <= longest; decade *= 10) {
    for (const std::int64_t bound : {decade, 2 * decade, 5 * decade}) {
      if (bound > longest) break;
      count_up_to(bound);
      page.row_of("_bucket", below, fmt::format(",le=\"{}.0\"", bound));
    }
  }
  count_up_to(std::numeric_limits<std::int64_t>::max());
  page.row_of("_bucket", below, ",le=\"+Inf\"");
  page.row_of("_sum", lengths.sum);
  page.row_of("_count", below);
}

/// One family of the GPU page: its text for a GPU at a time, or nothing where it shows none.
struct GpuFamily {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  std::optional<std::string> (*value)(const Simulation& simulation, int gpu, MonoTime at);
};

std::optional<std::string> watts_text(std::optional<Watts> power) {
  if (!power) return std::nullopt;
  return fmt::format("{:.6f}", power->value());
}

std::optional<std::string> energy_text(const Simulation& simulation, int gpu, MonoTime at) {
  const auto energy = simulation.sensors().energy_mj(gpu, at);
  if (!energy) return std::nullopt;
  return fmt::format("{}", *energy);
}

/// Model weights of 20 000 MiB and a cache of 50 000 MiB on each GPU that the engine uses: taken at
/// start-up, as engines do, whatever is in the cache.
std::optional<std::string> memory_text(const Simulation& simulation, int gpu, MonoTime) {
  const bool used = simulation.gpus().gpus()[static_cast<std::size_t>(gpu)].used_by_engine;
  return used ? "70000" : "1";
}

constexpr GpuFamily kGpuFamilies[] = {
    {"DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock frequency (in MHz).",
     [](const Simulation& s, int gpu, MonoTime at) -> std::optional<std::string> {
       return fmt::format("{}", s.sensors().sm_clock_mhz(gpu, at));
     }},
    {"DCGM_FI_DEV_MEM_CLOCK", "gauge", "Memory clock frequency (in MHz).",
     [](const Simulation& s, int, MonoTime) -> std::optional<std::string> {
       return fmt::format("{}", s.sensors().memory_clock_mhz());
     }},
    {"DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C).",
     [](const Simulation& s, int gpu, MonoTime at) -> std::optional<std::string> {
       return fmt::format("{}", s.sensors().temperature_c(gpu, at));
     }},
    {"DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W).",
     [](const Simulation& s, int gpu, MonoTime at) {
       return watts_text(s.sensors().average_power(gpu, at));
     }},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter",
     "Total energy consumption since boot (in mJ).", energy_text},
    {"DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilization (in %).",
     [](const Simulation& s, int gpu, MonoTime at) -> std::optional<std::string> {
       return fmt::format("{}", s.sensors().utilisation_percent(gpu, at));
     }},
    {"DCGM_FI_DEV_FB_USED", "gauge", "Framebuffer memory used (in MiB).", memory_text},
    {"DCGM_FI_DEV_POWER_VIOLATION", "counter",
     "Throttling duration due to power constraints (in ns).",
     [](const Simulation& s, int gpu, MonoTime at) -> std::optional<std::string> {
       return fmt::format("{}", s.sensors().capped_ns(gpu, at));
     }},
    {"DCGM_FI_DEV_POWER_USAGE_INSTANT", "gauge", "Instantaneous power draw (in W).",
     [](const Simulation& s, int gpu, MonoTime at) {
       return watts_text(s.sensors().instant_power(gpu, at));
     }},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", "gauge", "Default power limit (in W).",
     [](const Simulation& s, int, MonoTime) { return watts_text(s.options().gpu.default_limit); }},
    {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "gauge",
     "Effective power limit after all limiters (in W).",
     [](const Simulation& s, int, MonoTime) {
       const GpuParameters& gpu = s.options().gpu;
       return watts_text(std::min(gpu.cap.value_or(gpu.default_limit), gpu.default_limit));
     }},
};

std::string gpu_labels(const SimulatedGpu& gpu, std::size_t index) {
  return fmt::format(
      "gpu=\"{0}\",UUID=\"{1}\",pci_bus_id=\"{2}\",device=\"simulated{0}\","
      "modelName=\"Simulated GPU\",hostname=\"simulated\",DCGM_FI_DRIVER_VERSION=\"simulated\"",
      index, gpu.uuid, gpu.bus_id);
}

}  // namespace

std::string engine_metrics_page(const Simulation& simulation, WallTime started) {
  MetricsPage page(
      fmt::format("engine=\"0\",model_name=\"{}\"", escaped(simulation.options().model)));
  add_gauges(page, simulation);
  const EngineCounts& counts = simulation.engine().counts();
  add_token_counters(page, counts);
  const std::int64_t longest = simulation.options().engine.max_model_len;
  add_lengths(page, "vllm:request_prompt_tokens", counts.prompt_lengths, longest,
              "Number of prefill tokens processed.");
  add_lengths(page, "vllm:request_generation_tokens", counts.output_lengths, longest,
              "Number of generation tokens processed.");
  return page.take() +
         fmt::format(
             "# HELP process_start_time_seconds Start time of the process since unix epoch "
             "in seconds.\n# TYPE process_start_time_seconds gauge\n"
             "process_start_time_seconds {:.3f}\n",
             static_cast<double>(started.unix_ns) * 1e-9);
}

std::string gpu_metrics_page(const Simulation& simulation, MonoTime at) {
  std::string page;
  const auto& gpus = simulation.gpus().gpus();
  for (const GpuFamily& family : kGpuFamilies) {
    std::string rows;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const int gpu = static_cast<int>(i);
      if (!simulation.sensors().present(gpu, at)) continue;
      if (const auto value = family.value(simulation, gpu, at))
        rows += fmt::format("{}{{{}}} {}\n", family.name, gpu_labels(gpus[i], i), *value);
    }
    if (rows.empty()) continue;
    page += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", family.name, family.type, family.help);
    page += rows;
  }
  return page;
}

std::string truth_json(const Simulation& simulation, const Truth& truth) {
  Json json;
  json["simulated"] = true;
  json["joules"]["total"] = truth.engine_gpus.value();
  const auto& gpus = simulation.gpus().gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i)
    json["joules"][gpus[i].uuid] = truth.by_gpu[i].value();
  json["output_tokens"] = truth.output_tokens;
  json["prompt_tokens"] = truth.prompt_tokens;
  return json.dump();
}

std::string models_json(const SimulatorOptions& options, WallTime started) {
  Json model;
  model["id"] = options.model;
  model["object"] = "model";
  model["created"] = started.unix_ns / 1'000'000'000;
  model["owned_by"] = "vllm";  // clients tell the API's dialect by it; /version says what it is
  model["root"] = options.model;
  model["parent"] = nullptr;
  model["max_model_len"] = options.engine.max_model_len;
  Json json;
  json["object"] = "list";
  json["data"] = Json::array({model});
  return json.dump();
}

std::string version_json() {
  Json json;
  json["version"] = "simulated-1";
  json["simulated"] = true;
  return json.dump();
}

}  // namespace tokenjoule
