#include "engines/sse.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Where the first line ends: memchr for either end, as lines are long.
std::size_t line_end(std::string_view text, bool has_returns) {
  const std::size_t feed = text.find('\n');
  return has_returns ? std::min(feed, text.substr(0, feed).find('\r')) : feed;
}

}  // namespace

void SseReader::put(std::string_view bytes) {
  input_ = bytes;
  // Few servers write any: looked for once, not once a line.
  has_returns_ = bytes.find('\r') != std::string_view::npos;
}

void SseReader::finish() { finished_ = true; }

bool SseReader::take_line(std::string_view& line) {
  if (std::exchange(line_joined_, false)) line_.clear();
  if (skip_line_feed_ && !input_.empty()) {
    if (input_.front() == '\n') input_.remove_prefix(1);
    skip_line_feed_ = false;
  }
  const std::size_t end = line_end(input_, has_returns_);
  if (end == std::string_view::npos) {
    line_ += input_;
    input_ = {};
    if (!finished_ || line_.empty()) return false;
    line_joined_ = true;
  } else if (line_.empty()) {
    line = input_.substr(0, end);
  } else {
    line_ += input_.substr(0, end);
    line_joined_ = true;
  }
  if (line_joined_) line = line_;
  if (end != std::string_view::npos) {
    skip_line_feed_ = input_[end] == '\r';
    input_.remove_prefix(end + 1);
  }
  if (std::exchange(at_start_, false) && starts_with(line, kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  return true;
}

void SseReader::read_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (line.substr(0, colon) != "data")
    return;  // a comment starts with the colon: its name is empty
  std::string_view value =
      colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (starts_with(value, " ")) value.remove_prefix(1);
  if (has_data_) {
    keep_data();
    kept_data_ += '\n';
    kept_data_ += value;
  } else {
    data_ = value;
    has_data_ = true;
  }
  if (line_joined_) keep_data();
}

/// Copies the data so far out of bytes that will not stay.
void SseReader::keep_data() {
  if (has_data_ && !std::exchange(data_is_kept_, true)) kept_data_ = data_;
}

std::string_view SseReader::event_data() {
  const std::string_view data = data_is_kept_ ? std::string_view(kept_data_) : data_;
  const bool any = has_data_;
  has_data_ = data_is_kept_ = false;
  return any ? data : std::string_view();
}

/// An event as nearly all servers write it, one line of data and a blank one, if the next is such a
/// one and lies whole in the bytes.
std::optional<std::string_view> SseReader::next_plain() {
  constexpr std::string_view kField = "data: ";
  if (std::exchange(line_joined_, false)) line_.clear();
  const bool between_events = !has_data_ && line_.empty() && !skip_line_feed_ && !at_start_;
  if (!between_events || has_returns_ || !starts_with(input_, kField)) return std::nullopt;
  const std::size_t end = input_.find('\n', kField.size());
  if (end == kField.size() || end >= input_.size() - 1 || input_[end + 1] != '\n') {
    return std::nullopt;
  }
  const std::string_view data = input_.substr(kField.size(), end - kField.size());
  input_.remove_prefix(end + 2);
  return data;
}

std::optional<std::string_view> SseReader::next() {
  if (const auto data = next_plain()) return data;
  std::string_view line;
  bool more = true;
  while (more) {
    more = take_line(line);
    if (more && !line.empty()) {
      read_field(line);
      continue;
    }
    if (!more && !finished_) {
      keep_data();
      return std::nullopt;
    }
    if (const std::string_view data = event_data(); !data.empty()) return data;
  }
  return std::nullopt;
}

}  // namespace tokenjoule
