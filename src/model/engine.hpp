#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace tokenjoule {

/// What a number on an engine's metrics page means, whatever the engine calls it.
enum class EngineMetric {
  output_tokens,           ///< tokens generated
  prompt_tokens,           ///< submitted prompt tokens, cache hits included
  prompt_tokens_computed,  ///< prompt tokens really computed
  prompt_tokens_cached,    ///< prompt tokens taken from a cache
  preemptions,
  requests_finished,
  requests_running,        ///< gauge
  requests_waiting,        ///< gauge
  cache_use,               ///< gauge, 0..1
  process_start,           ///< unix seconds: a change means a restart
  output_tokens_computed,  ///< tokens computed, also those thrown away: past the end, retracted
  draft_tokens,            ///< proposed by speculative decoding
  draft_tokens_accepted,   ///< of those, the ones that became output
  requests_aborted,
  engines,  ///< gauge: engines whose counters were added up; a change voids what lies across it
};
std::string_view name_of(EngineMetric metric);
std::optional<EngineMetric> engine_metric_named(std::string_view name);

/// When a counter moves: an at-finish counter charges a request's tokens to the moment of its end,
/// an at-arrival one to the moment when the engine took it in.
enum class CounterClock { per_step, at_finish, gauge, at_arrival };
std::string_view name_of(CounterClock clock);
std::optional<CounterClock> counter_clock_named(std::string_view name);

/// The meaning of one counter, written into the record so that analysis needs no engine.
struct EngineCounter {
  EngineMetric metric = EngineMetric::output_tokens;
  std::string family;  ///< as on the page: "vllm:generation_tokens_total"
  CounterClock clock = CounterClock::per_step;
  std::vector<std::string> summed_over;      ///< labels whose series were added up
  std::map<std::string, std::string> where;  ///< only series with these label values count
  std::optional<int> significant_digits;     ///< where the page rounds: 6 for llama.cpp
  /// Labels whose series repeat one count (ranks of one engine, processes): the highest is taken.
  std::vector<std::string> repeated_over;
};

/// A length that engines keep a histogram of, over the requests that they finished.
enum class RequestLength { prompt_tokens, output_tokens };
std::string_view name_of(RequestLength length);
std::optional<RequestLength> request_length_named(std::string_view name);

/// Where an engine's page tells of finished requests.
struct RequestFamilies {
  std::string finished;        ///< counter that is split by how they ended; "" if there is none
  std::string finished_label;  ///< the label that says it: "finished_reason"
  std::map<RequestLength, std::string> lengths;  ///< histograms, without "_bucket"
  std::vector<std::string> repeated_over;        ///< as EngineCounter::repeated_over
};

/// A histogram as it stands on the page: counts since the engine's start.
struct LengthHistogram {
  /// Upper bound of a bucket and how many values were at most so large, ascending, without +Inf.
  std::vector<std::pair<double, double>> buckets;
  double count = 0;
  double sum = 0;
};

/// A setting of the engine, as JSON text, and where it was learnt.
struct ConfigurationValue {
  std::string json;  ///< "256", "true", "\"fp8\""
  std::string from;  ///< reported, cmdline, stated
};

/// What is known of the engine that was driven.
struct EngineInfo {
  std::string kind;      ///< the dialect: docs/engines.md lists them
  std::string version;   ///< "" if it does not say
  std::string url;       ///< without user info
  std::string model;     ///< the name requests carry
  std::string endpoint;  ///< path requests go to: "/v1/completions"
  bool simulated = false;
  bool token_id_prompts = false;  ///< tried and accepted
  bool token_ids_listed = false;  ///< asked for with return_token_ids, and given, in a trial
  bool ignore_eos = false;        ///< the dialect takes it
  std::string metrics_url;        ///< "" where no counters are read
  std::string metrics_note;       ///< why there are none
  std::map<std::string, ConfigurationValue> configuration;
  std::vector<EngineCounter> counters;
  RequestFamilies requests;         ///< read only where no client of ours records its requests
  std::vector<std::string> limits;  ///< what it cannot do or tell, a sentence each
};

/// One read of the metrics page. A metric that the page lacks is absent from the map.
struct CounterScrape {
  TimeSpan read;
  std::map<EngineMetric, double> values;
  std::string note;                        ///< "edge" for those taken at a change of phase
  std::map<std::string, double> finished;  ///< requests by the engine's word for how they ended
  std::map<RequestLength, LengthHistogram> lengths;
};

}  // namespace tokenjoule
