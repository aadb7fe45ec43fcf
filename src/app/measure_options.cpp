#include "app/measure_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "engines/dialect.hpp"
#include "io/file.hpp"
#include "load/target.hpp"

namespace tokenjoule {

namespace {

Result<std::pair<std::string, std::string>> key_value_in(const std::string& text,
                                                         const char* option) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return failure(ErrorKind::usage, fmt::format("--{} \"{}\" is no K=V", option, quoted(text)),
                   fmt::format("write it as --{} key=value", option));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

/// Checked before anything is measured. The client's own headers pass check_header() too, so that
/// those two cannot stand in its list.
Status check_given_header(const std::string& name, const std::string& value) {
  for (const std::string_view ours : {"host", "content-type"}) {
    if (lower_case(name) != ours) continue;
    return failure(ErrorKind::usage,
                   fmt::format("the header {} is set by the client itself", quoted(name)),
                   "leave it out");
  }
  return check_header(name, value);
}

bool names_authorization(const HttpHeaders& headers) {
  return std::any_of(headers.begin(), headers.end(), [](const auto& header) {
    return lower_case(header.first) == "authorization";
  });
}

/// All servers of --url, which may be given several times and list several.
Status take_urls(MeasureOptions& options, const ParsedOptions& parsed) {
  std::vector<Url> urls;
  for (const auto& text : parsed.texts("url")) {
    for (const auto part : split(text, ',')) {
      TRY(Url given, url_in(trimmed(part)));
      urls.push_back(api_root(std::move(given)));
    }
  }
  if (urls.empty())
    return failure(ErrorKind::usage, "no --url was given",
                   "say which server: --url http://127.0.0.1:8000");
  for (std::size_t i = 1; i < urls.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (urls[i].text() != urls[j].text() || urls[i].path != urls[j].path) continue;
      return failure(ErrorKind::usage, fmt::format("--url names {} twice", urls[i].text()),
                     "name each server once: its counters would be added twice");
    }
  }
  options.url = urls.front();
  options.further_urls.assign(urls.begin() + 1, urls.end());
  return {};
}

Status take_engine(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY_DO(take_urls(options, parsed));
  TRY_DO(take_tls(options, parsed));
  options.endpoint = parsed.text("endpoint").value_or("");
  options.no_token_ids = parsed.flag("no-return-token-ids");
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
  return take_headers(options.headers, parsed);
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> key_values_in(const ParsedOptions& parsed,
                                                                       const char* option) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& text : parsed.texts(option)) {
    TRY(auto pair, key_value_in(text, option));
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

Status take_headers(HttpHeaders& headers, const ParsedOptions& parsed) {
  std::string key;
  if (const char* from_environment = std::getenv("OPENAI_API_KEY")) key = from_environment;
  if (const auto file = parsed.text("api-key-file")) {
    TRY(const std::string bytes, file_bytes(*file));
    key = trimmed(bytes);
  }
  if (const auto given = parsed.text("api-key")) key = *given;
  const std::string value = "Bearer " + key;
  if (!check_header("Authorization", value)) {
    return failure(ErrorKind::usage, "the API key has a line break or a control character in it",
                   "give one line");
  }
  TRY_DO(take_header_lines(headers, parsed));
  if (!names_authorization(headers)) {
    if (!key.empty()) headers.emplace_back("Authorization", value);
    return {};
  }
  // A key of the environment gives way to what the command line says.
  for (const char* option : {"api-key", "api-key-file"}) {
    if (!parsed.has(option)) continue;
    return failure(ErrorKind::usage,
                   fmt::format("both --{} and a --header Authorization were given", option),
                   "give one of them");
  }
  return {};
}

Status take_header_lines(HttpHeaders& headers, const ParsedOptions& parsed) {
  for (const auto& text : parsed.texts("header")) {
    const auto colon = text.find_first_of(":=");
    // The value may be a secret: it is never shown.
    if (colon == 0 || colon == std::string::npos ||
        text.find_first_of("\r\n") != std::string::npos) {
      return failure(ErrorKind::usage, "a --header is no 'Name: value'",
                     "write it as -H 'Name: value'");
    }
    const std::string name(trimmed(text.substr(0, colon)));
    const std::string value(trimmed(text.substr(colon + 1)));
    TRY_DO(check_given_header(name, value));
    headers.emplace_back(name, value);
  }
  return {};
}

Status take_tls(MeterOptions& options, const ParsedOptions& parsed) {
  options.tls.ca_file = parsed.text("cacert").value_or("");
  if (!options.tls.ca_file.empty()) {
    // Also where no https is asked for: a mistyped path would go unseen.
    if (const auto bytes = file_bytes(options.tls.ca_file); !bytes) {
      return unexpected(Error(bytes.error()).in("--cacert"));
    }
  }
  if (!parsed.flag("insecure")) return {};
  if (!options.tls.ca_file.empty()) {
    return failure(ErrorKind::usage, "--cacert and --insecure exclude each other",
                   "with --cacert the server is checked; leave --insecure out");
  }
  options.tls.verification = TlsOptions::Verification::none;
  return {};
}

Status take_meters(MeterOptions& options, const ParsedOptions& parsed) {
  for (const auto& text : parsed.texts("sensor")) {
    TRY(auto spec, sensor_spec_in(text));
    options.sensors.push_back(std::move(spec));
  }
  TRY(options.configuration, configuration_for(parsed.text("config")));
  options.automatic_too = options.sensors.empty() && !options.configuration.sensors.empty();
  options.sensors = resolved(options.configuration, options.sensors);
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
  TRY(const auto interval, parsed.duration("power-interval"));
  if (interval) options.power_interval = *interval;
  if (options.power_interval < Seconds(0.02) || options.power_interval > Seconds(60)) {
    return failure(ErrorKind::usage, "--power-interval lies outside 20ms to 60s",
                   "give --power-interval 100ms");
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

Status take_output(OutputOptions& options, const ParsedOptions& parsed) {
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
  return failure(ErrorKind::usage,
                 fmt::format("--definitions {} is no tool known here{}", quoted(*text),
                             did_you_mean(*text, tools)),
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
  TRY_DO(take_load_options(options, parsed));
  TRY_DO(take_data_options(options, parsed));
  TRY_DO(take_meters(options, parsed));
  TRY_DO(take_output(options, parsed));
  return options;
}

std::vector<Url> engine_urls(const MeasureOptions& options) {
  std::vector<Url> urls = {options.url};
  urls.insert(urls.end(), options.further_urls.begin(), options.further_urls.end());
  return urls;
}

std::string configuration_file_json(const MeterOptions& options) {
  if (options.configuration.file.empty()) return "";
  const std::filesystem::path file = options.configuration.file;
  const nlohmann::ordered_json json = {{"name", file.filename().string()},
                                       {"sha256", options.configuration.sha256}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::string> unverified_servers(const MeterOptions& options,
                                            const std::vector<Url>& engines) {
  std::vector<std::string> servers;
  const auto add = [&](const Url& url) {
    if (url.scheme == "https") servers.push_back(url.text());
  };
  const bool none = options.tls.verification == TlsOptions::Verification::none;
  for (const Url& url : engines) {
    if (none) add(url);
  }
  for (const SensorSpec& sensor : options.sensors) {
    const auto url = sensor.settings.find("url");
    if (url == sensor.settings.end()) continue;
    const bool checked = sensor.settings.count("insecure") != 0
                             ? sensor.settings.at("insecure") != "yes"
                             : !none || sensor.settings.count("cacert") != 0 ||
                                   sensor.settings.count("fingerprint") != 0;
    const auto parsed = url_in(url->second);
    if (!checked && parsed) add(*parsed);
  }
  return servers;
}

std::string configuration_json(const MeasureOptions& options, const LoadPoint& point,
                               const RequestPool* pool, bool ignore_eos) {
  using Json = nlohmann::ordered_json;
  Json json = {{"command", "measure"}};
  json.update(Json::parse(load_configuration_json(options, point)));
  json.update(Json::parse(data_configuration_json(options, point, pool)));
  json["ignore_eos"] = ignore_eos;
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
  if (!options.further_urls.empty()) json["servers"] = options.further_urls.size() + 1;
  if (const auto servers = unverified_servers(options, engine_urls(options)); !servers.empty()) {
    json["tls_not_verified"] = servers;
  }
  if (const auto file = configuration_file_json(options); !file.empty()) {
    json["configuration_file"] = Json::parse(file);
  }
  if (options.boundary) json["boundary"] = name_of(*options.boundary);
  if (options.definitions) json["definitions"] = name_of(*options.definitions);
  if (!options.label.empty()) json["label"] = options.label;
  if (!options.metadata.empty()) json["metadata"] = Json(options.metadata);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tokenjoule
