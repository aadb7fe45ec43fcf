#include "io/http_reader.hpp"

#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <boost/beast/http.hpp>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

namespace http = boost::beast::http;

/// A body that is not stored: its pieces are noted where they lie. With a type of ours, Beast hands
/// over chunked, counted and until-close bodies in one way, without a limit.
struct PiecesBody {
  using value_type = std::vector<std::string_view>*;

  class reader {
   public:
    template <bool isRequest, class Fields>
    reader(http::header<isRequest, Fields>&, value_type& pieces) : pieces_(&pieces) {}
    void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) {
      error = {};
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      std::size_t total = 0;
      for (auto at = boost::asio::buffer_sequence_begin(buffers);
           at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer piece = *at;
        if (piece.size() == 0) continue;
        (*pieces_)->emplace_back(static_cast<const char*>(piece.data()), piece.size());
        total += piece.size();
      }
      return total;
    }
    void finish(boost::system::error_code& error) { error = {}; }

   private:
    value_type* pieces_;
  };
};

std::string text_of(boost::beast::string_view value) { return {value.data(), value.size()}; }

}  // namespace

struct HttpReader::Parser {
  http::response_parser<PiecesBody> beast;

  explicit Parser(std::vector<std::string_view>& pieces) {
    beast.get().body() = &pieces;
    beast.body_limit(boost::none);  // the default ends a stream at 8 MB
    beast.header_limit(static_cast<std::uint32_t>(kLongestHead));
    beast.eager(true);
  }
};

HttpReader::HttpReader() = default;
HttpReader::~HttpReader() = default;

Status HttpReader::put(std::string_view bytes) {
  body_.clear();
  if (done_) {
    kept_ += bytes;
    return {};
  }
  if (bytes.empty() && parser_) return {};
  // What is kept is an unfinished line, so nothing new can come of it before a line end does.
  // (Beast asserts as much: it must not see the last chunk again with a single byte more.)
  if (!kept_.empty() && !bytes.empty() && bytes.find('\n') == std::string_view::npos) {
    kept_ += bytes;
    if (kept_.size() <= kLongestHead) return {};
    return failure(ErrorKind::unavailable, "a line without end where HTTP was expected");
  }
  if (kept_.empty()) return parse(bytes);
  reading_ = std::exchange(kept_, {});
  reading_ += bytes;
  return parse(reading_);
}

Status HttpReader::put_in_place(char* bytes, std::size_t size) {
  if (done_ || kept_.empty() || kept_.size() > kHeadroom ||
      std::memchr(bytes, '\n', size) == nullptr) {
    return put({bytes, size});
  }
  body_.clear();
  char* const begin = bytes - kept_.size();
  std::memcpy(begin, kept_.data(), kept_.size());
  const std::size_t total = size + kept_.size();
  kept_.clear();
  return parse({begin, total});
}

Status HttpReader::parse(std::string_view bytes) {
  bool again = !bytes.empty();
  while (again) {
    TRY(const std::size_t used, parse_some(bytes));
    bytes.remove_prefix(used);
    // Without a parser an interim response has just ended; else all was read that can be.
    again = !parser_ && !bytes.empty();
  }
  kept_.assign(bytes);
  if (!done_ && kept_.size() > kLongestHead) {
    return failure(ErrorKind::unavailable, "a head longer than 64 KiB");
  }
  return {};
}

Result<std::size_t> HttpReader::parse_some(std::string_view bytes) {
  started_ = true;
  if (!parser_) parser_ = std::make_unique<Parser>(body_);
  auto& beast = parser_->beast;
  boost::system::error_code error;
  std::size_t used = 0;
  try {
    used = beast.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
  } catch (const std::exception& thrown) {
    return failure(ErrorKind::unavailable, fmt::format("no HTTP: {}", thrown.what()));
  }
  if (error && error != http::error::need_more) {
    return failure(ErrorKind::unavailable,
                   fmt::format("{} in \"{}\"", error.message(), quoted(bytes, 60)));
  }
  if (beast.is_header_done() && beast.get().result_int() / 100 == 1) {
    parser_.reset();  // an interim response is a message of its own
    return used;
  }
  if (beast.is_header_done() && !head_done_) take_head();
  done_ = beast.is_done();
  return used;
}

void HttpReader::take_head() {
  const auto& message = parser_->beast.get();
  head_.status = static_cast<int>(message.result_int());
  head_.content_type = text_of(message[http::field::content_type]);
  head_.location = text_of(message[http::field::location]);
  head_.retry_after = text_of(message[http::field::retry_after]);
  head_.keep_alive = parser_->beast.keep_alive();
  parser_->beast.get().clear();  // the fields: nothing looks at them again
  head_done_ = true;
}

Status HttpReader::put_eof() {
  body_.clear();
  if (done_) return {};
  const auto cut = [](const char* where) {
    return failure(ErrorKind::unavailable, fmt::format("the connection was closed {}", where));
  };
  if (!started()) return cut("before an answer");
  if (!head_done_) return cut("inside the head of an answer");
  boost::system::error_code error;
  parser_->beast.put_eof(error);
  if (error) return cut("inside an answer");
  done_ = true;
  return {};
}

bool HttpReader::started() const { return started_ || !kept_.empty(); }

void HttpReader::next_message() {
  parser_.reset();
  head_ = {};
  body_.clear();
  head_done_ = done_ = started_ = false;
}

void HttpReader::reset() {
  next_message();
  kept_.clear();
}

}  // namespace tokenjoule
