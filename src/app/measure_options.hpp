#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
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

/// All that `tokenjoule measure` can be told, with the defaults of docs/methods.md.
struct MeasureOptions {
  // The engine.
  Url url;
  std::vector<Url> further_urls;  ///< of data-parallel servers, loaded in turn with `url`
  TlsOptions tls;                 ///< for https, of engine and sensors
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
  bool no_token_ids = false;  ///< the engine is not asked to list the ids of its tokens
  // The output.
  std::optional<std::string> out;
  OutputFormat format = OutputFormat::table;
  std::optional<PeerTool> definitions;
  std::string label;
  std::vector<std::pair<std::string, std::string>> metadata;
  ProgressStyle progress = ProgressStyle::automatic;
};

/// Where nobody checks who answers (https with --insecure): engines and exporters.
std::vector<std::string> unverified_servers(const MeasureOptions& options);

std::vector<OptionSpec> measure_option_specs();
Result<MeasureOptions> measure_options_from(const ParsedOptions& parsed);

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
