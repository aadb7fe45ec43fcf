// How the load client uses its connections: how many, for how long, and what it asks of them.

#include <algorithm>
#include <barrier>
#include <cctype>

#include <gtest/gtest.h>

#include "load/descriptor_limit.hpp"
#include "load/load_fixture.hpp"

namespace tokenjoule {
namespace {

TEST(LoadClientConnections, FiveHundredAndTwelveStreamsAreInFlightAndNeverOneMore) {
  constexpr int kStreams = 512;
  if (const Status allowed = allow_descriptors(2 * kStreams + 100); !allowed) {
    GTEST_SKIP() << allowed.error().message;
  }
  std::barrier all_here(kStreams);
  std::atomic<int> first_wave{0};
  ScriptedServer server([&](const Peer& peer, const ServedRequest&) {
    if (first_wave++ < kStreams) all_here.arrive_and_wait();
    peer.send(chunked(token_stream(1)));
    return Then::keep_open;
  });
  Load load(server.url(), 2 * kStreams);
  load.options.concurrency = kStreams;
  load.start();
  load.client->begin_warmup();
  EXPECT_TRUE(load.wait_for([&] { return load.client->progress().warmup_completed >= kStreams; }));
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->last_of_num_requests_sent().has_value(); }));
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  EXPECT_EQ(server.most_in_flight(), kStreams);
  EXPECT_EQ(server.connections(), kStreams);
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
  }
}

TEST(LoadClientConnections, SixtyThousandRequestsNeedNoMoreThanThereAreStreams) {
  constexpr int kStreams = 8;
  ScriptedServer server(
      [answer = chunked(token_stream(1))](const Peer& peer, const ServedRequest&) {
        peer.send(answer);
        return Then::keep_open;
      });
  Load load(server.url(), 60'000);
  load.options.concurrency = kStreams;
  load.start();
  load.client->begin_measure();
  bool goes_on = true;
  while (goes_on && !load.client->last_of_num_requests_sent()) {
    const std::int64_t before = load.client->progress().completed;
    goes_on = load.wait_for([&] { return load.client->progress().completed > before; });
  }
  EXPECT_TRUE(goes_on);
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  EXPECT_EQ(server.connections(), kStreams);
  const auto records = load.records();
  EXPECT_TRUE(std::all_of(records.begin(), records.end(), [](const RequestRecord& record) {
    return record.outcome == Outcome::completed && record.retries == 0;
  }));
}

TEST(LoadClientConnections, OneThatIsClosedWhileNothingIsAskedCostsNoRequest) {
  // Says that the connection is kept, and closes it behind each answer.
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(2)));
    return Then::close;
  });
  Load load(server.url(), 30);
  load.run();
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_LE(record.retries, 1);
    EXPECT_EQ(record.output_tokens, 2);
  }
}

TEST(LoadClientConnections, NothingCompressedIsAskedFor) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(1)));
    return Then::keep_open;
  });
  Load load(server.url());
  load.run();
  std::string head = server.requests().at(0).head;
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  EXPECT_NE(head.find("host: "), std::string::npos);
  for (const char* const coding : {"gzip", "deflate", "br,", "zstd"}) {
    EXPECT_EQ(head.find(coding), std::string::npos) << head;
  }
}

TEST(LoadClientConnections, AMegabyteInOneEventOfChunksWithExtensionsAndTrailersIsOneToken) {
  const std::string body = events(
      {R"({"choices":[{"text":")" + std::string(1'000'000, 'y') + R"(","finish_reason":"stop"}]})",
       "[DONE]"});
  std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < body.size(); at += 7001) {
    const std::string_view piece = std::string_view(body).substr(at, 7001);
    answer += fmt::format("{:x};part=\"{}\"\r\n{}\r\n", piece.size(), at, piece);
  }
  answer += "0\r\nX-Checksum: 1\r\nX-Time: 2\r\n\r\n";
  for (const RequestRecord& record : records_of(answer, 3)) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_EQ(record.token_events, 1);
    EXPECT_EQ(record.reused_connection, record.id > 0);
  }
}

TEST(LoadClientConnections, AWebPageWithAnErrorStatusIsARefusalOfThatStatus) {
  const RequestRecord record =
      record_of(with_length(502, "<html><head><title>502 Bad Gateway</title></head></html>",
                            "Content-Type: text/html\r\n"));
  EXPECT_EQ(record.http_status, 502);
  EXPECT_EQ(record.failure.substr(0, 22), "server_error: http 502");
  EXPECT_EQ(record.token_events, 0);
}

}  // namespace
}  // namespace tokenjoule
