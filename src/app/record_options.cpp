#include "app/record_options.hpp"

#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

Status take_window(RecordOptions& options, const ParsedOptions& parsed) {
  if (!parsed.positionals().empty()) {
    return failure(ErrorKind::usage,
                   fmt::format("\"{}\" is no option", quoted(parsed.positionals().front())),
                   "write a command behind --: tokenjoule record -- COMMAND …");
  }
  options.command = parsed.command();
  TRY(options.duration, parsed.duration("duration"));
  if (options.duration && !options.command.empty()) {
    return failure(ErrorKind::usage, "--duration and a command were both given",
                   "the window of a command is from its start to its end: leave --duration out");
  }
  if (options.duration && *options.duration < Seconds(1)) {
    return failure(ErrorKind::usage, "--duration is below one second",
                   "give 20s or more for a usable result");
  }
  TRY(const auto idle, parsed.duration("idle"));
  if (idle) options.idle = *idle;
  return {};
}

Status take_engine_pages(RecordOptions& options, const ParsedOptions& parsed) {
  for (const auto& text : comma_list(parsed.text("server-metrics").value_or(""))) {
    TRY(Url page, url_in(text));
    options.metrics.push_back(std::move(page));
  }
  options.dialect = parsed.text("dialect");
  TRY_DO(take_tls(options, parsed));
  TRY_DO(take_header_lines(options.headers, parsed));
  TRY(options.engine_config, key_values_in(parsed, "engine-config"));
  const bool about_engine = options.dialect || !options.headers.empty();
  if (!about_engine || !options.metrics.empty()) return {};
  return failure(ErrorKind::usage, "--dialect and --header are for the page of --server-metrics",
                 "give --server-metrics http://HOST:PORT/metrics, or leave them out");
}

/// The rows that a recording has of those of a measurement.
void add_rows(std::vector<OptionSpec>& specs, const std::vector<OptionSpec>& from,
              std::initializer_list<std::string_view> names) {
  for (const OptionSpec& row : from) {
    for (const std::string_view name : names) {
      if (starts_with(row.names, name)) specs.push_back(row);
    }
  }
}

}  // namespace

std::vector<OptionSpec> record_option_specs() {
  using K = OptionKind;
  std::vector<OptionSpec> specs = {
      {"--duration", "TIME", "record so long: 60, 90s, 5m (default: until Ctrl-C)", K::value, "",
       "Window"},
      {"--idle", "TIME",
       "record the machine this long before the window, while nothing runs (default: 0)", K::value,
       "", "Window"},
      {"--server-metrics", "URL[,URL…]",
       "metrics page of the engine that others load; several are added up", K::value, "", "Engine"},
      dialect_option_spec(),
      {"--engine-config", "K=V", "a setting of the engine that it does not report; repeatable",
       K::values, "", "Engine"}};
  add_rows(specs, access_option_specs(), {"--header", "--cacert", "--insecure"});
  const auto meters = meter_option_specs();
  specs.insert(specs.end(), meters.begin(), meters.end());
  add_rows(specs, output_option_specs(),
           {"--out", "--format", "--label", "--metadata", "--ui", "--quiet"});
  return specs;
}

Result<RecordOptions> record_options_from(const ParsedOptions& parsed) {
  RecordOptions options;
  TRY_DO(take_window(options, parsed));
  TRY_DO(take_engine_pages(options, parsed));
  TRY_DO(take_meters(options, parsed));
  TRY_DO(take_output(options, parsed));
  return options;
}

std::string record_configuration_json(const RecordOptions& options) {
  using Json = nlohmann::ordered_json;
  Json json = {{"command", "record"}};
  if (options.duration) json["duration_s"] = options.duration->value();
  if (!options.command.empty()) {
    const std::filesystem::path program = options.command.front();
    json["around"] = {{"program", program.filename().string()},
                      {"arguments", options.command.size() - 1}};
  }
  json["idle_s"] = options.idle.value();
  json["power_interval_s"] = options.power_interval.value();
  if (options.expect_power_limit) {
    json["expect_power_limit_w"] = options.expect_power_limit->value();
  }
  json["strict"] = options.strict;
  if (const auto servers = unverified_servers(options, options.metrics); !servers.empty()) {
    json["tls_not_verified"] = servers;
  }
  if (const auto file = configuration_file_json(options); !file.empty()) {
    json["configuration_file"] = Json::parse(file);
  }
  if (options.boundary) json["boundary"] = name_of(*options.boundary);
  if (!options.label.empty()) json["label"] = options.label;
  if (!options.metadata.empty()) json["metadata"] = Json(options.metadata);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tokenjoule
