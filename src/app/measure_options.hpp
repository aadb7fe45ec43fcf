#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "app/configuration.hpp"
#include "base/quantity.hpp"
#include "base/url.hpp"
#include "io/http_client.hpp"
#include "io/tls.hpp"
#include "load/data/length_mix.hpp"
#include "load/data/request_pool.hpp"
#include "load/data/sampling.hpp"
#include "load/length_spec.hpp"
#include "load/shapes/arrival_schedule.hpp"
#include "model/boundary.hpp"
#include "model/report.hpp"
#include "model/slo.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

enum class OutputFormat { table, markdown, json, csv };
enum class ProgressStyle { automatic, plain, none };

/// One operating point of the load.
struct LoadPoint {
  std::optional<double> rate = std::nullopt;  ///< requests a second: open loop
  std::int64_t concurrency = 1;  ///< streams; in an open loop the most requests in flight
  bool trace = false;            ///< open loop: requests come when the data set says

  bool is_open() const { return rate.has_value() || trace; }
  /// "c64", "r2.5", "trace": the name of its folder among several.
  std::string name() const;
};

/// What is read, and how: of every command that records.
struct MeterOptions {
  TlsOptions tls;  ///< for https, of engine and sensors
  Configuration configuration;
  std::vector<SensorSpec> sensors;
  bool automatic_too = false;  ///< beside those of the configuration, all that work
  std::vector<std::string> gpus;
  bool all_gpus = false;
  Seconds power_interval{0.1};
  std::optional<Watts> expect_power_limit;
  std::optional<Boundary> boundary;
  bool strict = false;
  bool check_only = false;
};

/// Where a record and its results go, and what is kept with it.
struct OutputOptions {
  std::optional<std::string> out;
  OutputFormat format = OutputFormat::table;
  std::optional<PeerTool> definitions;
  std::string label;
  std::vector<std::pair<std::string, std::string>> metadata;
  ProgressStyle progress = ProgressStyle::automatic;
};

/// All that `tokenjoule measure` can be told, with the defaults of docs/methods.md.
struct MeasureOptions : MeterOptions, OutputOptions {
  // The engine.
  Url url;
  std::vector<Url> further_urls;  ///< of data-parallel servers, loaded in turn with `url`
  std::string endpoint;           ///< "", "completions", "chat" or a path
  std::optional<std::string> model;
  std::optional<std::string> dialect;
  HttpHeaders headers;  ///< with the key; never recorded
  std::string server_metrics = "auto";
  std::vector<std::pair<std::string, std::string>> engine_config;  ///< stated by the user
  // The load.
  std::vector<LoadPoint> points = {{}};  ///< measured one after another; at least one
  ArrivalProcess arrival = ArrivalProcess::poisson;
  double burstiness = 1;  ///< gamma only
  Seconds ramp_up{0};
  Seconds duration{60};
  std::optional<std::int64_t> num_requests;
  Seconds warmup{10};
  std::optional<std::int64_t> warmup_requests;  ///< absent: see docs/methods.md
  Seconds cooldown{2};
  Seconds drain{30};
  bool concurrency_given = false;
  bool duration_given = false;
  bool rate_given = false;             ///< also as inf: a data set's times are not used then
  std::optional<DataSetKind> dataset;  ///< absent: made-up prompts
  std::string dataset_path;
  std::optional<Sampling> sampling;  ///< absent: permute for a data set, independent draws without
  double speed = 1;                  ///< of a trace's own times
  bool whole_trace = false;          ///< the window ends with the answer of its last request
  std::vector<LengthPair> mix;
  std::int64_t prefix_len = 0;
  std::vector<ModelShare> models;  ///< --lora
  ServiceLevel service_level;
  std::string preset;  ///< "" for none
  LengthSpec input_len = fixed_length(1024);
  LengthSpec output_len = fixed_length(128);
  std::optional<bool> ignore_eos;
  std::string extra_body;
  std::uint64_t seed = 1;
  std::optional<std::string> prompt_nonce;
  Seconds request_timeout{600};
  int load_threads = 1;
  Seconds idle{10};
  bool no_token_ids = false;  ///< the engine is not asked to list the ids of its tokens
};

/// All servers that are loaded.
std::vector<Url> engine_urls(const MeasureOptions& options);

/// Name and hash of the configuration file, as JSON; "" where there is none.
std::string configuration_file_json(const MeterOptions& options);

/// Where nobody checks who answers (https with --insecure): engines and exporters.
std::vector<std::string> unverified_servers(const MeterOptions& options,
                                            const std::vector<Url>& engines);

std::vector<OptionSpec> measure_option_specs();
Result<MeasureOptions> measure_options_from(const ParsedOptions& parsed);

// Parts of the command line that several commands have.
Status take_tls(MeterOptions& options, const ParsedOptions& parsed);
Status take_meters(MeterOptions& options, const ParsedOptions& parsed);
Status take_output(OutputOptions& options, const ParsedOptions& parsed);
/// Keys and headers: --api-key-file, --api-key, OPENAI_API_KEY, --header. No message shows them.
Status take_headers(HttpHeaders& headers, const ParsedOptions& parsed);
/// The same of --header alone: for pages that are not the engine's API.
Status take_header_lines(HttpHeaders& headers, const ParsedOptions& parsed);
/// Each "K=V" of an option that may be repeated.
Result<std::vector<std::pair<std::string, std::string>>> key_values_in(const ParsedOptions& parsed,
                                                                       const char* option);
/// Their rows in the help, likewise.
std::vector<OptionSpec> meter_option_specs();
std::vector<OptionSpec> output_option_specs();
std::vector<OptionSpec> access_option_specs();
OptionSpec dialect_option_spec();

/// The format of --format; a usage error with a suggestion for anything else.
Result<OutputFormat> output_format_in(const std::optional<std::string>& text);

/// The tool of --definitions, none if it was not given; a usage error for anything else.
Result<std::optional<PeerTool>> definitions_in(const std::optional<std::string>& text);
/// The options about the load, but for those of the next.
Status take_load_options(MeasureOptions& options, const ParsedOptions& parsed);
/// Data sets, mixes, service level and presets; after the others.
Status take_data_options(MeasureOptions& options, const ParsedOptions& parsed);

/// How many measured requests, and how many of the warm-up, a point sends; absent: as many as
/// there is time for.
std::optional<std::int64_t> num_requests_of(const MeasureOptions& options, const LoadPoint& point);
std::optional<std::int64_t> warmup_requests_of(const MeasureOptions& options,
                                               const LoadPoint& point);

/// What goes into the record of one point: the options as understood, without secrets.
/// @param pool the data set; null without one.
/// @param ignore_eos whether requests really carry it.
std::string configuration_json(const MeasureOptions& options, const LoadPoint& point,
                               const RequestPool* pool, bool ignore_eos);
/// The part of it about rates, times and lengths: a JSON object.
std::string load_configuration_json(const MeasureOptions& options, const LoadPoint& point);
/// The part of it about data sets, mixes, service level and presets: a JSON object.
std::string data_configuration_json(const MeasureOptions& options, const LoadPoint& point,
                                    const RequestPool* pool);

}  // namespace tokenjoule
