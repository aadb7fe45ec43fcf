#include "published/plain_csv.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/csv_rows.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

using Row = PublishedResult;
using Number = std::optional<double>;

struct NumberColumn {
  std::string_view name;
  Number& (*of)(Row&);
};

constexpr NumberColumn kNumbers[] = {
    {"gpus", [](Row& r) -> Number& { return r.gpus; }},
    {"nodes", [](Row& r) -> Number& { return r.nodes; }},
    {"isl", [](Row& r) -> Number& { return r.nominal_input_len; }},
    {"osl", [](Row& r) -> Number& { return r.nominal_output_len; }},
    {"mean_isl", [](Row& r) -> Number& { return r.mean_input_len; }},
    {"mean_osl", [](Row& r) -> Number& { return r.mean_output_len; }},
    {"conc", [](Row& r) -> Number& { return r.concurrency; }},
    {"batch", [](Row& r) -> Number& { return r.batch_limit; }},
    {"completed", [](Row& r) -> Number& { return r.completed; }},
    {"tok_s", [](Row& r) -> Number& { return r.system.total; }},
    {"tok_s_in", [](Row& r) -> Number& { return r.system.input; }},
    {"tok_s_out", [](Row& r) -> Number& { return r.system.output; }},
    {"queries_s", [](Row& r) -> Number& { return r.requests_per_s; }},
    {"interactivity", [](Row& r) -> Number& { return r.interactivity.mean; }},
    {"ttft", [](Row& r) -> Number& { return r.ttft.mean; }},
    {"tpot", [](Row& r) -> Number& { return r.tpot.mean; }},
    {"e2e", [](Row& r) -> Number& { return r.e2e.mean; }},
    {"gpu_limit_w", [](Row& r) -> Number& { return r.stated_gpu_limit_w; }},
    {"measured_gpu_w", [](Row& r) -> Number& { return r.energy.all_gpus_mean_w; }},
    {"measured_wall_w", [](Row& r) -> Number& { return r.energy.wall_mean_w; }},
    {"measured_gpu_j_per_query", [](Row& r) -> Number& { return r.energy.j_per_query; }},
    {"measured_wall_j_per_query", [](Row& r) -> Number& { return r.energy.wall_j_per_query; }},
};

struct TextColumn {
  std::string_view name;
  PooledText& (*of)(Row&);
};

constexpr TextColumn kTexts[] = {
    {"model", [](Row& r) -> PooledText& { return r.model; }},
    {"gpu", [](Row& r) -> PooledText& { return r.hardware; }},
    {"framework", [](Row& r) -> PooledText& { return r.framework; }},
    {"precision", [](Row& r) -> PooledText& { return r.precision; }},
    {"spec", [](Row& r) -> PooledText& { return r.speculation; }},
    {"scenario", [](Row& r) -> PooledText& { return r.scenario; }},
    {"date", [](Row& r) -> PooledText& { return r.date; }},
    {"id", [](Row& r) -> PooledText& { return r.attribution.id; }},
    {"submitter", [](Row& r) -> PooledText& { return r.attribution.submitter; }},
    {"system", [](Row& r) -> PooledText& { return r.attribution.system; }},
    {"url", [](Row& r) -> PooledText& { return r.attribution.url; }},
};

constexpr std::string_view kRatesAndEnergies[] = {
    "tok_s", "tok_s_out", "queries_s", "measured_gpu_j_per_query", "measured_wall_j_per_query"};

bool has(const std::vector<std::string_view>& head, std::string_view name) {
  return std::find(head.begin(), head.end(), name) != head.end();
}

class Reader {
 public:
  Reader(const FileContent& content, PublishedSet& set)
      : content_(content), set_(set), rows_(content.bytes) {}

  void read() {
    const auto* const head = rows_.next();
    if (head == nullptr) return;
    names_.assign(head->begin(), head->end());
    while (const auto* const cells = rows_.next()) {
      const std::string fault = row_of(*cells);
      if (!fault.empty()) problem(next_row_, fmt::format("line {}: {}", rows_.line(), fault));
      ++next_row_;
    }
    if (rows_.fault()) problem(std::nullopt, rows_.fault()->message);
  }

 private:
  /// "" or what is wrong with the row.
  std::string row_of(const std::vector<std::string_view>& cells) {
    if (cells.size() != names_.size())
      return fmt::format("{} cells, the header has {}", cells.size(), names_.size());
    Row row;
    row.source = PublishedSource::csv;
    row.origin = {content_.file, next_row_};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].empty() || put(names_[i], cells[i], row)) continue;
      return fmt::format("{} is \"{}\": are the columns shifted?", names_[i], quoted(cells[i], 40));
    }
    if (!row.system.total && row.system.input && row.system.output)
      row.system.total = *row.system.input + *row.system.output;
    set_.rows.push_back(std::move(row));
    return "";
  }

  /// False where the cell does not fit.
  bool put(std::string_view name, std::string_view cell, Row& row) {
    for (const TextColumn& column : kTexts) {
      if (column.name != name) continue;
      column.of(row) = set_.keep(cell);
      return true;
    }
    for (const NumberColumn& column : kNumbers) {
      if (column.name != name) continue;
      const auto number = number_in(cell);
      if (!number || *number < 0) return false;
      column.of(row) = number;
      return true;
    }
    row.unknown.push_back({set_.keep(name), std::string(cell)});
    return true;
  }

  void problem(std::optional<std::uint32_t> row, std::string message) {
    set_.problems.push_back({content_.file, row, std::move(message)});
  }

  const FileContent& content_;
  PublishedSet& set_;
  CsvRows rows_;
  std::vector<std::string> names_;
  std::uint32_t next_row_ = 0;
};

}  // namespace

bool recognises_plain_csv(std::string_view bytes) {
  CsvRows rows(bytes.substr(0, 65536));
  const auto* const head = rows.next();
  if (head == nullptr || !has(*head, "model") || !has(*head, "gpu") || !has(*head, "gpus"))
    return false;
  return std::any_of(std::begin(kRatesAndEnergies), std::end(kRatesAndEnergies),
                     [&](std::string_view name) { return has(*head, name); });
}

void read_plain_csv(const FileContent& content, PublishedSet& into) {
  Reader(content, into).read();
}

}  // namespace tokenjoule
