#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tokenjoule {

/// Whose publication a row comes from.
enum class PublishedSource { inferencex, mlperf, mlenergy, tokenjoule, csv };
std::string_view name_of(PublishedSource source);

/// What kind of number an energy is. Kinds are never ranked together unless that is asked for.
enum class EnergyKind {
  measured_gpu,   ///< read from the GPU boards while they worked
  measured_wall,  ///< read at the wall, the whole system
  provisioned,    ///< watts that a planner sets aside for each GPU, host and network included
  ceiling,        ///< a power limit for all of the time: the GPUs cannot have drawn more
  modelled,       ///< derived by a model from other numbers
};
std::string_view name_of(EnergyKind kind);
std::optional<EnergyKind> energy_kind_named(std::string_view name);

/// Who says what a GPU may draw. The earlier ones win.
enum class LimitSource { option, submission, catalogue };
std::string_view name_of(LimitSource source);

/// What an importer knows about a row that its numbers do not show.
enum class RowFlag {
  agentic,             ///< an agent's trace: cached prompt tokens count as input; kept apart
  inferred,            ///< not run, but taken over from another row (MLPerf)
  mixed_accelerators,  ///< several kinds of accelerator in one row
  seconds_under_ms,    ///< headers say milliseconds, the values are seconds
  raw_result,          ///< one run of the load client, not processed
  other_client,        ///< made by another load client than the publication's own
  from_file_name,      ///< GPU, their number or the lengths stand in the file's name only
  power_log,           ///< its energy was integrated here, from the power log beside the result
  seeded_lengths,      ///< its real lengths follow from the seed that its load was drawn with
  simulated,           ///< of a simulated engine or GPU: a test, no measurement
  no_throughput,       ///< the publication gives none: all requests failed, or a placeholder
};
std::string_view name_of(RowFlag flag);

/// Text kept once in the TextPool of the PublishedSet that the row belongs to.
using PooledText = std::string_view;

/// Where a row stands: its file (index in PublishedSet::files) and its place there, from 0.
struct RowOrigin {
  std::uint32_t file = 0;
  std::uint32_t row = 0;
};

/// A latency (seconds) or a rate (tokens/s) over the requests of a row, as published.
struct PublishedStatistic {
  std::optional<double> mean;
  std::optional<double> median;
  std::optional<double> p90;
  std::optional<double> p99;
  std::optional<double> p999;
  std::optional<double> deviation;  ///< standard deviation
};

/// How the model was spread over GPUs, as published. A part of a disaggregated server, or the
/// whole of another.
struct PublishedLayout {
  std::optional<double> gpus;  ///< stated number of GPUs
  std::optional<double> tensor;
  std::optional<double> pipeline;
  std::optional<double> expert;
  std::optional<double> prefill_context;  ///< pcp: multiplies GPUs
  std::optional<double> decode_context;   ///< dcp: does not
  std::optional<double> workers;
  std::optional<bool> dp_attention;
  PooledText hardware;  ///< where the parts stand on different GPUs
};

/// Tokens a second, as published.
struct PublishedThroughput {
  std::optional<double> total;
  std::optional<double> input;
  std::optional<double> output;
};

/// Power and energy that the publication itself measured. All of it as published: what it is worth
/// is for the audit to say.
struct PublishedEnergy {
  std::optional<double> schema_version;  ///< of InferenceX's power metrics
  std::optional<bool> valid;             ///< its own verdict
  std::optional<double> gpu_mean_w;      ///< per GPU board
  std::optional<double> all_gpus_mean_w;
  std::optional<double> all_gpus_j;
  std::optional<double> wall_mean_w;  ///< the whole system, AC
  std::optional<double> wall_j_per_query;
  std::optional<double> j_per_query;
  std::optional<double> j_per_input_token;
  std::optional<double> j_per_output_token;
  std::optional<double> j_per_total_token;
  std::optional<double> prefill_j;
  std::optional<double> decode_j;
  std::optional<double> prefill_gpu_mean_w;
  std::optional<double> decode_gpu_mean_w;
  std::optional<double> prefill_j_per_input_token;
  std::optional<double> decode_j_per_output_token;
  std::optional<double> idle_gpus;    ///< GPUs of the node that the row's model did not use
  std::optional<double> idle_gpus_w;  ///< what those drew together, meanwhile
  std::optional<double> nameplate_w;  ///< rating of the power supplies (MLPerf design_power_watts)
};

