#include "published/mlenergy.hpp"

#include <fmt/core.h>

#include "base/json_rows.hpp"
#include "base/text.hpp"
#include "published/gpu_catalogue.hpp"

namespace tokenjoule {

namespace {

using Row = PublishedResult;
using Number = std::optional<double>;

constexpr std::string_view kIndex = "mlenergy_index";
constexpr std::string_view kRound3 = "v3";
constexpr std::string_view kRound2 = "v2";

struct NumberRule {
  std::string_view key;
  Number& (*of)(Row&);
  double scale = 1;
};

constexpr double kMillisecond = 1e-3;

constexpr NumberRule kNumbers[] = {
    {"num_gpus", [](Row& r) -> Number& { return r.gpus; }},
    {"max_num_seqs", [](Row& r) -> Number& { return r.batch_limit; }},
    {"avg_batch_size", [](Row& r) -> Number& { return r.mean_batch; }},
    {"tensor_parallel", [](Row& r) -> Number& { return r.whole.tensor; }},
    {"expert_parallel", [](Row& r) -> Number& { return r.whole.expert; }},
    {"parallelization.tensor_parallel", [](Row& r) -> Number& { return r.whole.tensor; }},
    {"parallelization.expert_parallel", [](Row& r) -> Number& { return r.whole.expert; }},
    {"avg_output_len", [](Row& r) -> Number& { return r.mean_output_len; }},
    {"output_throughput_tokens_per_sec", [](Row& r) -> Number& { return r.system.output; }},
    {"avg_power_watts", [](Row& r) -> Number& { return r.energy.all_gpus_mean_w; }},
    {"energy_per_token_joules", [](Row& r) -> Number& { return r.energy.j_per_output_token; }},
    {"energy_per_request_joules", [](Row& r) -> Number& { return r.energy.j_per_query; }},
    {"median_itl_ms", [](Row& r) -> Number& { return r.itl.median; }, kMillisecond},
    {"p90_itl_ms", [](Row& r) -> Number& { return r.itl.p90; }, kMillisecond},
    {"p99_itl_ms", [](Row& r) -> Number& { return r.itl.p99; }, kMillisecond},
    // v2
    {"TP", [](Row& r) -> Number& { return r.whole.tensor; }},
    {"PP", [](Row& r) -> Number& { return r.whole.pipeline; }},
    {"Max BS (reqs)", [](Row& r) -> Number& { return r.batch_limit; }},
    {"Avg BS (reqs)", [](Row& r) -> Number& { return r.mean_batch; }},
    {"Avg Output Tokens", [](Row& r) -> Number& { return r.mean_output_len; }},
    {"Token tput (tok/s)", [](Row& r) -> Number& { return r.system.output; }},
    {"Energy/req (J)", [](Row& r) -> Number& { return r.energy.j_per_query; }},
    {"Avg TPOT (s)", [](Row& r) -> Number& { return r.tpot.mean; }},
};

struct TextRule {
  std::string_view key;
  PooledText& (*of)(Row&);
};

constexpr TextRule kTexts[] = {
    {"model_id", [](Row& r) -> PooledText& { return r.model; }},
    {"gpu_model", [](Row& r) -> PooledText& { return r.hardware; }},
    {"weight_precision", [](Row& r) -> PooledText& { return r.precision; }},
    {"task", [](Row& r) -> PooledText& { return r.scenario; }},
    {"Model", [](Row& r) -> PooledText& { return r.model; }},
    {"GPU", [](Row& r) -> PooledText& { return r.hardware; }},
};

void put(const JsonScalar& member, PublishedSet& set, Row& row) {
  if (member.type == JsonScalar::Type::absent) return;
  for (const NumberRule& rule : kNumbers) {
    if (rule.key != member.path || member.type != JsonScalar::Type::number) continue;
    rule.of(row) = member.number * rule.scale;
    return;
  }
  for (const TextRule& rule : kTexts) {
    if (rule.key != member.path || member.type != JsonScalar::Type::string) continue;
    rule.of(row) = set.keep(member.string);
    return;
  }
  row.unknown.push_back({set.keep(member.path), std::string(member.text)});
}

void name_gpu(Row& row, PublishedSet& set) {
  const CatalogueGpu* const known = GpuCatalogue::embedded().find(row.hardware);
  if (known != nullptr) row.gpu = set.keep(known->gpu);
}

/// "" or why the row cannot be used.
std::string fault_of(const Row& row) {
  if (row.model.empty()) return "it names no model";
  const bool energy = row.energy.j_per_output_token && *row.energy.j_per_output_token > 0;
  return energy ? "" : "it has no energy per token";
}

/// "data/llm_text_generation/chat/H100 80GB HBM3/…/bs128+tp4+pp1.json": the task is the third part.
PooledText task_of_path(std::string_view path, PublishedSet& set) {
  constexpr std::string_view kFolder = "llm_text_generation/";
  const std::size_t at = path.find(kFolder);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = path.substr(at + kFolder.size());
  const std::size_t end = rest.find('/');
  return end == std::string_view::npos ? PooledText() : set.keep(rest.substr(0, end));
}

/// What v2 leaves to be worked out: GPUs and joules per token.
void settle_v2(Row& row, std::string_view file_name, PublishedSet& set) {
  row.attribution.round = set.keep(kRound2);
  std::string_view path = file_name;
  for (const UnknownMember& member : row.unknown) {
    if (member.key == "path") path = member.text;
  }
  row.scenario = task_of_path(path, set);
  if (row.whole.tensor) row.gpus = *row.whole.tensor * row.whole.pipeline.value_or(1);
  if (row.energy.j_per_query && row.mean_output_len && *row.mean_output_len > 0)
    row.energy.j_per_output_token = *row.energy.j_per_query / *row.mean_output_len;
}

class Reader {
 public:
  Reader(const FileContent& content, PublishedSet& set) : content_(content), set_(set) {}

