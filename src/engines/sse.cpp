#include "engines/sse.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Where the line ends, at or after `from`: memchr for either end, as lines are long.
std::size_t line_end(std::string_view text, std::size_t from) {
  const std::size_t feed = text.find('\n', from);
  const std::size_t carriage_return = text.substr(0, feed).find('\r', from);
  return std::min(feed, carriage_return);
}

}  // namespace

void SseReader::put(std::string_view bytes) {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  buffer_ += bytes;
}

void SseReader::finish() { finished_ = true; }

bool SseReader::take_line(std::string_view& line) {
  const std::string_view text = buffer_;
  if (at_start_) {
    const std::string_view head = text.substr(0, kByteOrderMark.size());
    if (head != kByteOrderMark && starts_with(kByteOrderMark, head) && !finished_) return false;
    if (head == kByteOrderMark) begin_ = scanned_ = kByteOrderMark.size();
    at_start_ = false;
  }
  if (skip_line_feed_ && begin_ < text.size()) {
    if (text[begin_] == '\n') ++begin_;
    skip_line_feed_ = false;
  }
  const std::size_t end = line_end(text, std::max(begin_, scanned_));
  if (end == std::string_view::npos) {
    scanned_ = text.size();
    if (!finished_ || begin_ == text.size()) return false;
    line = text.substr(begin_);
    begin_ = text.size();
    return true;
  }
  line = text.substr(begin_, end - begin_);
  skip_line_feed_ = text[end] == '\r';
  begin_ = scanned_ = end + 1;
  return true;
}

void SseReader::read_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (line.substr(0, colon) != "data")
    return;  // a comment starts with the colon: its name is empty
  std::string_view value =
      colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (starts_with(value, " ")) value.remove_prefix(1);
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
}

std::optional<std::string_view> SseReader::next() {
  std::string_view line;
  bool more = true;
  while (more) {
    more = take_line(line);
    if (more && !line.empty()) {
      read_field(line);
      continue;
    }
    if (!more && !finished_) return std::nullopt;
    event_.swap(data_);
    data_.clear();
    has_data_ = false;
    if (!event_.empty()) return event_;
  }
  return std::nullopt;
}

}  // namespace tokenjoule
