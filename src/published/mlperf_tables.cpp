#include <map>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "base/csv_rows.hpp"
#include "base/json_rows.hpp"
#include "base/json_view.hpp"
#include "base/text.hpp"
#include "published/mlperf_parts.hpp"
#include "published/mlperf_rows.hpp"

namespace tokenjoule {

namespace {

bool is_mlperf(const PublishedResult& row) { return row.source == PublishedSource::mlperf; }

/// Division, submitter, platform.
using SystemKey = std::tuple<std::string, std::string, std::string>;

struct System {
  SystemKey key;
  std::vector<std::pair<std::string, std::string>> notes;
};

constexpr std::string_view kNotes[] = {"hw_notes", "cooling", "power_management",
                                       "power_supply_details",
                                       "power_supply_quantity_and_rating_watts"};

std::string text_of(const JsonView& view) { return std::string(view.string().value_or("")); }

/// "closed/AMD/systems/x.json": the first two parts say more surely than the description who it is.
Result<System> system_in(std::string_view text, std::string_view file_name) {
  TRY(const auto document, JsonDocument::parse(text));
  const JsonView root = document.root();
  const JsonView wrapped = root["system"];
  const JsonView described = wrapped.present() ? wrapped : root;
  System system;
  const std::string path = text_of(root["path"]);
  const auto parts = split(path, '/');
  std::string_view stem = file_name.substr(file_name.find_last_of("/!") + 1);
  if (ends_with(stem, ".json")) stem.remove_suffix(5);
  auto& [division, submitter, platform] = system.key;
  division = parts.size() > 2 ? std::string(parts[0]) : text_of(described["division"]);
  submitter = parts.size() > 2 ? std::string(parts[1]) : text_of(described["submitter"]);
  platform = root["platform"].present() ? text_of(root["platform"]) : std::string(stem);
  for (const std::string_view name : kNotes) {
    std::string note = text_of(described[name]);
    if (!note.empty() && note != "N/A") system.notes.emplace_back(name, std::move(note));
  }
  return system;
}

void describe(PublishedResult& row, const System& system, PublishedSet& set) {
  for (const auto& [name, note] : system.notes) {
    // The row's own words come first: an accelerator's name may say a cap.
    if (name == "hw_notes" && !row.stated_gpu_limit_w) take_stated_limit(row, name, note, set);
    row.unknown.push_back({set.keep("system." + name), note});
  }
}

using RowsBySystem = std::map<SystemKey, std::vector<std::uint32_t>>;

RowsBySystem rows_by_system(const PublishedSet& set) {
  RowsBySystem rows;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) {
    const PublishedAttribution& by = set.rows[i].attribution;
    if (!is_mlperf(set.rows[i])) continue;
    rows[{std::string(by.division), std::string(by.submitter), std::string(by.platform)}].push_back(
        i);
  }
  return rows;
}

bool several_rounds(const PublishedSet& set) {
  std::set<std::string_view> rounds;
  for (const PublishedResult& row : set.rows) {
    if (is_mlperf(row)) rounds.insert(row.attribution.round);
  }
  return rounds.size() > 1;
}

/// A platform may stand in several rounds with other notes: then only what lies in the folder of
/// the summary, or below it, is about its rows.
bool belongs(const PublishedSet& set, const PublishedResult& row, const Sidecar& sidecar) {
  const std::string_view folder = folder_of(set.files[row.origin.file].name);
  return starts_with(folder_of(set.files[sidecar.file].name), folder);
}

void join_systems_of(const Sidecar& sidecar, const RowsBySystem& rows, bool by_folder,
                     PublishedSet& set) {
  JsonElements elements(sidecar.bytes);
  const std::string file_name = set.files[sidecar.file].name;
  while (const auto element = elements.next()) {
    const auto system = system_in(element->text, file_name);
    if (!system) {
      set.problems.push_back(
          {sidecar.file, static_cast<std::uint32_t>(element->index), system.error().message});
      continue;
    }
    const auto found = rows.find(system->key);
    if (found == rows.end()) continue;
    for (const std::uint32_t row : found->second) {
      if (!by_folder || belongs(set, set.rows[row], sidecar)) describe(set.rows[row], *system, set);
    }
  }
  if (elements.fault())
    set.problems.push_back({sidecar.file, std::nullopt, elements.fault()->message});
}

/// ID, platform, model, scenario.
using RowKey = std::tuple<std::string, std::string, std::string, std::string>;

struct TableColumn {
  std::string_view name;
  std::optional<double>& (*of)(LoadgenFigures&);
  double scale = 1;
};

constexpr double kNanosecond = 1e-9;

constexpr TableColumn kColumns[] = {
    {"tokens_per_s", [](LoadgenFigures& f) -> std::optional<double>& { return f.tokens_per_s; }},
    {"samples_per_s", [](LoadgenFigures& f) -> std::optional<double>& { return f.samples_per_s; }},
    {"target_qps", [](LoadgenFigures& f) -> std::optional<double>& { return f.target_qps; }},
    {"mean_latency_ns", [](LoadgenFigures& f) -> std::optional<double>& { return f.latency.mean; },
     kNanosecond},
    {"p99_latency_ns", [](LoadgenFigures& f) -> std::optional<double>& { return f.latency.p99; },
     kNanosecond},
    {"mean_ttft_ns", [](LoadgenFigures& f) -> std::optional<double>& { return f.ttft.mean; },
     kNanosecond},
    {"p99_ttft_ns", [](LoadgenFigures& f) -> std::optional<double>& { return f.ttft.p99; },
     kNanosecond},
    {"mean_tpot_ns", [](LoadgenFigures& f) -> std::optional<double>& { return f.tpot.mean; },
     kNanosecond},
    {"p99_tpot_ns", [](LoadgenFigures& f) -> std::optional<double>& { return f.tpot.p99; },
     kNanosecond},
};

constexpr std::string_view kKeyColumns[] = {"id", "platform", "model", "scenario"};

std::optional<std::size_t> place_of(const std::vector<std::string>& names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  return std::nullopt;
}

LoadgenFigures figures_in(const std::vector<std::string>& names,
                          const std::vector<std::string_view>& cells) {
  LoadgenFigures figures;
  for (const TableColumn& column : kColumns) {
    const auto at = place_of(names, column.name);
    const auto number = at ? number_in(cells[*at]) : std::nullopt;
    if (number) column.of(figures) = *number * column.scale;
  }
  return figures;
}

class LoadgenTable {
 public:
  LoadgenTable(const Sidecar& sidecar, PublishedSet& set)
      : sidecar_(sidecar), set_(set), rows_(sidecar.bytes) {}