  void read_v3() {
    // What holds for all rows stands beside them, before or after: model, task, precision.
    std::string common;
    std::string_view configurations;
    JsonElements members(content_.bytes, JsonElements::Of::members);
    while (const auto member = members.next()) {
      if (member->key == "configurations") configurations = member->text;
      if (starts_with(member->text, "\""))
        common += fmt::format("{}\"{}\":{}", common.empty() ? "" : ",", member->key, member->text);
    }
    take_common("{" + common + "}");
    if (common_architecture_ == "diffusion") {
      return problem(std::nullopt, fmt::format("{} generates no tokens: its rows are left out",
                                               quoted(common_.scenario)));
    }
    cut_off_ = members.fault().has_value();
    if (configurations.empty()) configurations = cut_off_rows();
    JsonElements rows(configurations);
    while (const auto element = rows.next()) v3_row(*element);
    fault_in(members.fault() ? members : rows);
  }

  void read_v2() {
    JsonElements runs(content_.bytes);
    while (const auto element = runs.next()) {
      Row row;
      if (!walk(*element, row)) continue;
      settle_v2(row, content_.name, set_);
      add(std::move(row));
    }
    fault_in(runs);
  }

 private:
  void take_common(const std::string& object) {
    const auto walked = objects_.walk(object, [&](const JsonScalar& member) {
      if (member.path == "architecture") common_architecture_ = std::string(member.string);
      if (member.path == "model_id" || member.path == "task" || member.path == "weight_precision")
        put(member, set_, common_);
    });
    if (!walked) problem(std::nullopt, walked.error().message);
  }

  /// Of a file that ends inside of its rows: from their bracket on.
  std::string_view cut_off_rows() const {
    const std::size_t key = content_.bytes.find("\"configurations\"");
    const std::size_t bracket = content_.bytes.find('[', key);
    return bracket == std::string_view::npos ? std::string_view() : content_.bytes.substr(bracket);
  }

  void v3_row(const JsonElement& element) {
    Row row;
    row.model = common_.model;
    row.precision = common_.precision;
    row.scenario = common_.scenario;
    row.attribution.round = set_.keep(kRound3);
    if (walk(element, row)) add(std::move(row));
  }

  bool walk(const JsonElement& element, Row& row) {
    row.source = PublishedSource::mlenergy;
    row.origin = {content_.file, static_cast<std::uint32_t>(element.index)};
    const auto walked =
        objects_.walk(element.text, [&](const JsonScalar& member) { put(member, set_, row); });
    if (!walked) problem(row.origin.row, walked.error().message);
    return walked.has_value();
  }

  void add(Row&& row) {
    name_gpu(row, set_);
    const std::string fault = fault_of(row);
    if (!fault.empty()) {
      // Of a file that is cut off, the end that is gone names the model: that it is cut is said.
      if (!cut_off_) problem(row.origin.row, fault);
      return;
    }
    if (row.system.output.value_or(0) <= 0) row.mark(RowFlag::no_throughput);
    set_.rows.push_back(std::move(row));
  }

  void fault_in(const JsonElements& elements) {
    if (elements.fault()) problem(std::nullopt, elements.fault()->message);
  }

  void problem(std::optional<std::uint32_t> row, std::string message) {
    set_.problems.push_back({content_.file, row, std::move(message)});
  }

  const FileContent& content_;
  PublishedSet& set_;
  JsonObjectReader objects_;
  Row common_;
  std::string common_architecture_;
  bool cut_off_ = false;
};

bool has_key(std::string_view head, std::string_view key) {
  return head.find(fmt::format("\"{}\"", key)) != std::string_view::npos;
}

bool is_v3(std::string_view head) {
  const bool tokens = has_key(head, "energy_per_token_joules");
  const bool pictures =
      has_key(head, "energy_per_image_joules") || has_key(head, "energy_per_video_joules");
  return has_key(head, "configurations") && has_key(head, "gpu_model") && (tokens || pictures);
}

bool is_v2(std::string_view head) {
  return has_key(head, "Energy/req (J)") && has_key(head, "Token tput (tok/s)");
}

bool is_index(std::string_view head) {
  return has_key(head, "architectures") && has_key(head, "last_updated") && has_key(head, "models");
}

}  // namespace

bool recognises_mlenergy(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 64 * 1024);
  if (!starts_with(trimmed(head.substr(0, 4096)), "{")) return false;
  return is_v3(head) || is_v2(head) || is_index(head);
}

void read_mlenergy(const FileContent& content, PublishedSet& into) {
  const std::string_view head = content.bytes.substr(0, 64 * 1024);
  if (is_v3(head)) return Reader(content, into).read_v3();
  if (is_v2(head)) return Reader(content, into).read_v2();
  into.sidecars.push_back({content.file, kIndex, std::string(content.bytes)});
}

void join_mlenergy(PublishedSet& set) {
  for (const Sidecar& sidecar : set.sidecars) {
    if (sidecar.kind != kIndex) continue;
    JsonObjectReader reader;
    PooledText day;
    const auto walked = reader.walk(sidecar.bytes, [&](const JsonScalar& member) {
      if (member.path == "last_updated") day = set.keep(member.string);
    });
    if (!walked) set.problems.push_back({sidecar.file, std::nullopt, walked.error().message});
    for (PublishedResult& row : set.rows) {
      const bool dated = row.source == PublishedSource::mlenergy && row.date.empty() &&
                         row.attribution.round == kRound3;
      if (dated) row.date = day;
    }
  }
}

}  // namespace tokenjoule
