#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tokenjoule {

/// The fields of one line of comma-separated text (RFC 4180, blanks around fields taken off); a
/// quoted field may hold commas and doubled quotes, but no line end. nullopt where a quote is not
/// closed.
std::optional<std::vector<std::string>> csv_fields(std::string_view line, char separator = ',');

/// Walks the lines of a text: without line ends (LF or CRLF), empty ones included, numbered from 1.
class LineWalk {
 public:
  explicit LineWalk(std::string_view text) : rest_(text) {}
  /// The next line; nullopt at the end.
  std::optional<std::string_view> next();
  long number() const { return number_; }

 private:
  std::string_view rest_;
  long number_ = 0;
  bool ended_ = false;
};

}  // namespace tokenjoule
