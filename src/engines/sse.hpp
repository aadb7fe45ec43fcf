#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tokenjoule {

/// Splits a stream of server-sent events (WHATWG HTML standard, section 9.2.6) into the data of its
/// events. Bytes may be cut anywhere. Line ends are \n, \r\n or \r; a byte order mark at the start,
/// comments and the fields event, id and retry are passed over; several data lines are joined by
/// \n. An event without data is none.
class SseReader {
 public:
  /// @param bytes are read where they lie: they must stay until next() has given nullopt, and all
  /// events of one put must be taken before another.
  void put(std::string_view bytes);
  /// The data of the next event that is complete; valid until the next call. nullopt: more bytes
  /// are needed.
  std::optional<std::string_view> next();
  /// No more bytes will come: an event that only lacks its blank line counts, as servers leave it
  /// out.
  void finish();

 private:
  std::optional<std::string_view> next_plain();
  bool take_line(std::string_view& line);
  void read_field(std::string_view line);
  void keep_data();
  std::string_view event_data();

  std::string_view input_;  ///< what is unread of the bytes last put
  std::string line_;        ///< an unfinished line, or the last one where it had to be joined
  bool line_joined_ = false;
  bool has_returns_ = false;  ///< \r is in the bytes last put
  std::string_view data_;     ///< of the event that is being read, where it lies
  std::string kept_data_;     ///< the same, where that is not possible
  bool has_data_ = false;
  bool data_is_kept_ = false;
  bool skip_line_feed_ = false;  ///< the last line ended in \r: a \n right behind it belongs to it
  bool at_start_ = true;         ///< a byte order mark may still come
  bool finished_ = false;
};

}  // namespace tokenjoule
