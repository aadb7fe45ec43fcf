#include <vector>

#include "base/quick_hash.hpp"
#include "base/text.hpp"
#include "published/inferencex_row.hpp"

namespace tokenjoule {

namespace {

using Row = PublishedResult;
using Number = std::optional<double>;

struct NumberRule {
  std::string_view key;
  Number& (*of)(Row&);
};

struct TextRule {
  std::string_view key;
  PooledText& (*of)(Row&);
};

struct TruthRule {
  std::string_view key;
  std::optional<bool>& (*of)(Row&);
};

constexpr NumberRule kNumbers[] = {
    {"conc", [](Row& r) -> Number& { return r.concurrency; }},
    {"max_concurrency", [](Row& r) -> Number& { return r.concurrency; }},
    {"isl", [](Row& r) -> Number& { return r.nominal_input_len; }},
    {"osl", [](Row& r) -> Number& { return r.nominal_output_len; }},
    {"tp", [](Row& r) -> Number& { return r.whole.tensor; }},
    {"pp", [](Row& r) -> Number& { return r.whole.pipeline; }},
    {"ep", [](Row& r) -> Number& { return r.whole.expert; }},
    {"pcp_size", [](Row& r) -> Number& { return r.whole.prefill_context; }},
    {"dcp_size", [](Row& r) -> Number& { return r.whole.decode_context; }},
    {"prefill_tp", [](Row& r) -> Number& { return r.prefill.tensor; }},
    {"prefill_pp", [](Row& r) -> Number& { return r.prefill.pipeline; }},
    {"prefill_ep", [](Row& r) -> Number& { return r.prefill.expert; }},
    {"prefill_pcp_size", [](Row& r) -> Number& { return r.prefill.prefill_context; }},
    {"prefill_dcp_size", [](Row& r) -> Number& { return r.prefill.decode_context; }},
    {"prefill_num_workers", [](Row& r) -> Number& { return r.prefill.workers; }},
    {"num_prefill_gpu", [](Row& r) -> Number& { return r.prefill.gpus; }},
    {"decode_tp", [](Row& r) -> Number& { return r.decode.tensor; }},
    {"decode_pp", [](Row& r) -> Number& { return r.decode.pipeline; }},
    {"decode_ep", [](Row& r) -> Number& { return r.decode.expert; }},
    {"decode_pcp_size", [](Row& r) -> Number& { return r.decode.prefill_context; }},
    {"decode_dcp_size", [](Row& r) -> Number& { return r.decode.decode_context; }},
    {"decode_num_workers", [](Row& r) -> Number& { return r.decode.workers; }},
    {"num_decode_gpu", [](Row& r) -> Number& { return r.decode.gpus; }},
    {"tput_per_gpu", [](Row& r) -> Number& { return r.per_gpu.total; }},
    {"input_tput_per_gpu", [](Row& r) -> Number& { return r.per_gpu.input; }},
    {"output_tput_per_gpu", [](Row& r) -> Number& { return r.per_gpu.output; }},
    {"num_prompts", [](Row& r) -> Number& { return r.prompts; }},
    {"completed", [](Row& r) -> Number& { return r.completed; }},
    {"duration", [](Row& r) -> Number& { return r.duration_s; }},
    {"benchmark_start_time_unix", [](Row& r) -> Number& { return r.start_unix_s; }},
    {"benchmark_end_time_unix", [](Row& r) -> Number& { return r.end_unix_s; }},
    {"total_input_tokens", [](Row& r) -> Number& { return r.input_tokens; }},
    {"total_output_tokens", [](Row& r) -> Number& { return r.output_tokens; }},
    {"request_throughput", [](Row& r) -> Number& { return r.requests_per_s; }},
    {"total_token_throughput", [](Row& r) -> Number& { return r.system.total; }},
    {"input_throughput", [](Row& r) -> Number& { return r.system.input; }},
    {"output_throughput", [](Row& r) -> Number& { return r.system.output; }},
    {"avg_power_w", [](Row& r) -> Number& { return r.energy.gpu_mean_w; }},
    {"avg_total_gpu_power_w", [](Row& r) -> Number& { return r.energy.all_gpus_mean_w; }},
    {"total_gpu_energy_j", [](Row& r) -> Number& { return r.energy.all_gpus_j; }},
    {"joules_per_successful_query", [](Row& r) -> Number& { return r.energy.j_per_query; }},
    {"joules_per_input_token", [](Row& r) -> Number& { return r.energy.j_per_input_token; }},
    {"joules_per_output_token", [](Row& r) -> Number& { return r.energy.j_per_output_token; }},
    {"joules_per_total_token", [](Row& r) -> Number& { return r.energy.j_per_total_token; }},
    {"prefill_gpu_energy_j", [](Row& r) -> Number& { return r.energy.prefill_j; }},
    {"decode_gpu_energy_j", [](Row& r) -> Number& { return r.energy.decode_j; }},
    {"prefill_avg_power_w", [](Row& r) -> Number& { return r.energy.prefill_gpu_mean_w; }},
    {"decode_avg_power_w", [](Row& r) -> Number& { return r.energy.decode_gpu_mean_w; }},
    {"prefill_joules_per_input_token",
     [](Row& r) -> Number& { return r.energy.prefill_j_per_input_token; }},
    {"decode_joules_per_output_token",
     [](Row& r) -> Number& { return r.energy.decode_j_per_output_token; }},
    {"power_metric_schema_version", [](Row& r) -> Number& { return r.energy.schema_version; }},
    // Agents' traces, nested form (utils/agentic/aggregation/process_agentic_result.py).
    {"request_metrics.throughput.input.tokens_per_second",
     [](Row& r) -> Number& { return r.system.input; }},
    {"request_metrics.throughput.output.tokens_per_second",
     [](Row& r) -> Number& { return r.system.output; }},
    {"request_metrics.throughput.total.tokens_per_second",
     [](Row& r) -> Number& { return r.system.total; }},
    {"request_metrics.throughput.per_gpu.total_tput_tps",
     [](Row& r) -> Number& { return r.per_gpu.total; }},
    {"request_metrics.throughput.per_gpu.input_tput_tps",
     [](Row& r) -> Number& { return r.per_gpu.input; }},
    {"request_metrics.throughput.per_gpu.output_tput_tps",
     [](Row& r) -> Number& { return r.per_gpu.output; }},
    {"request_metrics.throughput.duration_seconds", [](Row& r) -> Number& { return r.duration_s; }},
    {"num_requests_successful", [](Row& r) -> Number& { return r.completed; }},
    // Another harness in InferenceX's tree (together_runner): its own names, inside objects.
    {"successful_requests", [](Row& r) -> Number& { return r.completed; }},
    {"output_token_throughput", [](Row& r) -> Number& { return r.system.output; }},
    {"n_gpus", [](Row& r) -> Number& { return r.gpus; }},
    {"mean_power_per_gpu_w", [](Row& r) -> Number& { return r.energy.gpu_mean_w; }},
    {"total_avg_power_w", [](Row& r) -> Number& { return r.energy.all_gpus_mean_w; }},
};

constexpr TextRule kTexts[] = {
    {"hw", [](Row& r) -> PooledText& { return r.hardware; }},
    {"hardware", [](Row& r) -> PooledText& { return r.hardware; }},
    {"model", [](Row& r) -> PooledText& { return r.model_path; }},
    {"model_id", [](Row& r) -> PooledText& { return r.model_path; }},
    {"infmax_model_prefix", [](Row& r) -> PooledText& { return r.model; }},
    {"framework", [](Row& r) -> PooledText& { return r.framework; }},
    {"backend", [](Row& r) -> PooledText& { return r.framework; }},
    {"precision", [](Row& r) -> PooledText& { return r.precision; }},
    {"spec_decoding", [](Row& r) -> PooledText& { return r.speculation; }},
    {"spec_method", [](Row& r) -> PooledText& { return r.speculation; }},
    {"mtp", [](Row& r) -> PooledText& { return r.speculation; }},
    {"image", [](Row& r) -> PooledText& { return r.image; }},
    {"date", [](Row& r) -> PooledText& { return r.date; }},
    {"ts", [](Row& r) -> PooledText& { return r.date; }},
    {"run_url", [](Row& r) -> PooledText& { return r.attribution.url; }},
    {"id", [](Row& r) -> PooledText& { return r.attribution.id; }},
    {"prefill_hw", [](Row& r) -> PooledText& { return r.prefill.hardware; }},
    {"decode_hw", [](Row& r) -> PooledText& { return r.decode.hardware; }},
};

constexpr TruthRule kTruths[] = {
    {"disagg", [](Row& r) -> std::optional<bool>& { return r.disaggregated; }},
    {"is_multinode", [](Row& r) -> std::optional<bool>& { return r.multinode; }},
    {"dp_attention", [](Row& r) -> std::optional<bool>& { return r.whole.dp_attention; }},
    {"prefill_dp_attention", [](Row& r) -> std::optional<bool>& { return r.prefill.dp_attention; }},
    {"decode_dp_attention", [](Row& r) -> std::optional<bool>& { return r.decode.dp_attention; }},
    {"power_valid", [](Row& r) -> std::optional<bool>& { return r.energy.valid; }},
};

struct Quantity {
  std::string_view key;
  PublishedStatistic& (*of)(Row&);
};

constexpr Quantity kQuantities[] = {
    {"ttft", [](Row& r) -> PublishedStatistic& { return r.ttft; }},
    {"tpot", [](Row& r) -> PublishedStatistic& { return r.tpot; }},
    {"itl", [](Row& r) -> PublishedStatistic& { return r.itl; }},
    {"e2el", [](Row& r) -> PublishedStatistic& { return r.e2e; }},
    {"intvty", [](Row& r) -> PublishedStatistic& { return r.interactivity; }},
};

struct Statistic {
  std::string_view key;
  Number PublishedStatistic::*of;
};

constexpr Statistic kStatistics[] = {
    {"mean", &PublishedStatistic::mean},     {"median", &PublishedStatistic::median},
    {"p50", &PublishedStatistic::median},    {"p90", &PublishedStatistic::p90},
    {"p99", &PublishedStatistic::p99},       {"p99.9", &PublishedStatistic::p999},
    {"std", &PublishedStatistic::deviation},
};

/// Where a key goes: a number (perhaps of milliseconds), a text or a truth value.
struct Place {
  Number& (*number)(Row&) = nullptr;
  PooledText& (*text)(Row&) = nullptr;
  std::optional<bool>& (*truth)(Row&) = nullptr;
  PublishedStatistic& (*quantity)(Row&) = nullptr;
  Number PublishedStatistic::*statistic = nullptr;
  bool milliseconds = false;
};

/// Where keys go. Every member of every record is looked up here: a table as flat as it can be.
class Places {
 public:
  void put(const std::string& key, const Place& place) {
    Slot& slot = slots_[slot_of(key)];
    slot.key = key;
    slot.place = place;
  }

