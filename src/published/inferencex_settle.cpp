#include <cmath>

#include "base/text.hpp"
#include "published/inferencex_row.hpp"

namespace tokenjoule {

namespace {

struct Alias {
  std::string_view part;  ///< of the long name, in lower case
  std::string_view name;
};

/// Short names as InferenceX's interface has them. The more special parts come first.
constexpr Alias kModels[] = {
    {"deepseek-r1", "dsr1"},         {"deepseek-v4", "dsv4"},
    {"gpt-oss-120b", "gptoss120b"},  {"llama-3.3-70b", "llama70b"},
    {"llama-3-70b", "llama70b"},     {"kimi-k2.5", "kimik2.5"},
    {"minimax-m2.5", "minimaxm2.5"}, {"minimax-m3", "minimaxm3"},
    {"glm-5.1", "glm5.1"},           {"glm-5", "glm5"},
    {"qwen3.5", "qwen3.5"},
};

constexpr Alias kShortForms[] = {{"gptoss", "gptoss120b"}, {"70b", "llama70b"}};
constexpr Alias kFrameworks[] = {{"dynamo-trtllm", "dynamo-trt"}, {"sglang-disagg", "mori-sglang"}};

/// GPUs whose name has several words: of a runner's label only the first word is the GPU's else.
constexpr std::string_view kLongNames[] = {"rtx-pro-6000-max-q",
                                           "rtx-pro-6000-workstation",
                                           "rtx-pro-6000-server",
                                           "rtx-pro-6000",
                                           "rtx6000pro",
                                           "h200-nvl",
                                           "h200-cts",
                                           "h100-nvl",
                                           "h100-pcie"};
constexpr std::string_view kShortNames[] = {"mi355x", "mi325x", "mi300x", "gb300", "gb200",
                                            "b300",   "b200",   "h200",   "h100"};

/// In lower case, words parted by '-'.
std::string dashed(std::string_view text) {
  std::string name = lower_case(text);
  for (char& c : name) {
    if (c == '_' || c == ' ') c = '-';
  }
  return name;
}

/// The name stands in the text with no letter or digit on either side.
bool has_word(std::string_view text, std::string_view word) {
  const auto part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !part(text[at - 1])) && (end == text.size() || !part(text[end]))) return true;
  }
  return false;
}

/// A GPU named in a file's name; "" where none is.
std::string_view gpu_in_name(std::string_view name) {
  for (const std::string_view gpu : kLongNames) {
    if (has_word(name, gpu)) return gpu;
  }
  for (const std::string_view gpu : kShortNames) {
    if (name.find(gpu) != std::string_view::npos) return gpu;
  }
  return {};
}

/// The load client writes the protocol that it spoke ("vllm" for SGLang as well); the name of its
/// file says the engine.
std::string_view engine_in_name(std::string_view name) {
  for (const std::string_view engine : {"sglang", "vllm", "trtllm", "trt", "atom"}) {
    if (has_word(name, engine)) return engine == "trtllm" ? "trt" : engine;
  }
  return {};
}

std::string_view last_part(std::string_view path) {
  while (ends_with(path, "/")) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

/// "…_tp8_…" or "…_gpus_16_…" in a file's name: how many.
std::optional<double> number_behind(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    const std::size_t start = at + word.size();
    const std::size_t end = name.find_first_not_of("0123456789", start);
    const auto number =
        number_in(name.substr(start, end == std::string_view::npos ? end : end - start));
    const bool word_begins = at == 0 || name[at - 1] == '_' || name[at - 1] == '-';
    if (number && word_begins) return number;
  }
  return std::nullopt;
}

void settle_names(PublishedSet& set, InferencexRow& row) {
  PublishedResult& result = row.result;
  if (result.model.empty()) {
    result.model = set.keep(short_model_name(result.model_path));
  } else {
    for (const Alias& alias : kShortForms) {
      if (result.model == alias.part) result.model = set.keep(alias.name);
    }
  }
  for (const Alias& alias : kFrameworks) {
    if (result.framework == alias.part) result.framework = set.keep(alias.name);
  }
  if (!result.hardware.empty()) result.gpu = set.keep(gpu_of_runner(result.hardware));
  if (result.speculation == "on") result.speculation = set.keep("mtp");
  if (result.speculation == "off" || result.speculation.empty())
    result.speculation = set.keep("none");
  result.scenario = set.keep(row.agentic ? "agentic" : "fixed");
}

