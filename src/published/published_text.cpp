#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "published/published_table.hpp"

namespace tokenjoule {

namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kWidestCell = 40;
constexpr std::string_view kCitationHeader = "of";

bool is_number(const CellValue& cell) { return std::holds_alternative<double>(cell.value); }

/// One part of the table: lines of one kind, or all of them.
struct Section {
  const TableLine* begin;
  const TableLine* end;
};

std::vector<Section> sections_of(const PublishedTable& table) {
  std::vector<Section> sections;
  const TableLine* const end = table.lines.data() + table.lines.size();
  for (const TableLine* at = table.lines.data(); at != end;) {
    const TableLine* const next =
        table.kinds_together ? end : std::find_if(at, end, [&](const TableLine& line) {
          return line.figure->kind != at->figure->kind;
        });
    sections.push_back({at, next});
    at = next;
  }
  return sections;
}

std::string heading_of(const PublishedTable& table, const Section& section) {
  if (table.kinds_together)
    return "all kinds together, as asked for: a rank across kinds compares unlike numbers";
  return fmt::format("{}: {}", name_of(section.begin->figure->kind),
                     words_of(section.begin->figure->kind));
}

/// What the cells of a section take on a terminal.
struct Layout {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  bool medians = false;  ///< a median stands among them
};

/// Whose rows stand in a table, each publication once: its number stands in the rows' last column.
class Citations {
 public:
  std::string mark(const PublishedResult& row) {
    const auto [place, added] = numbers_.try_emplace(citation_of(row), words_.size() + 1);
    if (added) words_.push_back(place->first);
    return fmt::format("[{}]", place->second);
  }

  std::string lines(std::string_view bullet) const {
    std::string text;
    for (std::size_t i = 0; i < words_.size(); ++i)
      text += fmt::format("{}[{}] {}\n", bullet, i + 1,
                          words_[i].empty() ? "a CSV that names no publisher" : words_[i]);
    return text;
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> words_;
};

std::string cut(std::string text) {
  if (text.size() <= kWidestCell) return text;
  std::size_t end = kWidestCell - 1;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return text.substr(0, end) + "~";
}

Layout layout_of(const PublishedTable& table, const Section& section, Citations& citations,
                 std::vector<Cells>& rows) {
  Layout layout;
  for (const Column& column : table.columns) {
    layout.widths.push_back(column.header.size());
    layout.right.push_back(false);
  }
  layout.widths.push_back(kCitationHeader.size());
  layout.right.push_back(false);
  for (const TableLine* line = section.begin; line != section.end; ++line) {
    Cells cells;
    cells.reserve(table.columns.size() + 1);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const CellValue cell = table.columns[i].at(*line);
      // Marks are never cut off.
      const bool mark = table.columns[i].name == "flags";
      cells.push_back(mark ? shown(cell) : cut(shown(cell)));
      layout.widths[i] = std::max(layout.widths[i], cells.back().size());
      if (is_number(cell)) layout.right[i] = true;
      if (cell.median && is_number(cell)) layout.medians = true;
    }
    cells.push_back(citations.mark(*line->row));
    layout.widths.back() = std::max(layout.widths.back(), cells.back().size());
    rows.push_back(std::move(cells));
  }
  return layout;
}

void add_row(std::string& text, const Layout& layout, const Cells& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t blanks = layout.widths[i] - cells[i].size();
    if (i != 0) text += "  ";
    if (layout.right[i]) text.append(blanks, ' ');
    text += cells[i];
    if (!layout.right[i]) text.append(blanks, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

Cells headers_of(const PublishedTable& table) {
  Cells cells;
  for (const Column& column : table.columns) cells.push_back(column.header);
  cells.emplace_back(kCitationHeader);
  return cells;
}

std::string definition_lines(const PublishedTable& table, std::string_view bullet, bool medians) {
  std::string text;
  for (const Column& column : table.columns) {
    if (column.about_energy || column.name == "flags")
      text += fmt::format("{}{}: {}\n", bullet, column.header, column.words);
  }
  if (medians) text += fmt::format("{}m: median; no mean was published\n", bullet);
  return text;
}

std::string markdown_cell(std::string text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '`' || c == '*' || c == '_' || c == '[' || c == '\\')
      safe += '\\';
    safe += c;
  }
  return safe;
}

void add_markdown_row(std::string& text, const Cells& cells) {
  for (const std::string& cell : cells) text += "| " + markdown_cell(cell) + ' ';
  text += "|\n";
}

}  // namespace

std::string published_terminal(const PublishedTable& table) {
  std::string text;
  bool medians = false;
  Citations citations;
  for (const Section& section : sections_of(table)) {
    if (!text.empty()) text += '\n';
    text += heading_of(table, section) + '\n';
    std::vector<Cells> rows;
    rows.reserve(static_cast<std::size_t>(section.end - section.begin));
    const Layout layout = layout_of(table, section, citations, rows);
    medians = medians || layout.medians;
    add_row(text, layout, headers_of(table));
    for (const Cells& cells : rows) add_row(text, layout, cells);
  }
  if (text.empty()) return "no row is left\n";
  text += '\n' + definition_lines(table, "", medians) + citations.lines("");
  for (const std::string& notice : notices_of(table)) text += notice + '\n';
  return text;
}

std::string published_markdown(const PublishedTable& table) {
  std::string text = "# Energy of published results\n";
  bool medians = false;
  Citations citations;
  for (const Section& section : sections_of(table)) {
    text += fmt::format("\n## {}\n\n", heading_of(table, section));
    std::vector<Cells> rows;
    const Layout layout = layout_of(table, section, citations, rows);
    medians = medians || layout.medians;
    add_markdown_row(text, headers_of(table));
    for (const bool right : layout.right) text += right ? "|---:" : "|---";
    text += "|\n";
    for (const Cells& cells : rows) add_markdown_row(text, cells);
  }
  text += '\n' + definition_lines(table, "- ", medians) + citations.lines("- ");
  for (const std::string& notice : notices_of(table)) text += fmt::format("\n{}\n", notice);
  return text;
}

}  // namespace tokenjoule
