#include <gtest/gtest.h>
#include <sys/socket.h>

#include "io/testing_tls.hpp"
#include "load/load_fixture.hpp"

namespace tokenjoule {
namespace {

const std::string kAnswer = chunked(token_stream(3));

/// A plain server that answers each request alike, and TLS in front of it.
struct TlsServer {
  ScriptedServer plain;
  TestCertificate identity = make_certificate();
  TlsFront front;

  explicit TlsServer(std::string answer, Then then = Then::keep_open,
                     TlsFront::Options options = {})
      : plain([answer = std::move(answer), then](const Peer& peer, const ServedRequest&) {
          peer.send(answer);
          return then;
        }),
        front(plain.port(), identity, std::move(options)) {}
};

void trust(Load& load, const TestCertificate& identity) {
  load.options.tls.ca_file = identity.file();
}

/// The one request of a load against a server that closes behind its answer.
RequestRecord record_over_tls(const std::string& answer, TlsFront::Options options = {}) {
  TlsServer server(answer, Then::close, std::move(options));
  Load load(server.front.url(), 1);
  trust(load, server.identity);
  load.run();
  return load.records().at(0);
}

/// What becomes of a request to a server with this certificate.
RequestRecord record_with(const TestCertificate& identity, const TlsOptions& tls) {
  ScriptedServer plain([](const Peer& peer, const ServedRequest&) {
    peer.send(kAnswer);
    return Then::keep_open;
  });
  const TlsFront front(plain.port(), identity);
  Load load(front.url(), 1);
  load.options.tls = tls;
  load.run();
  return load.records().at(0);
}

TEST(LoadClientTls, AnswersCompleteOverOneConnectionWithTheKernelsStamps) {
  TlsServer server(kAnswer);
  Load load(server.front.url(), 5);
  trust(load, server.identity);
  load.start();
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->last_of_num_requests_sent().has_value(); }));
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  EXPECT_TRUE(load.wait_for([&] { return !load.client->stamps().empty(); }));
  const std::string stamps(load.client->stamps());
  load.client.reset();
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_EQ(record.output_tokens, 3);
    EXPECT_EQ(record.token_events, 3);
    EXPECT_EQ(record.reused_connection, record.id > 0);
  }
  EXPECT_EQ(server.front.handshakes(), 1);
  EXPECT_EQ(server.front.alpn(), "\x08http/1.1");
  if (stamps != "kernel") GTEST_SKIP() << "this system gives no receive stamps: " << stamps;
}

TEST(LoadClientTls, RecordsMayComeByteByByte) {
  const RequestRecord record =
      record_over_tls(kAnswer, {.deliver = [](int socket, std::string_view wire) {
                        for (const char& byte : wire) (void)!::send(socket, &byte, 1, MSG_NOSIGNAL);
                      }});
  EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
  EXPECT_EQ(record.token_events, 3);
}

TEST(LoadClientTls, ARecordCarriesTheStampOfItsLastByte) {
  SystemClock clock;
  const RequestRecord record =
      record_over_tls(kAnswer, {.deliver = [&](int socket, std::string_view wire) {
                        const auto half = wire.size() / 2;
                        (void)!::send(socket, wire.data(), half, MSG_NOSIGNAL);
                        clock.sleep_until(clock.now() + milliseconds(50), {});
                        (void)!::send(socket, wire.data() + half, wire.size() - half, MSG_NOSIGNAL);
                      }});
  EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
  // The first half had been there for 50 ms by then.
  EXPECT_GE(*record.first_body - record.sent, milliseconds(45));
}

TEST(LoadClientTls, ALongPromptGoesOutWhole) {
  TlsServer server(kAnswer);
  Load load(server.front.url(), 2);
  trust(load, server.identity);
  load.options.input_length = fixed_length(200'000);  // about 1 MB
  load.run();
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
  }
  for (const ServedRequest& request : server.plain.requests()) {
    EXPECT_EQ(std::count(request.body.begin(), request.body.end(), ','), 199'999);
  }
}

TEST(LoadClientTls, WhoIsNotTheServerIsNamedAndGetsNoRequest) {
  const TestCertificate authority = make_certificate();
  const auto failure_with = [&](CertificateWish wish) {
    wish.signer = &authority;
    const RequestRecord record = record_with(make_certificate(wish), {.ca_file = authority.file()});
    EXPECT_EQ(record.outcome == Outcome::completed, record.failure.empty());
    EXPECT_EQ(record.http_status, record.failure.empty() ? 200 : 0);
    return record.failure;
  };
  EXPECT_EQ(failure_with({}), "");
  EXPECT_EQ(failure_with({.first_day = -9, .last_day = -1}),
            "tls: TLS with 127.0.0.1: the certificate has expired");
  EXPECT_EQ(failure_with({.names = "DNS:elsewhere.example"}),
            "tls: TLS with 127.0.0.1: the certificate is for another host");
  EXPECT_EQ(record_with(make_certificate(), {}).failure,
            "tls: TLS with 127.0.0.1: the certificate is self-signed and not trusted here");
}

TEST(LoadClientTls, WithoutVerificationAnyCertificateDoes) {
  const TestCertificate expired = make_certificate({.first_day = -9, .last_day = -1});
  const RequestRecord record = record_with(expired, {TlsOptions::Verification::none, ""});
  EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
}

TEST(LoadClientTls, AServerWithoutTlsIsNoCrash) {
  ScriptedServer plain([](const Peer&, const ServedRequest&) { return Then::close; });
  Load load(fmt::format("https://127.0.0.1:{}", plain.port()), 1);
  load.options.request_timeout = Seconds(0.2);  // it waits for the end of a head that never comes
  load.run();
  EXPECT_EQ(load.records().at(0).outcome, Outcome::failed);
}

TEST(LoadClientTls, ABodyUntilTheEndOfTheConnectionNeedsTheServersGoodbye) {
  // Neither a length nor "[DONE]": that it is whole is known by the end alone.
  const std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" +
      events({R"({"choices":[{"index":0,"text":"tok","finish_reason":"length"}]})"});
  EXPECT_EQ(record_over_tls(answer).failure, "");
  EXPECT_EQ(record_over_tls(answer, {.says_goodbye = false}).failure, "ended_early");
}

TEST(LoadClientTls, AnAnswerThatWasCompleteNeedsNoGoodbye) {
  EXPECT_EQ(record_over_tls(kAnswer, {.says_goodbye = false}).failure, "");
}

TEST(LoadClientTls, AKeptConnectionThatTheServerClosesIsRepeatedAndCounted) {
  ScriptedServer plain([](const Peer& peer, const ServedRequest& request) {
    if (request.on_connection == 1) return Then::close;
    peer.send(kAnswer);
    return Then::keep_open;
  });
  const TestCertificate identity = make_certificate();
  const TlsFront front(plain.port(), identity);
  Load load(front.url(), 3);
  trust(load, identity);
  load.run();
  const auto records = load.records();
  for (const RequestRecord& record : records) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
  }
  EXPECT_EQ(records[0].retries, 0);
  EXPECT_EQ(records[1].retries, 1);
}

TEST(LoadClientTls, AnIpv6AddressIsVerifiedAsOne) {
  ScriptedServer there([](const Peer&, const ServedRequest&) { return Then::close; }, true);
  if (there.port() == 0) GTEST_SKIP() << "no IPv6 on this system";
  TlsServer server(kAnswer, Then::keep_open, {.ipv6 = true});
  Load load(server.front.url("[::1]"), 2);
  trust(load, server.identity);
  load.run();
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
  }
}

}  // namespace
}  // namespace tokenjoule
