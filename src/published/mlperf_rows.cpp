#include "published/mlperf_rows.hpp"

#include <fmt/core.h>

#include "base/json_rows.hpp"
#include "base/text.hpp"
#include "published/gpu_catalogue.hpp"
#include "published/mlperf_limit.hpp"

namespace tokenjoule {

namespace {

using Number = std::optional<double>;

/// A row on its way in, with the members that mean something only together.
struct SummaryRow {
  PublishedResult row;
  PooledText model;      ///< "Model": the benchmark until v6.0, what ran in v6.1
  PooledText benchmark;  ///< "MlperfModel", since v6.1
  Number result;
  PooledText units;
  Number power;
  PooledText power_units;
  Number per_node;
  Number inferred;
  PooledText accuracy;
  PooledText notes;
};

struct NumberRule {
  std::string_view key;
  Number& (*of)(SummaryRow&);
};

constexpr NumberRule kNumbers[] = {
    {"Nodes", [](SummaryRow& r) -> Number& { return r.row.nodes; }},
    {"number_of_nodes", [](SummaryRow& r) -> Number& { return r.row.nodes; }},
    {"a#", [](SummaryRow& r) -> Number& { return r.per_node; }},
    {"accelerators_per_node", [](SummaryRow& r) -> Number& { return r.per_node; }},
    {"Total Accelerators", [](SummaryRow& r) -> Number& { return r.row.gpus; }},
    {"total_accelerators", [](SummaryRow& r) -> Number& { return r.row.gpus; }},
    {"Performance_Result", [](SummaryRow& r) -> Number& { return r.result; }},
    {"Result", [](SummaryRow& r) -> Number& { return r.result; }},
    {"Power_Result", [](SummaryRow& r) -> Number& { return r.power; }},
    {"design_power_watts", [](SummaryRow& r) -> Number& { return r.row.energy.nameplate_w; }},
    {"inferred", [](SummaryRow& r) -> Number& { return r.inferred; }},
};

struct TextRule {
  std::string_view key;
  PooledText& (*of)(SummaryRow&);
  bool also_unknown = false;  ///< only a part of the text is understood here
};

constexpr TextRule kTexts[] = {
    {"ID", [](SummaryRow& r) -> PooledText& { return r.row.attribution.id; }},
    {"PrivateID", [](SummaryRow& r) -> PooledText& { return r.row.attribution.id; }},
    {"Submitter", [](SummaryRow& r) -> PooledText& { return r.row.attribution.submitter; }},
    {"Organization", [](SummaryRow& r) -> PooledText& { return r.row.attribution.submitter; }},
    {"Availability", [](SummaryRow& r) -> PooledText& { return r.row.attribution.availability; }},
    {"Category", [](SummaryRow& r) -> PooledText& { return r.row.attribution.division; }},
    {"Division", [](SummaryRow& r) -> PooledText& { return r.row.attribution.division; }},
    {"Suite", [](SummaryRow& r) -> PooledText& { return r.row.attribution.suite; }},
    {"SystemType", [](SummaryRow& r) -> PooledText& { return r.row.attribution.suite; }},
    {"System", [](SummaryRow& r) -> PooledText& { return r.row.attribution.system; }},
    {"SystemName", [](SummaryRow& r) -> PooledText& { return r.row.attribution.system; }},
    {"Platform", [](SummaryRow& r) -> PooledText& { return r.row.attribution.platform; }},
    {"version", [](SummaryRow& r) -> PooledText& { return r.row.attribution.round; }},
    {"Details", [](SummaryRow& r) -> PooledText& { return r.row.attribution.url; }},
    {"Model", [](SummaryRow& r) -> PooledText& { return r.model; }},
    {"MlperfModel", [](SummaryRow& r) -> PooledText& { return r.benchmark; }},
    {"UsedModel", [](SummaryRow& r) -> PooledText& { return r.row.model_path; }},
    {"Scenario", [](SummaryRow& r) -> PooledText& { return r.row.scenario; }},
    {"Accelerator", [](SummaryRow& r) -> PooledText& { return r.row.hardware; }},
    {"accelerator_model_name", [](SummaryRow& r) -> PooledText& { return r.row.hardware; }},
    {"Software", [](SummaryRow& r) -> PooledText& { return r.row.framework; }},
    {"framework", [](SummaryRow& r) -> PooledText& { return r.row.framework; }},
    {"weight_data_types", [](SummaryRow& r) -> PooledText& { return r.row.precision; }},
    {"Performance_Units", [](SummaryRow& r) -> PooledText& { return r.units; }},
    {"Units", [](SummaryRow& r) -> PooledText& { return r.units; }},
    {"Power_Units", [](SummaryRow& r) -> PooledText& { return r.power_units; }},
    {"Accuracy", [](SummaryRow& r) -> PooledText& { return r.accuracy; }, true},
    {"Notes", [](SummaryRow& r) -> PooledText& { return r.notes; }, true},
    {"notes", [](SummaryRow& r) -> PooledText& { return r.notes; }, true},
};

/// Numbers are at times written as texts; "" is absent.
Number number_of(const JsonScalar& member) {
  if (member.type == JsonScalar::Type::number) return member.number;
  return member.type == JsonScalar::Type::string ? number_in(member.string) : std::nullopt;
}

bool put_text(const JsonScalar& member, PublishedSet& set, SummaryRow& row) {
  for (const TextRule& rule : kTexts) {
    if (rule.key != member.path) continue;
    if (member.type != JsonScalar::Type::string) return false;
    rule.of(row) = set.keep(trimmed(member.string));
    return !rule.also_unknown;
  }
  return false;
}

void put(const JsonScalar& member, PublishedSet& set, SummaryRow& row) {
  if (member.type == JsonScalar::Type::absent) return;
  for (const NumberRule& rule : kNumbers) {
    if (rule.key != member.path) continue;
    const auto number = number_of(member);
    if (!number) break;
    rule.of(row) = number;
    return;
  }
  if (!put_text(member, set, row))
    row.row.unknown.push_back({set.keep(member.path), std::string(member.text)});
}

/// "ROUGE1: 44.5  TOKENS_PER_SAMPLE: 283.0": tokens of an answer in the accuracy run. GEN_LEN,
/// which some benchmarks have in its place, counts characters, and all samples together.
Number tokens_per_sample(std::string_view accuracy) {
  constexpr std::string_view kKey = "TOKENS_PER_SAMPLE:";
  const std::size_t at = accuracy.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trimmed(accuracy.substr(at + kKey.size()));
  const auto tokens = number_in(rest.substr(0, rest.find(' ')));
  return tokens && *tokens > 0 ? tokens : std::nullopt;
}

/// "" or why the result cannot be used.
std::string take_result(SummaryRow& from) {
  PublishedResult& row = from.row;
  if (!from.result) return "it has no result";
  if (from.units == "Tokens/s") {
    row.system.output = from.result;
  } else if (from.units == "Samples/s" || from.units == "Queries/s") {
    row.requests_per_s = from.result;
  } else if (from.units == "Latency (ms)" || from.units == "Latency (s)") {
    // The metric is the 90th per cent of a single stream and the 99th of several.
    Number& latency = row.scenario == "SingleStream" ? row.e2e.p90 : row.e2e.p99;
    latency = from.units == "Latency (s)" ? *from.result : *from.result / 1000;
  } else {
    return fmt::format("its result is in \"{}\", which is not known", quoted(from.units, 40));
  }
  const double rate = row.system.output.value_or(row.requests_per_s.value_or(0));
  if (!(rate > 0)) row.mark(RowFlag::no_throughput);
  return "";
}

void take_power(SummaryRow& from) {
  if (!from.power || *from.power <= 0) return;
  if (from.power_units == "Watts") from.row.energy.wall_mean_w = from.power;
  if (from.power_units == "millijoules") from.row.energy.wall_j_per_query = *from.power / 1000;
}

void take_accelerators(SummaryRow& from, PublishedSet& set) {
  PublishedResult& row = from.row;
  if (!row.gpus && from.per_node) row.gpus = *from.per_node * row.nodes.value_or(1);
  if (row.gpus && *row.gpus <= 0) row.gpus.reset();
  if (row.nodes) row.multinode = *row.nodes > 1;
  const std::size_t first = row.hardware.find("(x");
  if (first != std::string_view::npos &&
      row.hardware.find("(x", first + 1) != std::string_view::npos)
    row.mark(RowFlag::mixed_accelerators);
  if (row.has(RowFlag::mixed_accelerators) || row.hardware.empty()) return;
  // The short name only where it means the same board: SKUs may differ in their limit.
  const CatalogueGpu* const known = GpuCatalogue::embedded().find(row.hardware);
  if (known != nullptr && GpuCatalogue::embedded().find(known->gpu) == known)
    row.gpu = set.keep(known->gpu);
}

/// The checker marks a row as inferred where its log names another scenario. Loadgen calls runs of
/// the scenario Interactive "Server": all 53 such rows of v6.0 are marked, though each was run.
void take_marker(SummaryRow& from, PublishedSet& set) {
  if (from.inferred.value_or(0) == 0) return;
  if (from.row.scenario == "Interactive") {
    from.row.unknown.push_back({set.keep("inferred"), "1"});
  } else {
    from.row.mark(RowFlag::inferred);
  }
}

/// "" or why the row cannot be used.
std::string settle(SummaryRow& from, PublishedSet& set) {
  PublishedResult& row = from.row;
  row.source = PublishedSource::mlperf;
  const bool since_61 = !from.benchmark.empty();
  row.model = since_61 ? from.benchmark : from.model;
  if (since_61) row.model_path = from.model;
  if (row.model.empty() || row.scenario.empty()) return "it names no benchmark or no scenario";
  take_marker(from, set);
  take_accelerators(from, set);
  row.mean_output_len = tokens_per_sample(from.accuracy);
  take_power(from);
  take_stated_limit(row, "notes", from.notes, set);
  take_stated_limit(row, "accelerator", row.hardware, set);
  return take_result(from);
}

void read_row(const JsonElement& element, const FileContent& content, JsonObjectReader& reader,
              PublishedSet& into) {
  SummaryRow row;
  row.row.origin = {content.file, static_cast<std::uint32_t>(element.index)};
  const auto walked =
      reader.walk(element.text, [&](const JsonScalar& member) { put(member, into, row); });
  const std::string fault = walked ? settle(row, into) : walked.error().message;
  if (fault.empty()) {
    into.rows.push_back(std::move(row.row));
  } else {
    into.problems.push_back({content.file, row.row.origin.row, fault});
  }
}

bool has_key(std::string_view head, std::string_view key) {
  return head.find(fmt::format("\"{}\"", key)) != std::string_view::npos;
}

}  // namespace

void take_stated_limit(PublishedResult& row, std::string_view where, std::string_view text,
                       PublishedSet& set) {
  const auto watts = gpu_limit_in(text);
  if (!watts) return;
  row.stated_gpu_limit_w = watts;
  row.stated_limit_words = set.keep(fmt::format("{}: {}", where, quoted(text, 200)));
}

bool is_mlperf_summary(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 64 * 1024);
  const std::string_view start = trimmed(head.substr(0, 4096));
  if (!starts_with(start, "{") && !starts_with(start, "[")) return false;
  const bool until_60 = has_key(head, "Performance_Result") && has_key(head, "Submitter");
  const bool since_61 = has_key(head, "MlperfModel") && has_key(head, "Organization");
  return until_60 || since_61;
}

void read_mlperf_summary(const FileContent& content, PublishedSet& into) {
  // Rows stand in an array, or as the members of one object; a row alone has scalars as members.
  const std::string_view text = trimmed(content.bytes);
  bool keyed = false;
  if (starts_with(text, "{")) {
    const auto first = JsonElements(text, JsonElements::Of::members).next();
    keyed = first && starts_with(first->text, "{");
  }
  JsonElements elements(text, keyed ? JsonElements::Of::members : JsonElements::Of::items);
  JsonObjectReader reader;
  while (const auto element = elements.next()) read_row(*element, content, reader, into);
  if (elements.fault())
    into.problems.push_back({content.file, std::nullopt, elements.fault()->message});
}

}  // namespace tokenjoule
