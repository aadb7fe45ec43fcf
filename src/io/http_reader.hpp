#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// The head of a response, as far as clients of ours care.
struct HttpHead {
  int status = 0;
  std::string content_type;  ///< "" if not given; the same holds for the next two
  std::string location;
  std::string retry_after;
  bool keep_alive = false;  ///< the connection may carry another message after this one
};

/// Bytes of an HTTP/1.x connection in, pieces of its responses out. Owns no socket. Chunked bodies,
/// those with a length and those that last until the connection closes come out alike. Interim
/// (1xx) responses are skipped. Bytes of one connection go into one reader, in order.
///
/// After each put: head() once head_done(), the pieces of body() that this put brought, done() at
/// the end of the message. Bytes behind that end are kept (surplus()) until next_message().
class HttpReader {
 public:
  /// What put_in_place may write before the bytes given to it.
  static constexpr std::size_t kHeadroom = 512;
  /// A response's head, or the lines between two chunks, may be as long as this.
  static constexpr std::size_t kLongestHead = 64 * 1024;

  HttpReader();
  HttpReader(const HttpReader&) = delete;
  HttpReader& operator=(const HttpReader&) = delete;
  ~HttpReader();

  /// The next bytes. An error is a message that is no HTTP: the connection cannot be used any more.
  Status put(std::string_view bytes);
  /// The same without a copy of what was left over from before: that is written right before
  /// `bytes`, where kHeadroom bytes must be free for it.
  Status put_in_place(char* bytes, std::size_t size);
  /// The connection was closed: ends a body that lasts until then. An error if the message is cut.
  Status put_eof();

  bool started() const;  ///< a byte of this message, or of an interim one before it, has come
  bool head_done() const { return head_done_; }
  const HttpHead& head() const { return head_; }
  /// Views into the bytes of the last put (or into this reader): valid until the next call.
  std::span<const std::string_view> body() const { return body_; }
  bool done() const { return done_; }
  std::size_t surplus() const { return done_ ? kept_.size() : 0; }

  /// Makes ready for the next message of the connection; bytes already kept are read by the next
  /// put, which may be empty.
  void next_message();
  /// Makes ready for another connection: forgets all.
  void reset();

 private:
  struct Parser;
  Status parse(std::string_view bytes);
  Result<std::size_t> parse_some(std::string_view bytes);
  void take_head();

  std::unique_ptr<Parser> parser_;
  HttpHead head_;
  std::vector<std::string_view> body_;
  std::string kept_;     ///< bytes not yet understood: always an unfinished line, or behind the end
  std::string reading_;  ///< what body_ points into, where bytes had to be joined
  bool head_done_ = false;
  bool done_ = false;
  bool started_ = false;
};

}  // namespace tokenjoule
