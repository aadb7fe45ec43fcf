#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// Walks a CSV text row by row: RFC 4180 quotes, LF or CRLF, lines that begin with '#' left out, a
/// byte-order mark skipped. Lines are bounded (1 MiB): a longer one is a fault of the whole text.
class CsvRows {
 public:
  /// `text` must outlive this.
  explicit CsvRows(std::string_view text, char separator = ',');

  /// The cells of the next row that is not blank, blanks around each trimmed; they last until the
  /// next call. nullptr at the end or at a fault.
  const std::vector<std::string_view>* next();
  /// The row last given, as it stands in the text, without its line end.
  std::string_view row() const { return row_; }
  /// Line number of the row last given, counted from 1.
  std::size_t line() const { return line_; }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  bool take_line();
  bool cut_cells();
  std::string_view quoted_cell(std::size_t& at);

  std::string_view text_;
  std::string_view row_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::vector<std::string_view> cells_;
  std::deque<std::string> unquoted_;  ///< cells that had a doubled quote inside; none moves
  std::optional<Error> fault_;
};

}  // namespace tokenjoule
