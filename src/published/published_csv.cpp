#include <fmt/format.h>

#include "base/text.hpp"
#include "published/published_table.hpp"

namespace tokenjoule {

namespace {

/// A cell that a spreadsheet would run as a formula gets a quote in front of it.
std::string csv_text(std::string_view foreign) {
  std::string text = quoted(foreign, 1000);
  if (!text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos)
    text = "'" + text;
  return text.find_first_of(",\"") == std::string::npos ? text : fmt::format("\"{}\"", text);
}

void add_cell(std::string& line, const CellValue& cell) {
  if (const auto* number = std::get_if<double>(&cell.value)) {
    fmt::format_to(std::back_inserter(line), "{}", *number);
  } else if (const auto* text = std::get_if<std::string_view>(&cell.value)) {
    line += csv_text(*text);
  }
}

/// Every column, whatever the table shows: a CSV is for other programs.
std::vector<Column> all_columns(const PublishedTable& table) {
  std::vector<Column> columns = published_columns();
  for (const Comparator& comparator : table.comparators) columns.push_back(column_of(comparator));
  return columns;
}

}  // namespace

std::string published_csv(const PublishedTable& table) {
  const auto columns = all_columns(table);
  std::string text;
  for (const std::string& notice : notices_of(table)) text += fmt::format("# {}\n", notice);
  for (const Column& column : columns) text += column.name + ',';
  text += "interactivity_is_median,attribution\n";
  for (const TableLine& line : table.lines) {
    for (const Column& column : columns) {
      add_cell(text, column.at(line));
      text += ',';
    }
    const auto rate = user_rate(*line.row);
    text += rate ? (rate->is_median ? "true," : "false,") : ",";
    text += csv_text(attribution_of(*line.row));
    text += '\n';
  }
  return text;
}

}  // namespace tokenjoule
