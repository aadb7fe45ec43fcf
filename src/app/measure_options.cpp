#include "app/measure_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "engines/dialect.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

template <typename T>
void take(T& into, std::optional<T> value) {
  if (value) into = std::move(*value);
}

Result<std::pair<std::string, std::string>> key_value_in(const std::string& text,
                                                         const char* option) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return failure(ErrorKind::usage, fmt::format("--{} \"{}\" is no K=V", option, quoted(text)),
                   fmt::format("write it as --{} key=value", option));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::vector<std::pair<std::string, std::string>>> key_values_in(const ParsedOptions& parsed,
                                                                       const char* option) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& text : parsed.texts(option)) {
    TRY(auto pair, key_value_in(text, option));
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

Status check_header_name(const std::string& name) {
  constexpr std::string_view ours[] = {"host", "content-length", "connection", "transfer-encoding",
                                       "content-type"};
  const bool reserved =
      std::find(std::begin(ours), std::end(ours), lower_case(name)) != std::end(ours);
  const bool token =
      !name.empty() && name.find_first_of(" \t()<>@,;:\\\"/[]?={}") == std::string::npos;
  if (token && !reserved) return {};
  return failure(ErrorKind::usage,
                 fmt::format("the header {} {}", quoted(name),
                             reserved ? "is set by the client itself" : "has no valid name"),
                 "write it as -H 'Name: value'");
}

Status take_headers(MeasureOptions& options, const ParsedOptions& parsed) {
  std::string key;
  if (const char* from_environment = std::getenv("OPENAI_API_KEY")) key = from_environment;
  if (const auto file = parsed.text("api-key-file")) {
    TRY(const std::string bytes, file_bytes(*file));
    key = trimmed(bytes);
  }
  if (const auto given = parsed.text("api-key")) key = *given;
  if (key.find_first_of("\r\n") != std::string::npos) {
    return failure(ErrorKind::usage, "the API key has a line break in it", "give one line");
  }
  if (!key.empty()) options.headers.emplace_back("Authorization", "Bearer " + key);
  for (const auto& text : parsed.texts("header")) {
    const auto colon = text.find_first_of(":=");
    // The value may be a secret: it is never shown.
    if (colon == 0 || colon == std::string::npos ||
        text.find_first_of("\r\n") != std::string::npos) {
      return failure(ErrorKind::usage, "a --header is no 'Name: value'",
                     "write it as -H 'Name: value'");
    }
    const std::string name(trimmed(text.substr(0, colon)));
    TRY_DO(check_header_name(name));
    options.headers.emplace_back(name, trimmed(text.substr(colon + 1)));
  }
  return {};
}

Status take_engine(MeasureOptions& options, const ParsedOptions& parsed) {
  const auto url = parsed.text("url");
  if (!url)
    return failure(ErrorKind::usage, "no --url was given",
                   "say which server: --url http://127.0.0.1:8000");
  TRY(Url given, url_in(*url));
  options.url = api_root(std::move(given));
  options.endpoint = parsed.text("endpoint").value_or("");
  if (!options.endpoint.empty() && options.endpoint != "completions" &&
      options.endpoint != "chat" && options.endpoint.front() != '/') {
    const std::string kinds[] = {"completions", "chat"};
    return failure(ErrorKind::usage,
                   fmt::format("--endpoint {} is no endpoint{}", quoted(options.endpoint),
                               did_you_mean(options.endpoint, kinds)),
                   "say completions, chat, or a path such as /v1/completions");
  }
  options.model = parsed.text("model");
  options.dialect = parsed.text("dialect");
  options.server_metrics = parsed.text("server-metrics").value_or("auto");
  TRY(options.engine_config, key_values_in(parsed, "engine-config"));
  return take_headers(options, parsed);
}

Status take_concurrency(MeasureOptions& options, const ParsedOptions& parsed) {
  const auto given = parsed.text("concurrency");
  if (!given) return {};
  options.concurrency.clear();
  for (const auto item : split(*given, ',')) {
    const auto streams = integer_in(trimmed(item));
    if (!streams || *streams < 1 || *streams > 100'000) {
      return failure(
          ErrorKind::usage,
          fmt::format("--concurrency \"{}\" is no number from 1 to 100000", quoted(item)),
          "write -c 8 or -c 8,64,256");
    }
    for (const auto earlier : options.concurrency) {
      if (earlier == *streams) {
        return failure(ErrorKind::usage, fmt::format("--concurrency names {} twice", *streams),
                       "name each once");
      }
    }
    options.concurrency.push_back(*streams);
  }
  if (options.concurrency.empty()) {
    return failure(ErrorKind::usage, "--concurrency names no number", "write -c 8 or -c 8,64,256");
  }
  return {};
}

Status take_times(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY(const auto duration, parsed.duration("duration"));
  TRY(const auto warmup, parsed.duration("warmup"));
  TRY(const auto cooldown, parsed.duration("cooldown"));
  TRY(const auto drain, parsed.duration("drain"));
  TRY(const auto timeout, parsed.duration("timeout"));
  TRY(const auto idle, parsed.duration("idle"));
  TRY(const auto interval, parsed.duration("power-interval"));
  take(options.duration, duration);
  take(options.warmup, warmup);
  take(options.cooldown, cooldown);
  take(options.drain, drain);
  take(options.request_timeout, timeout);
  take(options.idle, idle);
  take(options.power_interval, interval);
  if (options.duration < Seconds(1)) {
    return failure(ErrorKind::usage, "--duration is below one second",
                   "give 20s or more for a usable result");
  }
  if (options.request_timeout <= Seconds(0))
    return failure(ErrorKind::usage, "--timeout is 0", "give --timeout 600s");
  if (options.power_interval < Seconds(0.02) || options.power_interval > Seconds(60)) {
    return failure(ErrorKind::usage, "--power-interval lies outside 20ms to 60s",
                   "give --power-interval 100ms");
  }
  return {};
}

Result<LengthSpec> length_in(const std::string& text, std::optional<double> ratio,
                             const std::string& option) {
  auto spec = length_spec_in(text);
  if (spec && ratio) spec = with_range_ratio(*spec, *ratio);
  if (!spec) return unexpected(std::move(spec).error().in(option));
  return spec;
}

Status take_lengths(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY(const auto ratio, parsed.number("range-ratio", 0.0, 0.999999));
  const auto input = parsed.text("input-len").value_or("1024");
  const auto output = parsed.text("output-len").value_or("128");
  TRY(options.input_len, length_in(input, ratio, "--input-len"));
  TRY(options.output_len, length_in(output, ratio, "--output-len"));
  return {};
}

Status take_load(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY_DO(take_concurrency(options, parsed));
  TRY_DO(take_times(options, parsed));
  TRY_DO(take_lengths(options, parsed));
  TRY(options.num_requests, parsed.integer("num-requests", 1, 1'000'000'000));
  if (options.num_requests && parsed.has("duration")) {
    return failure(ErrorKind::usage, "both --duration and --num-requests were given",
                   "give one of them");
  }
  if (parsed.flag("ignore-eos") && parsed.flag("no-ignore-eos")) {
    return failure(ErrorKind::usage, "both --ignore-eos and --no-ignore-eos were given",
                   "give one of them");
  }
  if (parsed.flag("ignore-eos")) options.ignore_eos = true;
  if (parsed.flag("no-ignore-eos")) options.ignore_eos = false;
  options.extra_body = parsed.text("extra-body").value_or("");
  if (!options.extra_body.empty()) TRY_DO(check_extra_body(options.extra_body));
  TRY(const auto threads, parsed.integer("load-threads", 1, 64));
  if (threads) options.load_threads = static_cast<int>(*threads);
  TRY(const auto seed, parsed.integer("seed", 0, INT64_MAX));
  if (seed) options.seed = static_cast<std::uint64_t>(*seed);
  options.prompt_nonce = parsed.text("prompt-nonce");
  if (options.prompt_nonce && options.prompt_nonce->empty()) {
    return failure(ErrorKind::usage, "--prompt-nonce is empty",
                   "give the one of the earlier run's record");
  }
  return {};
}

Status take_meters(MeasureOptions& options, const ParsedOptions& parsed) {
  for (const auto& text : parsed.texts("sensor")) {
    TRY(auto spec, sensor_spec_in(text));
    options.sensors.push_back(std::move(spec));
  }
  options.all_gpus = parsed.flag("all-gpus");
  if (const auto gpus = parsed.text("gpus")) {
    options.gpus = comma_list(*gpus);
    if (options.gpus.empty() || options.all_gpus) {
      return failure(
          ErrorKind::usage,
          options.all_gpus ? "both --gpus and --all-gpus were given" : "--gpus names none",
          "write --gpus 0,1 or --all-gpus");
    }
  }
  TRY(const auto limit, parsed.number("expect-power-limit", 1, 1e6));
  if (limit) options.expect_power_limit = Watts(*limit);
  if (const auto name = parsed.text("boundary")) {
    options.boundary = boundary_named(*name);
    if (!options.boundary) {
      const std::string names[] = {"gpu_board", "gpu_module", "cpu_package",
                                   "dram",      "node_dc",    "node_ac"};
      return failure(
          ErrorKind::usage,
          fmt::format("--boundary {} is none{}", quoted(*name), did_you_mean(*name, names)),
          "the boundaries stand in docs/methods.md");
    }
  }
  options.strict = parsed.flag("strict");
  options.check_only = parsed.flag("check");
  return {};
}

Status take_output(MeasureOptions& options, const ParsedOptions& parsed) {
  options.out = parsed.text("out");
  TRY(options.format, output_format_in(parsed.text("format")));
  TRY(options.definitions, definitions_in(parsed.text("definitions")));
  options.label = parsed.text("label").value_or("");
  TRY(options.metadata, key_values_in(parsed, "metadata"));
  const std::string ui = parsed.flag("quiet") ? "none" : parsed.text("ui").value_or("auto");
  if (ui != "auto" && ui != "plain" && ui != "none") {
    return failure(ErrorKind::usage, fmt::format("--ui {} is none", quoted(ui)),
                   "say auto, plain or none");
  }
  options.progress = ui == "auto"    ? ProgressStyle::automatic
                     : ui == "plain" ? ProgressStyle::plain
                                     : ProgressStyle::none;
  return {};
}

}  // namespace

Result<OutputFormat> output_format_in(const std::optional<std::string>& text) {
  if (!text || *text == "table") return OutputFormat::table;
  if (*text == "markdown") return OutputFormat::markdown;
  if (*text == "json") return OutputFormat::json;
  if (*text == "csv") return OutputFormat::csv;
  const std::string formats[] = {"table", "markdown", "json", "csv"};
  return failure(ErrorKind::usage,
                 fmt::format("--format {} is none{}", quoted(*text), did_you_mean(*text, formats)),
                 "say table, markdown, json or csv");
}

Result<std::optional<PeerTool>> definitions_in(const std::optional<std::string>& text) {
  if (!text) return std::optional<PeerTool>();
  const auto tool = peer_tool_named(*text);
  if (tool) return tool;
  const std::string tools[] = {"vllm", "aiperf", "sglang"};
  return failure(
      ErrorKind::usage,
      fmt::format("--definitions {} is none{}", quoted(*text), did_you_mean(*text, tools)),
      "say vllm, aiperf or sglang");
}

Result<MeasureOptions> measure_options_from(const ParsedOptions& parsed) {
  MeasureOptions options;
  if (!parsed.positionals().empty()) {
    return failure(ErrorKind::usage,
                   fmt::format("\"{}\" is no option", quoted(parsed.positionals().front())),
                   "see tokenjoule measure --help");
  }
  TRY_DO(take_engine(options, parsed));
  TRY_DO(take_load(options, parsed));
  TRY_DO(take_meters(options, parsed));
  TRY_DO(take_output(options, parsed));
  return options;
}

std::string configuration_json(const MeasureOptions& options, std::int64_t concurrency,
                               bool ignore_eos) {
  using Json = nlohmann::ordered_json;
  Json json = {{"command", "measure"}, {"mode", "closed"}, {"concurrency", concurrency}};
  if (options.num_requests) {
    json["num_requests"] = *options.num_requests;
  } else {
    json["duration_s"] = options.duration.value();
  }
  json["warmup_s"] = options.warmup.value();
  json["cooldown_s"] = options.cooldown.value();
  json["drain_s"] = options.drain.value();
  json["idle_s"] = options.idle.value();
  json["input_len"] = options.input_len.text();
  json["output_len"] = options.output_len.text();
  json["ignore_eos"] = ignore_eos;
  json["dataset"] = "random";
  json["request_timeout_s"] = options.request_timeout.value();
  json["load_threads"] = options.load_threads;
  json["power_interval_s"] = options.power_interval.value();
  // Its values may be secrets: only the names are kept.
  json["extra_body_keys"] = Json::array();
  if (!options.extra_body.empty()) {
    const Json extra = Json::parse(options.extra_body, nullptr, false);
    for (const auto& item : extra.items()) json["extra_body_keys"].push_back(item.key());
  }
  if (options.expect_power_limit)
    json["expect_power_limit_w"] = options.expect_power_limit->value();
  json["strict"] = options.strict;
  if (options.boundary) json["boundary"] = name_of(*options.boundary);
  if (options.definitions) json["definitions"] = name_of(*options.definitions);
  if (!options.label.empty()) json["label"] = options.label;
  if (!options.metadata.empty()) json["metadata"] = Json(options.metadata);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tokenjoule