  /// nullptr: no field has that key.
  const Place* find(std::string_view key) const {
    const Slot& slot = slots_[slot_of(key)];
    return slot.key.empty() ? nullptr : &slot.place;
  }

 private:
  struct Slot {
    std::string key;
    Place place;
  };

  /// Where the key stands, or would: several times as many slots as keys, so it is found at once.
  std::size_t slot_of(std::string_view key) const {
    std::size_t at = quick_hash(key) % kSlots;
    while (!slots_[at].key.empty() && slots_[at].key != key) at = (at + 1) % kSlots;
    return at;
  }

  static constexpr std::size_t kSlots = 1024;
  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

constexpr std::string_view kNested = "request_metrics.";
constexpr std::string_view kNestedLatency = "request_metrics.latency.";

void add_statistics(Places& places) {
  for (const Quantity& quantity : kQuantities) {
    for (const Statistic& statistic : kStatistics) {
      const std::string key = std::string(statistic.key) + '_' + std::string(quantity.key);
      places.put(key, {.quantity = quantity.of, .statistic = statistic.of});
      places.put(key + "_ms",
                 {.quantity = quantity.of, .statistic = statistic.of, .milliseconds = true});
      places.put(std::string(kNestedLatency) + std::string(quantity.key) + '.' +
                     std::string(statistic.key),
                 {.quantity = quantity.of, .statistic = statistic.of});
    }
  }
}

Places all_places() {
  Places places;
  for (const auto& rule : kNumbers) places.put(std::string(rule.key), {.number = rule.of});
  for (const auto& rule : kTexts) places.put(std::string(rule.key), {.text = rule.of});
  for (const auto& rule : kTruths) places.put(std::string(rule.key), {.truth = rule.of});
  add_statistics(places);
  return places;
}

/// Numbers and truth values are at times written as texts.
std::optional<double> number_of(const JsonScalar& member) {
  if (member.type == JsonScalar::Type::number) return member.number;
  return member.type == JsonScalar::Type::string ? number_in(member.string) : std::nullopt;
}

std::optional<bool> truth_of(const JsonScalar& member) {
  if (member.type == JsonScalar::Type::boolean) return member.boolean;
  if (member.type == JsonScalar::Type::number) return member.number != 0;
  if (member.type != JsonScalar::Type::string) return std::nullopt;
  const std::string word = lower_case(member.string);
  if (word == "true" || word == "on" || word == "1") return true;
  if (word == "false" || word == "off" || word == "0") return false;
  return std::nullopt;
}

void keep_unknown(const JsonScalar& member, PublishedSet& set, Row& row) {
  row.unknown.push_back({set.keep(member.path), std::string(member.text)});
}

/// False where the value does not fit the field: then it is kept as unknown.
bool put(const Place& place, const JsonScalar& member, PublishedSet& set, Row& row) {
  if (place.text != nullptr) {
    const bool scalar =
        member.type == JsonScalar::Type::string || member.type == JsonScalar::Type::number;
    if (!scalar) return false;
    place.text(row) =
        set.keep(member.type == JsonScalar::Type::string ? member.string : member.text);
    return true;
  }
  if (place.truth != nullptr) {
    place.truth(row) = truth_of(member);
    return place.truth(row).has_value();
  }
  const auto number = number_of(member);
  if (!number) return false;
  Number& into =
      place.quantity != nullptr ? place.quantity(row).*place.statistic : place.number(row);
  into = place.milliseconds ? *number / 1000 : *number;
  return true;
}

}  // namespace

void put_inferencex_member(const JsonScalar& member, PublishedSet& set, InferencexRow& row) {
  static const Places places = all_places();
  std::string_view path = member.path;
  const bool inside = path.size() != member.key.size();  // of an object in the record
  if (inside && path.starts_with("metrics.")) {
    row.has_metrics = true;
    path.remove_prefix(std::string_view("metrics.").size());
  } else if (inside && path.starts_with("gpu.")) {
    path.remove_prefix(std::string_view("gpu.").size());
  }
  const bool accounting = inside && path.starts_with("request_accounting.");
  if (member.key == "scenario_type" || accounting || member.key == "num_requests_successful")
    row.agentic = row.agentic || member.key != "scenario_type" ||
                  lower_case(member.string).find("agentic") != std::string::npos;
  if (member.key == "prefill_tp") row.has_role_keys = true;
  if (member.type == JsonScalar::Type::absent) return;
  // Deeper members share names with fields of the row but are about something else.
  const bool own = path.size() == member.key.size();
  const Place* const place = own || path.starts_with(kNested) ? places.find(path) : nullptr;
  if (place == nullptr || !put(*place, member, set, row.result))
    keep_unknown(member, set, row.result);
}

}  // namespace tokenjoule
