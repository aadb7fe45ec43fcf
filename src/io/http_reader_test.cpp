#include "io/http_reader.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

/// What a connection's bytes mean, piece boundaries left out.
struct Message {
  int status = 0;
  std::string content_type;
  bool keep_alive = false;
  std::string body;
  bool operator==(const Message&) const = default;
};

struct Connection {
  std::vector<Message> messages;
  bool broken = false;
  bool operator==(const Connection&) const = default;
};

/// Feeds a reader in one of two ways and collects its messages.
class Collector {
 public:
  explicit Collector(bool in_place) : in_place_(in_place) {}

  void feed(std::string_view bytes) {
    if (found_.broken) return;
    take(put(bytes));
    while (reader_.done() && !found_.broken) {
      finish_message();
      take(reader_.put({}));
    }
  }
  void close() {
    if (found_.broken || !reader_.started()) return;
    if (!reader_.put_eof()) {
      found_.broken = true;
      return;
    }
    finish_message();
  }
  const Connection& found() const { return found_; }

 private:
  Status put(std::string_view bytes) {
    if (!in_place_) return reader_.put(bytes);
    // The bytes at the very end of a fresh allocation: a sanitizer sees any step outside.
    buffer_.assign(HttpReader::kHeadroom, '#');
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return reader_.put_in_place(buffer_.data() + HttpReader::kHeadroom, bytes.size());
  }
  void take(const Status& status) {
    for (const std::string_view piece : reader_.body()) body_ += piece;
    if (!status) found_.broken = true;
  }
  void finish_message() {
    const HttpHead& head = reader_.head();
    found_.messages.push_back({head.status, head.content_type, head.keep_alive, body_});
    body_.clear();
    reader_.next_message();
  }

  bool in_place_;
  HttpReader reader_;
  std::vector<char> buffer_;
  std::string body_;
  Connection found_;
};

Connection read_in_parts(const std::vector<std::string_view>& parts, bool in_place) {
  Collector collector(in_place);
  for (const std::string_view part : parts) collector.feed(part);
  collector.close();
  return collector.found();
}

/// Whole, cut in two at every byte, and byte by byte: all must mean the same.
void expect_everywhere(std::string_view bytes, const Connection& expected) {
  std::vector<std::string_view> single;
  for (std::size_t i = 0; i < bytes.size(); ++i) single.push_back(bytes.substr(i, 1));
  for (const bool in_place : {false, true}) {
    EXPECT_EQ(read_in_parts({bytes}, in_place), expected);
    EXPECT_EQ(read_in_parts(single, in_place), expected) << "byte by byte";
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
      EXPECT_EQ(read_in_parts({bytes.substr(0, cut), bytes.substr(cut)}, in_place), expected)
          << "cut at byte " << cut;
    }
  }
}

TEST(HttpReader, ReadsAChunkedBodyWithExtensionsAndTrailers) {
  expect_everywhere(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;name=value;flag\r\nhello\r\n1\r\n \r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-Two: "
      "2\r\n\r\n",
      {{{200, "text/event-stream", true, "hello 0123456789"}}, false});
}

TEST(HttpReader, ReadsAnEmptyChunkedBody) {
  expect_everywhere("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    {{{200, "", true, ""}}, false});
}

TEST(HttpReader, ReadsABodyWithALength) {
  expect_everywhere(
      "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\nContent-Length: "
      "7\r\n\r\n{\"a\":1}",
      {{{404, "application/json", true, "{\"a\":1}"}}, false});
}

TEST(HttpReader, ReadsABodyThatLastsUntilTheConnectionCloses) {
  expect_everywhere("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\ndata: 1\n\ndata: 2\n\n",
                    {{{200, "text/plain", false, "data: 1\n\ndata: 2\n\n"}}, false});
}

TEST(HttpReader, SkipsInterimResponses) {
  expect_everywhere(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nA: b\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      {{{200, "", true, "ok"}}, false});
}

TEST(HttpReader, ReadsResponsesBackToBack) {
  expect_everywhere(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
      "HTTP/1.1 204 No Content\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntwo",
      {{{200, "", true, "one"}, {204, "", true, ""}, {200, "", false, "two"}}, false});
}

TEST(HttpReader, AnHttp10AnswerEndsItsConnection) {
  expect_everywhere("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
                    {{{200, "", false, "ok"}}, false});
}

TEST(HttpReader, WhatIsNoHttpIsAnError) {
  for (const std::string_view bytes :
       {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokXX5\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok"}) {
    EXPECT_TRUE(read_in_parts({bytes}, false).broken) << bytes;
    EXPECT_TRUE(read_in_parts({bytes}, true).broken) << bytes;
  }
}

TEST(HttpReader, AMessageThatIsCutIsAnErrorAtEveryByte) {
  constexpr std::string_view bytes =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    EXPECT_TRUE(read_in_parts({bytes.substr(0, cut)}, false).broken) << "cut at byte " << cut;
  }
}

TEST(HttpReader, ClosingBeforeAnyByteIsAnErrorThatSaysSo) {
  HttpReader reader;
  const Status closed = reader.put_eof();
  ASSERT_FALSE(closed.has_value());
  EXPECT_NE(closed.error().message.find("before an answer"), std::string::npos);
  EXPECT_FALSE(reader.started());
}

TEST(HttpReader, KeepsTheHeadersThatClientsNeed) {
  HttpReader reader;
  ASSERT_TRUE(
      reader.put("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n"
                 "Location: /other\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.head().retry_after, "7");
  EXPECT_EQ(reader.head().location, "/other");
}

TEST(HttpReader, CountsBytesBehindTheEndOfAMessage) {
  HttpReader reader;
  ASSERT_TRUE(reader.put("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP"));
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.surplus(), 4U);
}

TEST(HttpReader, AHeadWithoutEndIsAnErrorAt64KiB) {
  HttpReader reader;
  Status status;
  const std::string piece(1000, 'x');
  ASSERT_TRUE(reader.put("HTTP/1.1 200 OK\r\nX: "));
  int accepted = 0;
  while (status && accepted < 100) {
    status = reader.put(piece);
    ++accepted;
  }
  EXPECT_FALSE(status.has_value());
  EXPECT_LE(accepted, 66);
}

TEST(HttpReader, ABodyOfManyMegabytesPasses) {
  HttpReader reader;
  ASSERT_TRUE(reader.put("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
  const std::string chunk = "100000\r\n" + std::string(0x100000, 'y') + "\r\n";
  std::size_t bytes = 0;
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(reader.put(chunk));
    for (const std::string_view piece : reader.body()) bytes += piece.size();
  }
  EXPECT_EQ(bytes, 12U << 20U);
}

}  // namespace
}  // namespace tokenjoule
