#include <array>

#include <fmt/core.h>

#include "base/json_rows.hpp"

namespace tokenjoule {

namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Bytes that matter inside an array or an object; all others are passed over.
constexpr std::array<bool, 256> kMatters = [] {
  std::array<bool, 256> matters{};
  for (const char c : {'"', '{', '[', '}', ']'}) matters[static_cast<unsigned char>(c)] = true;
  return matters;
}();

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool ends_scalar(char c) { return is_blank(c) || c == ',' || c == ']' || c == '}' || c == ':'; }

}  // namespace

JsonElements::JsonElements(std::string_view text, Of of) : text_(text) {
  if (text_.substr(0, 3) == kByteOrderMark) at_ = 3;
  skip_blanks();
  const char first = at_ < text_.size() ? text_[at_] : '\0';
  members_ = of == Of::members && first == '{';
  if (first == '[' || members_) {
    close_ = first == '[' ? ']' : '}';
    ++at_;
    skip_blanks();
  }
  if (at_ < text_.size() && text_[at_] == close_) done_ = true;
}

void JsonElements::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

void JsonElements::fail(std::string_view what) {
  done_ = true;
  fault_ = Error{ErrorKind::missing, fmt::format("{} at byte {}", what, at_), ""};
}

std::size_t JsonElements::end_of_string(std::size_t start) {
  // Strings here are short: a loop is faster than a search for each.
  for (std::size_t at = start + 1; at < text_.size(); ++at) {
    if (text_[at] == '"') return at + 1;
    if (text_[at] == '\\') ++at;  // and what it escapes
  }
  return std::string_view::npos;
}

std::size_t JsonElements::end_of_value(std::size_t start) {
  int depth = 0;
  for (std::size_t at = start; at < text_.size(); ++at) {
    if (depth > 0 && !kMatters[static_cast<unsigned char>(text_[at])]) continue;
    switch (text_[at]) {
      case '"':
        at = end_of_string(at);
        if (at == std::string_view::npos) return at;
        if (depth == 0) return at;
        --at;
        break;
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']':
        if (--depth <= 0) return depth == 0 ? at + 1 : at;
        break;
      default:
        if (depth == 0 && at > start && ends_scalar(text_[at])) return at;
    }
    if (depth > kMaxDepth) {
      at_ = at;
      fail(fmt::format("nested deeper than {} levels", kMaxDepth));
      return std::string_view::npos;
    }
  }
  return depth == 0 ? text_.size() : std::string_view::npos;
}

std::optional<JsonElement> JsonElements::element_at(std::size_t start, std::string_view key) {
  const std::size_t end = end_of_value(start);
  if (end == std::string_view::npos) {
    at_ = start;
    if (!fault_) fail(fmt::format("the file is cut off inside element {}", count_ + 1));
    return std::nullopt;
  }
  if (end == start) {
    fail("a value is missing");
    return std::nullopt;
  }
  at_ = end;
  return JsonElement{text_.substr(start, end - start), key, count_++, start};
}

std::optional<std::string_view> JsonElements::key_here() {
  const std::size_t end =
      at_ < text_.size() && text_[at_] == '"' ? end_of_string(at_) : std::string_view::npos;
  if (end == std::string_view::npos) {
    fail("a member's name is missing");
    return std::nullopt;
  }
  const std::string_view key = text_.substr(at_ + 1, end - at_ - 2);
  at_ = end;
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != ':') {
    fail("a colon is missing");
    return std::nullopt;
  }
  ++at_;
  skip_blanks();
  return key;
}

/// Steps over what stands between two elements; false at the end.
bool JsonElements::to_next() {
  skip_blanks();
  if (close_ == '\0') {  // objects in a row: nothing but blanks between them
    done_ = at_ >= text_.size();
    return !done_;
  }
  if (at_ >= text_.size()) {
    if (count_ == 0)
      fail("the file is cut off");
    else
      fail(fmt::format("the file is cut off behind element {}", count_));
    return false;
  }
  if (text_[at_] == close_) {
    ++at_;
    skip_blanks();
    done_ = true;
    if (at_ < text_.size()) fail("something stands behind the end");
    return false;
  }
  if (count_ == 0) return true;
  if (text_[at_] != ',') {
    fail("a comma is missing");
    return false;
  }
  ++at_;
  skip_blanks();
  return true;
}

std::optional<JsonElement> JsonElements::next() {
  if (done_ || !to_next()) return std::nullopt;
  std::string_view key;
  if (members_) {
    const auto name = key_here();
    if (!name) return std::nullopt;
    key = *name;
  }
  return element_at(at_, key);
}

}  // namespace tokenjoule