/// A raw result names neither the GPU nor how many: its file's name may.
void take_from_name(std::string_view file_name, PublishedSet& set, PublishedResult& result) {
  const std::string name = lower_case(last_part(file_name));
  if (!result.gpus) result.gpus = number_behind(name, "gpus_");
  if (!result.gpus) result.gpus = number_behind(name, "tp");
  if (result.hardware.empty()) {
    result.hardware = set.keep(gpu_in_name(dashed(name)));
    result.gpu = result.hardware;
  }
  if (const auto engine = engine_in_name(dashed(name)); !engine.empty())
    result.framework = set.keep(engine);
  if (!result.nominal_input_len) result.nominal_input_len = number_behind(name, "isl");
  if (!result.nominal_output_len) result.nominal_output_len = number_behind(name, "osl");
  if (result.precision.empty() && name.find("_fp4_") != std::string::npos)
    result.precision = set.keep("fp4");
  result.mark(RowFlag::from_file_name);
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

std::optional<double> product(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

void settle_raw(PublishedResult& result) {
  result.mark(RowFlag::raw_result);
  result.mean_input_len = ratio(result.input_tokens, result.completed);
  result.mean_output_len = ratio(result.output_tokens, result.completed);
  if (!result.system.input && result.system.total && result.system.output)
    result.system.input = *result.system.total - *result.system.output;
  if (!result.system.total && result.system.input && result.system.output)
    result.system.total = *result.system.input + *result.system.output;
}

/// Throughput of all GPUs from that per GPU. Where prefill and decode stand apart, input counts per
/// prefill GPU and output per decode GPU.
void settle_throughput(PublishedResult& result) {
  const bool split =
      result.disaggregated.value_or(false) && result.prefill.gpus && result.decode.gpus;
  const bool decode_apart = split && *result.decode.gpus > 0;
  const auto in_gpus = split ? result.prefill.gpus : result.gpus;
  const auto out_gpus = decode_apart ? result.decode.gpus : result.gpus;
  if (!result.system.total) result.system.total = product(result.per_gpu.total, result.gpus);
  if (!result.system.input) result.system.input = product(result.per_gpu.input, in_gpus);
  if (!result.system.output) result.system.output = product(result.per_gpu.output, out_gpus);
}

}  // namespace

std::string gpu_of_runner(std::string_view runner) {
  if (starts_with(runner, "cluster:")) runner.remove_prefix(std::string_view("cluster:").size());
  const std::string label = dashed(runner);
  for (const std::string_view name : kLongNames) {
    if (!starts_with(label, name)) continue;
    if (label.size() == name.size() || label[name.size()] == '-') return std::string(name);
  }
  return label.substr(0, label.find('-'));
}

std::string short_model_name(std::string_view path) {
  // A path into a cache of Hugging Face: "…/models--openai--gpt-oss-120b/snapshots/…".
  const std::string lower = lower_case(path);
  for (const Alias& alias : kModels) {
    if (lower.find(alias.part) != std::string::npos) return std::string(alias.name);
  }
  return lower_case(last_part(path));
}

void settle_inferencex_row(std::string_view file_name, PublishedSet& set, InferencexRow& row) {
  PublishedResult& result = row.result;
  result.source = PublishedSource::inferencex;
  settle_names(set, row);
  const bool raw = !result.per_gpu.total && (result.system.total || result.system.output);
  if (row.agentic) result.mark(RowFlag::agentic);
  if (!result.gpus) result.gpus = inferencex_gpus(result, row.has_role_keys);
  if (raw && result.hardware.empty()) take_from_name(file_name, set, result);
  if (raw && row.has_metrics) result.mark(RowFlag::other_client);
  if (raw) settle_raw(result);
  settle_throughput(result);
  const double rate = result.system.total.value_or(result.per_gpu.total.value_or(0));
  if (rate <= 0) result.mark(RowFlag::no_throughput);
}

}  // namespace tokenjoule
