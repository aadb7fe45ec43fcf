#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/measure_options.hpp"
#include "app/service_level.hpp"
#include "base/text.hpp"

// The part of measure's options that says where requests come from, and whose load it is.

namespace tokenjoule {

namespace {

tl::unexpected<Error> usage(std::string message, std::string hint) {
  return failure(ErrorKind::usage, std::move(message), std::move(hint));
}

/// InferenceX's harness (benchmarks/benchmark_lib.sh and utils/bench_serving, read in 2026): random
/// lengths with --random-range-ratio 0.8, which there is [0.8 L, L]; ten prompts a stream at an
/// infinite rate; two warm-up requests a stream, ended before the first measured one is sent.
struct HarnessPreset {
  std::string_view name;
  std::int64_t input;
  std::int64_t output;
};
constexpr HarnessPreset kHarnessPresets[] = {
    {"inferencex-1k1k", 1024, 1024},
    {"inferencex-1k8k", 1024, 8192},
    {"inferencex-8k1k", 8192, 1024},
};
constexpr std::int64_t kHarnessPromptsAStream = 10;
constexpr std::int64_t kHarnessWarmupsAStream = 2;

LengthSpec harness_length(std::int64_t length) {
  return {.shape = LengthSpec::Shape::uniform, .low = length * 8 / 10, .high = length};
}

/// What a preset decides: an option beside it would make another load of it.
Status check_alone(const ParsedOptions& parsed) {
  for (const char* option :
       {"input-len", "output-len", "range-ratio", "mix", "prefix-len", "dataset", "dataset-path",
        "sampling", "speed", "request-rate", "ramp-up", "warmup", "warmup-requests", "duration",
        "num-requests", "cooldown", "no-ignore-eos", "lora"}) {
    if (!parsed.has(option)) continue;
    return usage(fmt::format("both --preset and --{} were given", option),
                 "a preset decides the load but for -c: leave one of them out");
  }
  return {};
}

Status take_preset(MeasureOptions& options, const ParsedOptions& parsed) {
  const auto given = parsed.text("preset");
  if (!given) return {};
  std::vector<std::string> names;
  for (const HarnessPreset& preset : kHarnessPresets) {
    names.emplace_back(preset.name);
    if (preset.name != *given) continue;
    TRY_DO(check_alone(parsed));
    options.preset = preset.name;
    options.input_len = harness_length(preset.input);
    options.output_len = harness_length(preset.output);
    options.warmup = Seconds(0);
    options.cooldown = Seconds(0);
    options.ignore_eos = true;
    return {};
  }
  return usage(fmt::format("--preset {} is none{}", quoted(*given), did_you_mean(*given, names)),
               fmt::format("say {}", fmt::join(names, ", ")));
}

Status take_data_set(MeasureOptions& options, const ParsedOptions& parsed) {
  const std::string name = parsed.text("dataset").value_or("random");
  options.dataset_path = parsed.text("dataset-path").value_or("");
  if (name == "random") {
    if (options.dataset_path.empty()) return {};
    return usage("--dataset-path was given without --dataset",
                 "say what it is: --dataset sharegpt, jsonl, mooncake or azure");
  }
  options.dataset = data_set_named(name);
  if (!options.dataset) {
    const std::string names[] = {"random", "sharegpt", "jsonl", "mooncake", "azure"};
    return usage(fmt::format("--dataset {} is none{}", quoted(name), did_you_mean(name, names)),
                 "say random, sharegpt, jsonl, mooncake or azure");
  }
  if (options.dataset_path.empty()) {
    return usage(fmt::format("--dataset {} needs its file", name), "add --dataset-path FILE");
  }
  for (const char* option : {"input-len", "range-ratio", "mix", "output-len"}) {
    // Lines of our own may leave the answer's length open.
    const bool fits =
        options.dataset == DataSetKind::jsonl && std::string_view(option) == "output-len";
    if (parsed.has(option) && !fits) {
      return usage(fmt::format("both --dataset {} and --{} were given", name, option),
                   "the data set says how long its requests are: leave one of them out");
    }
  }
  return {};
}

Status take_sampling(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY(const auto speed, parsed.number("speed", 1e-6, 1e6));
  if (speed && (!options.dataset || options.rate_given)) {
    return usage("--speed is for a trace that is replayed by its own times",
                 "leave it out, or give --dataset azure, mooncake or jsonl without --request-rate");
  }
  options.speed = speed.value_or(1);
  const auto name = parsed.text("sampling");
  if (!name) return {};
  const std::string names[] = {"permute", "replacement", "sequential"};
  for (const auto sampling : {Sampling::permute, Sampling::replacement, Sampling::sequential}) {
    if (name_of(sampling) == *name) options.sampling = sampling;
  }
  if (!options.sampling) {
    return usage(fmt::format("--sampling {} is none{}", quoted(*name), did_you_mean(*name, names)),
                 "say permute, replacement or sequential");
  }
  if (options.sampling == Sampling::sequential && !options.dataset) {
    return usage("--sampling sequential needs a data set", "add --dataset and --dataset-path");
  }
  return {};
}

template <typename T>
Status take_parsed(T& into, const ParsedOptions& parsed, const char* option,
                   Result<T> (*read)(std::string_view)) {
  const auto text = parsed.text(option);
  if (!text) return {};
  auto value = read(*text);
  if (!value) return unexpected(std::move(value).error().in(std::string("--") + option));
  into = std::move(*value);
  return {};
}

Status take_mixes(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY_DO(take_parsed(options.mix, parsed, "mix", length_mix_in));
  for (const char* option : {"input-len", "output-len", "range-ratio"}) {
    if (!options.mix.empty() && parsed.has(option)) {
      return usage(fmt::format("both --mix and --{} were given", option), "give one of them");
    }
  }
  TRY(const auto prefix, parsed.integer("prefix-len", 0, 10'000'000));
  options.prefix_len = prefix.value_or(0);
  TRY_DO(take_parsed(options.models, parsed, "lora", model_shares_in));
  return take_parsed(options.service_level, parsed, "goodput", service_level_in);
}

}  // namespace

Status take_data_options(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY_DO(take_data_set(options, parsed));
  TRY_DO(take_sampling(options, parsed));
  TRY_DO(take_mixes(options, parsed));
  return take_preset(options, parsed);
}

std::optional<std::int64_t> num_requests_of(const MeasureOptions& options, const LoadPoint& point) {
  if (!options.preset.empty()) return kHarnessPromptsAStream * point.concurrency;
  return options.num_requests;
}

std::optional<std::int64_t> warmup_requests_of(const MeasureOptions& options,
                                               const LoadPoint& point) {
  if (!options.preset.empty()) return kHarnessWarmupsAStream * point.concurrency;
  return options.warmup_requests;
}

namespace {

using Json = nlohmann::ordered_json;

Json data_set_json(const MeasureOptions& options, const RequestPool& pool) {
  Json json = {{"name", pool.name},
               {"sha256", pool.sha256},
               {"requests", pool.entries.size()},
               {"left_out", pool.left_out},
               {"lengths", pool.lengths},
               {"made_up_prompts", !pool.has_texts()},
               {"file", options.dataset_path}};
  return json;
}

Json service_level_json(const ServiceLevel& level) {
  Json json = Json::object();
  if (level.ttft) json["ttft_s"] = level.ttft->value();
  if (level.tpot) json["tpot_s"] = level.tpot->value();
  if (level.e2e) json["e2e_s"] = level.e2e->value();
  return json;
}

}  // namespace

std::string data_configuration_json(const MeasureOptions& options, const LoadPoint& point,
                                    const RequestPool* pool) {
  Json json;
  if (!options.preset.empty()) json["preset"] = options.preset;
  if (pool == nullptr && options.mix.empty()) json["input_len"] = options.input_len.text();
  if (options.mix.empty()) json["output_len"] = options.output_len.text();
  if (!options.mix.empty()) json["mix"] = text_of(options.mix);
  if (options.prefix_len > 0) json["prefix_len"] = options.prefix_len;
  json["dataset"] = pool == nullptr ? Json("random") : data_set_json(options, *pool);
  if (options.sampling) json["sampling"] = name_of(*options.sampling);
  if (point.trace) json["speed"] = options.speed;
  for (const ModelShare& share : options.models) json["lora"][share.name] = share.weight;
  if (!options.service_level.empty()) json["slo"] = service_level_json(options.service_level);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tokenjoule
