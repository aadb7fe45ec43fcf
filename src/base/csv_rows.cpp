#include "base/csv_rows.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

CsvRows::CsvRows(std::string_view text, char separator) : text_(text), separator_(separator) {
  if (starts_with(text_, kByteOrderMark)) at_ = kByteOrderMark.size();
}

bool CsvRows::take_line() {
  while (at_ < text_.size()) {
    const std::size_t end = text_.find('\n', at_);
    row_ = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    ++line_;
    if (row_.size() > kLongestLine) {
      fault_ = Error{ErrorKind::missing,
                     fmt::format("line {} is longer than {} bytes", line_, kLongestLine), ""};
      return false;
    }
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
    if (!row_.empty() && row_.back() == '\r') row_.remove_suffix(1);
    if (!row_.empty() && row_.front() != '#' && !trimmed(row_).empty()) return true;
  }
  return false;
}

/// The cell whose opening quote stands at `at`; leaves `at` behind its closing one.
std::string_view CsvRows::quoted_cell(std::size_t& at) {
  const std::size_t start = ++at;
  bool doubled = false;
  while (true) {
    at = row_.find('"', at);
    if (at == std::string_view::npos) {
      fault_ = Error{ErrorKind::missing, fmt::format("line {} ends inside quotes", line_), ""};
      at = row_.size();
      return {};
    }
    if (at + 1 >= row_.size() || row_[at + 1] != '"') break;
    doubled = true;
    at += 2;
  }
  const std::string_view cell = row_.substr(start, at - start);
  ++at;
  if (!doubled) return cell;
  std::string plain;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    plain += cell[i];
    if (cell[i] == '"') ++i;
  }
  unquoted_.push_back(std::move(plain));
  return unquoted_.back();
}

bool CsvRows::cut_cells() {
  cells_.clear();
  unquoted_.clear();

  for (std::size_t at = 0;; ++at) {
    while (at < row_.size() && row_[at] == ' ') ++at;
    if (at < row_.size() && row_[at] == '"') {
      cells_.push_back(quoted_cell(at));
      if (fault_) return false;
      at = row_.find(separator_, at);
    } else {
      const std::size_t end = row_.find(separator_, at);
      cells_.push_back(trimmed(row_.substr(at, end == std::string_view::npos ? end : end - at)));
      at = end;
    }
    if (at == std::string_view::npos) return true;
  }
}

const std::vector<std::string_view>* CsvRows::next() {
  if (fault_ || !take_line() || !cut_cells()) return nullptr;
  return &cells_;
}

}  // namespace tokenjoule
