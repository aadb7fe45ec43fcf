#include "record/import/csv_line.hpp"

#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// The quoted field at the start of `rest`, which then starts behind its closing quote.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string field;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] != '"') {
      field += rest[at];
    } else if (at + 1 < rest.size() && rest[at + 1] == '"') {
      field += '"';
      ++at;
    } else {
      rest.remove_prefix(at + 1);
      return field;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::string>> csv_fields(std::string_view line, char separator) {
  std::vector<std::string> fields;
  std::string_view rest = line;
  while (true) {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    std::string quoted_part;
    if (!rest.empty() && rest.front() == '"') {
      auto field = take_quoted(rest);
      if (!field) return std::nullopt;
      quoted_part = std::move(*field);
    }
    const std::size_t end = rest.find(separator);
    fields.push_back(quoted_part + std::string(trimmed(rest.substr(0, end))));
    if (end == std::string_view::npos) return fields;
    rest.remove_prefix(end + 1);
  }
}

std::optional<std::string_view> LineWalk::next() {
  if (ended_ || rest_.empty()) return std::nullopt;
  ++number_;
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  if (end == std::string_view::npos) {
    ended_ = true;
  } else {
    rest_.remove_prefix(end + 1);
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace tokenjoule
