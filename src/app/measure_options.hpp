#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "base/quantity.hpp"
#include "base/url.hpp"
#include "io/http_client.hpp"
#include "load/length_spec.hpp"
#include "model/boundary.hpp"
#include "model/report.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

enum class OutputFormat { table, markdown, json, csv };
enum class ProgressStyle { automatic, plain, none };

/// All that `tokenjoule measure` can be told, with the defaults of docs/methods.md.
struct MeasureOptions {
  // The engine.
  Url url;
  std::string endpoint;  ///< "", "completions", "chat" or a path
  std::optional<std::string> model;
  std::optional<std::string> dialect;
  HttpHeaders headers;  ///< with the key; never recorded
  std::string server_metrics = "auto";
  std::vector<std::pair<std::string, std::string>> engine_config;  ///< stated by the user
  // The load.
  std::vector<std::int64_t> concurrency = {1};
  Seconds duration{60};
  std::optional<std::int64_t> num_requests;
  Seconds warmup{10};
  Seconds cooldown{2};
  Seconds drain{30};
  LengthSpec input_len = fixed_length(1024);
  LengthSpec output_len = fixed_length(128);
  std::optional<bool> ignore_eos;
  std::string extra_body;
  std::uint64_t seed = 1;
  std::optional<std::string> prompt_nonce;
  Seconds request_timeout{600};
  int load_threads = 1;
  // The meters.
  std::vector<SensorSpec> sensors;
  std::vector<std::string> gpus;
  bool all_gpus = false;
  Seconds power_interval{0.1};
  Seconds idle{10};
  std::optional<Watts> expect_power_limit;
  std::optional<Boundary> boundary;
  bool strict = false;
  bool check_only = false;
  // The output.
  std::optional<std::string> out;
  OutputFormat format = OutputFormat::table;
  std::optional<PeerTool> definitions;
  std::string label;
  std::vector<std::pair<std::string, std::string>> metadata;
  ProgressStyle progress = ProgressStyle::automatic;
};

std::vector<OptionSpec> measure_option_specs();
Result<MeasureOptions> measure_options_from(const ParsedOptions& parsed);

/// The format of --format; a usage error with a suggestion for anything else.
Result<OutputFormat> output_format_in(const std::optional<std::string>& text);

/// The tool of --definitions, none if it was not given; a usage error for anything else.
Result<std::optional<PeerTool>> definitions_in(const std::optional<std::string>& text);

/// What goes into the record of one point: the options as understood, without secrets.
/// @param ignore_eos whether requests really carry it.
std::string configuration_json(const MeasureOptions& options, std::int64_t concurrency,
                               bool ignore_eos);

}  // namespace tokenjoule
