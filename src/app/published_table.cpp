#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "app/exit_code.hpp"
#include "app/footing_options.hpp"
#include "app/output.hpp"
#include "app/published_command.hpp"
#include "app/version.hpp"
#include "base/text.hpp"
#include "published/audit_rules.hpp"
#include "published/published_table.hpp"
#include "published/real_lengths.hpp"
#include "published/selection.hpp"

namespace tokenjoule {

namespace {

/// All that the options ask for, checked before any file is read.
struct TableChoice : FootingChoice {
  std::vector<Comparator> comparators;
  std::vector<Condition> about_rows;
  std::vector<Condition> about_lines;  ///< about energy or flags, which a row alone has not
  std::vector<SortKey> sort;
  std::vector<Column> columns;
  const PublishedFormat* format = nullptr;
  bool own_columns = false;  ///< named by --columns: nothing is added to them
  bool with_agentic = false;
  bool frontier = false;
  Ranking ranking = Ranking::by_kind;
  std::optional<std::int64_t> rows;
};

Status take_selection(const ParsedOptions& parsed, TableChoice& choice) {
  for (const auto& text : parsed.texts("where")) {
    TRY(auto conditions, conditions_in(text, choice.comparators));
    for (Condition& condition : conditions) {
      choice.with_agentic = choice.with_agentic || condition.column.name == "scenario";
      const bool of_line = condition.column.about_energy || condition.column.name == "flags";
      (of_line ? choice.about_lines : choice.about_rows).push_back(std::move(condition));
    }
  }
  TRY(choice.sort,
      sort_keys_in(parsed.text("sort").value_or("wh_query,j_output"), choice.comparators));
  choice.frontier = parsed.flag("pareto");
  if (parsed.flag("mixed")) choice.ranking = Ranking::together;
  TRY(choice.rows, parsed.integer("rows", 1, 1'000'000'000));
  return {};
}

Status take_columns(const ParsedOptions& parsed, TableChoice& choice) {
  std::vector<std::string> names;
  for (const auto& text : parsed.texts("columns")) {
    for (auto& name : comma_list(text)) names.push_back(std::move(name));
  }
  choice.own_columns = !names.empty();
  if (names.empty()) {
    names = default_columns();
    if (choice.ranking == Ranking::together) names.insert(names.begin(), "kind");
  }
  // What was asked for by --compare-to is shown whatever the columns.
  for (const Comparator& comparator : choice.comparators) {
    const std::string name = column_of(comparator).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const auto& name : names) {
    TRY(auto column, column_named(name, choice.comparators));
    choice.columns.push_back(std::move(column));
  }
  const std::string format = parsed.text("format").value_or("table");
  choice.format = published_format_named(format);
  if (choice.format != nullptr) return {};
  return failure(ErrorKind::usage, fmt::format("--format {} is none", quoted(format)),
                 "give table, markdown, csv or json");
}

Status take_all(const ParsedOptions& parsed, TableChoice& choice) {
  for (const auto& text : parsed.texts("compare-to")) {
    for (const auto& item : comma_list(text)) {
      TRY(auto comparator, comparator_in(item));
      choice.comparators.push_back(std::move(comparator));
    }
  }
  TRY_DO(take_footing_options(parsed, choice));
  TRY_DO(take_selection(parsed, choice));
  TRY_DO(take_columns(parsed, choice));
  return {};
}

bool all_hold(const std::vector<Condition>& conditions, const TableLine& line) {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& condition) { return condition.holds(line); });
}

std::vector<std::uint32_t> chosen_rows(const PublishedSet& set, const TableChoice& choice) {
  std::vector<std::uint32_t> chosen;
  std::size_t agentic = 0;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) {
    const TableLine line{&set.rows[i], nullptr};
    if (!all_hold(choice.about_rows, line)) continue;
    if (line.row->has(RowFlag::agentic) && !choice.with_agentic) {
      ++agentic;
      continue;
    }
    chosen.push_back(i);
  }
  if (agentic > 0)
    put_error(
        fmt::format("tokenjoule: {} agentic rows are kept apart: --where scenario=agentic "
                    "shows them\n",
                    agentic));
  return chosen;
}

/// At most so many lines of each kind.
void keep_first(std::vector<TableLine>& lines, std::int64_t count) {
  std::map<EnergyKind, std::int64_t> seen;
  lines.erase(
      std::remove_if(lines.begin(), lines.end(),
                     [&](const TableLine& line) { return ++seen[line.figure->kind] > count; }),
      lines.end());
}

/// Rows that the audit calls errors stay in the table, marked and behind the others.
void tell_errors(const std::vector<TableLine>& lines, bool frontier) {
  const auto count = std::count_if(lines.begin(), lines.end(),
                                   [](const TableLine& line) { return line.has_error(); });
  if (count == 0) return;
  put_error(
      fmt::format("tokenjoule: {} lines are of rows that the audit calls errors (column flags; "
                  "tokenjoule published audit says why): {}\n",
                  count, frontier ? "left out of the frontier" : "ranked behind the others"));
}

std::vector<TableLine> lines_of(PublishedSet& set, const Footing& footing,
                                const std::vector<PooledText>& errors, const TableChoice& choice) {
  std::vector<TableLine> lines;
  for (const PublishedFigure& figure : footing.figures) {
    const TableLine line = line_of(set, figure, errors[figure.row]);
    if (all_hold(choice.about_lines, line)) lines.push_back(line);
  }
  tell_errors(lines, choice.frontier);
  if (choice.frontier) lines = frontier_of(lines);
  sort_lines(lines, choice.sort, choice.ranking);
  if (choice.rows) keep_first(lines, *choice.rows);
  return lines;
}

/// Columns that the lines ask for: what tells rows of their sources apart, and marks. Of marks none
/// is left out, whatever columns are asked for.
std::vector<std::string> names_asked_for(const std::vector<TableLine>& lines,
                                         const TableChoice& choice) {
  std::vector<std::string> names;
  std::set<PublishedSource> sources;
  for (const TableLine& line : lines) sources.insert(line.row->source);
  for (const PublishedSource source : sources) {
    if (choice.own_columns) break;
    for (std::string& name : columns_telling(source)) names.push_back(std::move(name));
  }
  const auto any = [&](auto&& holds) { return std::any_of(lines.begin(), lines.end(), holds); };
  if (any([](const TableLine& line) { return charges_idle_gpus(*line.row, *line.figure); })) {
    names.emplace_back("gpus_used");
    names.emplace_back("gpus_charged");
  }
  if (any([](const TableLine& line) { return !line.flags.empty(); })) names.emplace_back("flags");
  return names;
}

/// The chosen columns, and those that the lines ask for.
Result<std::vector<Column>> columns_for(const std::vector<TableLine>& lines,
                                        const TableChoice& choice) {
  std::vector<Column> columns = choice.columns;
  for (const std::string& name : names_asked_for(lines, choice)) {
    const bool there = std::any_of(columns.begin(), columns.end(),
                                   [&](const Column& column) { return column.name == name; });
    if (there) continue;
    TRY(auto column, column_named(name, choice.comparators));
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Why the table is empty.
Result<int> nothing_left(const PublishedSet& set, const std::vector<std::uint32_t>& rows,
                         const Footing& footing) {
  const bool agentic =
      std::all_of(set.rows.begin(), set.rows.end(),
                  [](const PublishedResult& row) { return row.has(RowFlag::agentic); });
  if (rows.empty() && agentic) {
    return failure(ErrorKind::missing,
                   "all rows are agents' traces, which are kept apart: their cached prompt tokens "
                   "count as input",
                   "--where scenario=agentic shows them");
  }
  if (rows.empty() || !footing.figures.empty())
    return failure(ErrorKind::missing, "no row meets --where", "loosen it");
  return failure(ErrorKind::missing, "no row has an energy of that kind",
                 "the reasons stand above; --watts gives watts");
}

Result<int> show(const TableChoice& choice, const std::vector<std::string>& files) {
  TRY(auto set, published_set_of(files));
  const auto errors = audit_errors(set);
  complete_real_lengths(set);
  tell_reading(set);
  const auto rows = chosen_rows(set, choice);
  const Footing footing = footing_of(set, rows, choice.footing);
  tell_footing(set, footing);
  auto lines = lines_of(set, footing, errors, choice);
  TRY(auto columns, columns_for(lines, choice));
  PublishedTable table{&set,
                       &footing,
                       std::move(lines),
                       std::move(columns),
                       choice.comparators,
                       choice.ranking == Ranking::together,
                       std::string(version())};
  if (table.lines.empty()) {
    return nothing_left(set, rows, footing);
  }
  put_out(choice.format->render(table));
  return kExitUsable;
}

}  // namespace

Result<int> run_published_table(const ParsedOptions& options,
                                const std::vector<std::string>& files) {
  TableChoice choice;
  TRY_DO(take_all(options, choice));
  return show(choice, files);
}

Result<int> run_published_ceiling(const ParsedOptions& options,
                                  const std::vector<std::string>& files) {
  TableChoice choice;
  TRY_DO(take_all(options, choice));
  choice.footing.kinds = {EnergyKind::ceiling};
  if (!options.has("columns")) {
    for (const std::string_view name : {"system_w", "limit_source", "measured_share", "j_answer"}) {
      TRY(auto column, column_named(name, choice.comparators));
      choice.columns.push_back(std::move(column));
    }
  }
  return show(choice, files);
}

std::vector<OptionSpec> published_options() {
  const auto value = OptionKind::value;
  const auto values = OptionKind::values;
  return {
      {"--where", "'COLUMN=VALUE …'",
       "keep rows that meet all terms: = != >= <= > < and ~ (contains)", values, "", "Which rows"},
      {"--pareto", "",
       "keep the frontier: no other row of the model, lengths and kind is faster for a "
       "user and takes less",
       OptionKind::flag, "", "Which rows"},
      {"--sort", "COLUMN[:desc][,…]", "order within a kind (default: wh_query,j_output)", value, "",
       "Which rows"},
      {"--rows", "N", "at most N rows of each kind; of audit: findings of each rule (default: 5)",
       value, "", "Which rows"},
      {"--columns", "NAME[,…]", "columns of the table (docs/published.md lists them)", values, "",
       "What is shown"},
      {"--compare-to", "ps5|NAME=WATTS",
       "a column with the minutes that NAME runs on one query's energy "
       "(ps5: 200 W)",
       values, "", "What is shown"},
      {"--format", "table|markdown|csv|json", "what is printed (default: table)", value, "",
       "What is shown"},
      {"--kind", "KIND[,…]",
       "measured_gpu, measured_wall, provisioned, ceiling (default: what a row has; a "
       "ceiling only where it has nothing else)",
       values, "", "Energy"},
      {"--mixed", "", "one rank across all kinds, which compares unlike numbers", OptionKind::flag,
       "", "Energy"},
      {"--watts", "GPU=W[,…]",
       "watts per GPU: all-in for provisioned figures, the limit for ceilings; "
       "beats every table",
       values, "", "Energy"},
      {"--power-table", "FILE", "all-in watts by GPU and day, in place of the table built in",
       value, "", "Energy"},
      {"--power-as-of", "DAY[,…]",
       "all-in watts in use on that day; several give a line each (default: the "
       "latest)",
       values, "", "Energy"},
      {"--hardware-table", "FILE", "power limits by GPU, in place of the table built in", value, "",
       "Energy"},
      {"--achieved", "SHARE",
       "adds modelled rows: a service that reaches this share (0 to 1) of the published "
       "throughput",
       value, "", "Energy"},
      {"--rule", "CODE[,…]", "these rules only (docs/audit.md lists them)", values, "", "Audit"},
      {"--strict", "", "exit code 4 where an error or a warning is found", OptionKind::flag, "",
       "Audit"},
  };
}

}  // namespace tokenjoule
