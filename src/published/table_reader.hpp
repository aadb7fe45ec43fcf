#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// One row of a small table with named columns; valid during the call that it is given to.
class NamedCells {
 public:
  NamedCells(const std::vector<std::string>& names, const std::vector<std::string_view>& cells,
             std::size_t line)
      : names_(names), cells_(cells), line_(line) {}

  /// Empty where the table has no such column.
  std::string_view text(std::string_view column) const;
  /// nullopt where the cell is empty; an error where it is no number.
  Result<std::optional<double>> number(std::string_view column) const;
  std::size_t line() const { return line_; }

 private:
  const std::vector<std::string>& names_;
  const std::vector<std::string_view>& cells_;
  std::size_t line_;
};

/// Reads a CSV whose first row names its columns. Every needed column must be there, and every row
/// must have as many cells as the first: else an error that names the line.
Status for_each_row(std::string_view csv, const std::vector<std::string>& needed,
                    const std::function<Status(const NamedCells&)>& each);

}  // namespace tokenjoule