  void join(const std::multimap<RowKey, std::uint32_t>& index) {
    const auto* const head = rows_.next();
    if (head == nullptr) return;
    names_.assign(head->begin(), head->end());
    for (std::uint32_t line = 0; const auto* const cells = rows_.next(); ++line) {
      const std::string fault = join_line(*cells, index);
      if (!fault.empty())
        set_.problems.push_back(
            {sidecar_.file, line, fmt::format("line {}: {}", rows_.line(), fault)});
    }
    if (rows_.fault())
      set_.problems.push_back({sidecar_.file, std::nullopt, rows_.fault()->message});
  }

 private:
  /// "" or what is wrong with the line.
  std::string join_line(const std::vector<std::string_view>& cells,
                        const std::multimap<RowKey, std::uint32_t>& index) {
    if (cells.size() != names_.size())
      return fmt::format("{} cells, the header has {}", cells.size(), names_.size());
    std::string key[4];
    for (std::size_t i = 0; i < 4; ++i) key[i] = cells[*place_of(names_, kKeyColumns[i])];
    const auto [first, last] = index.equal_range({key[0], key[1], key[2], key[3]});
    const LoadgenFigures figures = figures_in(names_, cells);
    for (auto at = first; at != last; ++at) {
      PublishedResult& row = set_.rows[at->second];
      if (!same_throughput(row, figures))
        return fmt::format("its throughput is not that of {} {} {}", key[0], key[2], key[3]);
      take_loadgen_figures(row, figures);
    }
    return "";
  }

  const Sidecar& sidecar_;
  PublishedSet& set_;
  CsvRows rows_;
  std::vector<std::string> names_;
};

}  // namespace

bool is_mlperf_systems(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 16 * 1024);
  return starts_with(trimmed(head.substr(0, 4096)), "{") &&
         head.find("\"accelerator_model_name\"") != std::string_view::npos &&
         head.find("\"hw_notes\"") != std::string_view::npos &&
         head.find("\"MlperfModel\"") == std::string_view::npos;
}

void join_mlperf_systems(PublishedSet& set) {
  const RowsBySystem rows = rows_by_system(set);
  const bool by_folder = several_rounds(set);
  for (const Sidecar& sidecar : set.sidecars) {
    if (sidecar.kind == kMlperfSystems) join_systems_of(sidecar, rows, by_folder, set);
  }
}

bool is_mlperf_loadgen_table(std::string_view bytes) {
  CsvRows rows(bytes.substr(0, 64 * 1024));
  const auto* const head = rows.next();
  if (head == nullptr) return false;
  const std::vector<std::string> names(head->begin(), head->end());
  for (const std::string_view name : kKeyColumns) {
    if (!place_of(names, name)) return false;
  }
  return place_of(names, "tokens_per_s") && place_of(names, "samples_per_s");
}

void join_mlperf_loadgen_table(PublishedSet& set) {
  std::multimap<RowKey, std::uint32_t> index;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) {
    const PublishedResult& row = set.rows[i];
    if (!is_mlperf(row)) continue;
    index.emplace(RowKey{row.attribution.id, row.attribution.platform, row.model, row.scenario}, i);
  }
  for (const Sidecar& sidecar : set.sidecars) {
    if (sidecar.kind == kMlperfLoadgenTable) LoadgenTable(sidecar, set).join(index);
  }
}

}  // namespace tokenjoule
