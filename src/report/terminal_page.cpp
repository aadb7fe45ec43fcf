#include "report/terminal_page.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "report/safe_text.hpp"

namespace tokenjoule {

namespace {

constexpr int kLabelWidth = 38;
constexpr int kGap = 2;

std::string_view escape_of(Paint paint) {
  constexpr std::string_view escapes[] = {"",           "\x1b[1m",    "\x1b[2m",   "\x1b[1;32m",
                                          "\x1b[1;33m", "\x1b[1;31m", "\x1b[1;35m"};
  return escapes[static_cast<std::size_t>(paint)];
}

/// Breaks at blanks; a word wider than a line is cut into pieces.
std::vector<std::string> broken(std::string_view text, int first_width, int width) {
  std::vector<std::string> lines(1);
  int limit = first_width;
  for (std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const bool fits = columns_of(lines.back()) + 1 + columns_of(word) <= limit;
    if (!lines.back().empty() && !fits) {
      lines.emplace_back();
      limit = width;
    }
    while (columns_of(word) > limit) {
      // cut_to ends in a "~" that is one byte long and no part of the word.
      const std::string piece = cut_to(word, limit + 1);
      lines.back() = piece.substr(0, piece.size() - 1);
      word.remove_prefix(piece.size() - 1);
      lines.emplace_back();
      limit = width;
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string padded(const std::string& cell, int width, bool right_aligned) {
  const std::string cut = cut_to(cell, width);
  const std::string fill(static_cast<std::size_t>(std::max(0, width - columns_of(cut))), ' ');
  return right_aligned ? fill + cut : cut + fill;
}

/// Takes what is too much from the widest left-aligned column, down to 8; then from any.
void shrink(std::vector<int>& widths, const std::vector<TextColumn>& columns, int excess) {
  for (const bool any : {false, true}) {
    while (excess > 0) {
      std::size_t widest = widths.size();
      for (std::size_t i = 0; i < widths.size(); ++i) {
        const bool may = widths[i] > 8 && (any || !columns[i].right_aligned);
        if (may && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
      }
      if (widest == widths.size()) break;
      --widths[widest];
      --excess;
    }
  }
}

}  // namespace

TerminalPage::TerminalPage(TerminalStyle style) : style_(style) {
  style_.width = std::clamp(style.width, 80, 120);
}

std::string TerminalPage::safe(std::string_view foreign) const {
  return style_.utf8 ? one_line(foreign) : ascii_line(foreign);
}

void TerminalPage::line(std::string_view safe_text, Paint paint) {
  const std::string_view escape = style_.colour ? escape_of(paint) : "";
  text_ += escape;
  text_ += safe_text.substr(0, safe_text.find_last_not_of(' ') + 1);
  if (!escape.empty()) text_ += "\x1b[0m";
  text_ += '\n';
}

void TerminalPage::paragraph(std::string_view text, Paint paint, int indent) {
  const int hanging = indent > 0 ? indent + kGap : 0;
  std::string start(static_cast<std::size_t>(indent), ' ');
  for (const std::string& part :
       broken(safe(text), style_.width - indent, style_.width - hanging)) {
    line(start + part, paint);
    start.assign(static_cast<std::size_t>(hanging), ' ');
  }
}

void TerminalPage::field(std::string_view label, std::string_view value, Paint paint) {
  const int width = style_.width - kLabelWidth;
  std::string start = padded("  " + safe(label), kLabelWidth, false);
  for (const std::string& part : broken(safe(value), width, width)) {
    line(start + part, paint);
    start.assign(static_cast<std::size_t>(kLabelWidth), ' ');
  }
}

void TerminalPage::heading(std::string_view text) {
  blank();
  line(cut_to(safe(text), style_.width), Paint::strong);
}

void TerminalPage::table(const std::vector<TextColumn>& columns,
                         const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> cells(1);
  for (const TextColumn& column : columns) cells[0].push_back(safe(column.heading));
  for (const auto& row : rows) {
    cells.emplace_back();
    for (const std::string& cell : row) cells.back().push_back(safe(cell));
    cells.back().resize(columns.size());
  }
  std::vector<int> widths(columns.size(), 0);
  int total = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const auto& row : cells) widths[i] = std::max(widths[i], columns_of(row[i]));
    total += widths[i];
  }
  const int count = static_cast<int>(columns.size());
  const int gap = total + kGap * count > style_.width ? 1 : kGap;
  shrink(widths, columns, total + gap * count - style_.width);
  for (std::size_t r = 0; r < cells.size(); ++r) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += std::string(static_cast<std::size_t>(gap), ' ') +
              padded(cells[r][i], widths[i], columns[i].right_aligned);
    }
    line(cut_to(text, style_.width), r == 0 ? Paint::faint : Paint::plain);
  }
}

}  // namespace tokenjoule
