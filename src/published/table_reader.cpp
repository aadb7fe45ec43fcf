#include "published/table_reader.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/csv_rows.hpp"
#include "base/text.hpp"

namespace tokenjoule {

std::string_view NamedCells::text(std::string_view column) const {
  const auto at = std::find(names_.begin(), names_.end(), column);
  return at == names_.end() ? std::string_view()
                            : cells_[static_cast<std::size_t>(at - names_.begin())];
}

Result<std::optional<double>> NamedCells::number(std::string_view column) const {
  const std::string_view cell = text(column);
  if (cell.empty()) return std::optional<double>();
  const auto value = number_in(cell);
  if (value) return value;
  return failure(ErrorKind::usage,
                 fmt::format("line {}: {} \"{}\" is no number", line_, column, quoted(cell)));
}

Status for_each_row(std::string_view csv, const std::vector<std::string>& needed,
                    const std::function<Status(const NamedCells&)>& each) {
  CsvRows rows(csv);
  const auto* const head = rows.next();
  std::vector<std::string> names;
  if (head) names.assign(head->begin(), head->end());
  for (const std::string& column : needed) {
    if (std::find(names.begin(), names.end(), column) == names.end())
      return failure(ErrorKind::usage, fmt::format("has no column {}", column));
  }
  while (const auto* const cells = rows.next()) {
    if (cells->size() != names.size()) {
      return failure(ErrorKind::usage, fmt::format("line {} has {} cells, the first row {}",
                                                   rows.line(), cells->size(), names.size()));
    }
    TRY_DO(each(NamedCells(names, *cells, rows.line())));
  }
  if (rows.fault()) return unexpected(*rows.fault());
  return {};
}

}  // namespace tokenjoule