/// Who publishes the row, so that it can be cited as its rules ask.
struct PublishedAttribution {
  PooledText round;  ///< "v6.0"
  PooledText id;     ///< "6.0-0021", or the number of a database row
  PooledText submitter;
  PooledText system;        ///< in the submitter's words
  PooledText platform;      ///< unique name of the system
  PooledText division;      ///< closed, open
  PooledText suite;         ///< datacenter, edge
  PooledText availability;  ///< available, preview, rdi
  PooledText url;           ///< of the run
};

/// A member that no field here holds, kept as it stood: JSON text, or the cell of a CSV.
struct UnknownMember {
  PooledText key;
  std::string text;
};

/// One row of somebody's published results, normalised in names and units (SI) but not in values:
/// absent is what was not published, never zero.
struct PublishedResult {
  PublishedSource source = PublishedSource::inferencex;
  RowOrigin origin;
  PublishedAttribution attribution;
  std::vector<RowFlag> flags;

  // What ran.
  PooledText model;       ///< as published: "dsr1", "llama2-70b-99"
  PooledText model_path;  ///< "deepseek-ai/DeepSeek-R1-0528", where given beside it
  PooledText hardware;    ///< as published: "b200-trt_03", "NVIDIA H200-NVL-141GB"
  PooledText gpu;         ///< catalogue name of the GPU, in lower case: "b200"
  PooledText framework;
  PooledText precision;
  PooledText speculation;  ///< "none", "mtp"
  PooledText scenario;  ///< MLPerf: "Offline"; ML.ENERGY: the task; InferenceX: "fixed", "agentic"
  PooledText image;
  PooledText date;  ///< as published, first ten characters a day where it is one

  // How it was spread.
  std::optional<bool> disaggregated;
  std::optional<bool> multinode;
  std::optional<double> nodes;
  std::optional<double> gpus;  ///< all GPUs that the throughput belongs to; by the importer's rules
  PublishedLayout whole;       ///< of a server that is not disaggregated
  PublishedLayout prefill;
  PublishedLayout decode;

  // How it was loaded.
  std::optional<double> concurrency;  ///< requests in flight at most
  std::optional<double> batch_limit;  ///< sequences that the engine runs at most
  std::optional<double> mean_batch;   ///< sequences that it ran in the mean
  std::optional<double> request_rate;
  std::optional<double> nominal_input_len;   ///< isl: tokens asked for
  std::optional<double> nominal_output_len;  ///< osl
  std::optional<double> mean_input_len;      ///< tokens really used, mean over requests
  std::optional<double> mean_output_len;
  std::optional<double> prompts;    ///< requests planned
  std::optional<double> completed;  ///< requests that succeeded
  std::optional<double> input_tokens;
  std::optional<double> output_tokens;
  std::optional<double> duration_s;
  std::optional<double> start_unix_s;
  std::optional<double> end_unix_s;

  // What came out.
  PublishedThroughput per_gpu;  ///< as published; input and output by role where disaggregated
  PublishedThroughput system;   ///< of all GPUs together
  std::optional<double> requests_per_s;
  PublishedStatistic ttft;
  PublishedStatistic tpot;
  PublishedStatistic itl;
  PublishedStatistic e2e;
  PublishedStatistic interactivity;  ///< tokens/s of one user
  PublishedEnergy energy;
  std::optional<double> stated_gpu_limit_w;  ///< the submission's own power limit, per GPU
  PooledText stated_limit_words;             ///< where and how it says so

  std::vector<UnknownMember> unknown;

  bool has(RowFlag flag) const;
  void mark(RowFlag flag);
};

}  // namespace tokenjoule
