#include <cctype>
#include <string>

#include <gtest/gtest.h>

#include "io/http_client.hpp"
#include "io/testing_server.hpp"
#include "io/testing_tls.hpp"

namespace tokenjoule {
namespace {

const std::string kOk =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: 5\r\n\r\nup 1\n";
const std::string kUntilClose = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nup 1\n";

void answer_every_request(SocketServer& server, int socket) {
  while (!server.next_request(socket).empty()) SocketServer::reply(socket, kOk);
}

Result<HttpReply> answer_of(const std::string& url, TlsOptions tls) {
  HttpClient client({.tls = std::move(tls)});
  return client.get(*url_in(url));
}

/// What a client that trusts `trusted` says of a server with `identity`; "" for no error.
std::string error_of(const TestCertificate& identity, const TestCertificate& trusted,
                     TlsFront::Options options = {}) {
  SocketServer server(answer_every_request);
  const TlsFront front(server.url().port, identity, std::move(options));
  const auto reply = answer_of(front.url(), {.ca_file = trusted.file()});
  if (reply) return "";
  EXPECT_FALSE(reply.error().hint.empty());
  // Who is not checked may be anybody.
  const auto unchecked = answer_of(front.url(), {TlsOptions::Verification::none, ""});
  EXPECT_EQ(unchecked.has_value(), options.version == 0);
  return reply.error().message;
}

TEST(HttpClientTls, GetsPagesFromAServerThatItTrustsOverOneConnection) {
  SocketServer server(answer_every_request);
  const TestCertificate identity = make_certificate();
  const TlsFront front(server.url().port, identity);
  {
    HttpClient client({.tls = {.ca_file = identity.file()}});
    for (int i = 0; i < 3; ++i) {
      const auto reply = client.get(*url_in(front.url() + "/metrics"));
      ASSERT_TRUE(reply.has_value()) << reply.error().message;
      EXPECT_EQ(reply->body, "up 1\n");
    }
  }
  EXPECT_EQ(front.handshakes(), 1);
  EXPECT_EQ(server.requests().find("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:"), 0U);
}

TEST(HttpClientTls, NamesTheServerAndTheProtocolInItsFirstMessage) {
  SocketServer server(answer_every_request);
  const TestCertificate identity = make_certificate();
  const TlsFront front(server.url().port, identity);
  EXPECT_TRUE(answer_of(front.url("localhost"), {.ca_file = identity.file()}).has_value());
  EXPECT_EQ(front.server_name(), "localhost");
  EXPECT_EQ(front.alpn(), "\x08http/1.1");
}

TEST(HttpClientTls, ASelfSignedCertificateIsRefusedWithTheWayToTrustIt) {
  SocketServer server(answer_every_request);
  const TlsFront front(server.url().port, make_certificate());
  const auto reply = answer_of(front.url(), {});
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().message, front.url() +
                                       ": TLS with 127.0.0.1: the certificate is self-signed and "
                                       "not trusted here");
  EXPECT_NE(reply.error().hint.find("--cacert FILE"), std::string::npos);
}

TEST(HttpClientTls, WhatIsWrongWithACertificateIsSaid) {
  const TestCertificate authority = make_certificate();
  const auto told = [&](CertificateWish wish) {
    wish.signer = &authority;
    const std::string error = error_of(make_certificate(wish), authority);
    return error.substr(std::min(error.size(), error.find("0.1: ") + 5));
  };
  EXPECT_EQ(told({}), "");
  EXPECT_EQ(told({.first_day = -30, .last_day = -1}), "the certificate has expired");
  EXPECT_EQ(told({.first_day = 5}), "the certificate is not valid yet");
  EXPECT_EQ(told({.names = "DNS:elsewhere.example"}), "the certificate is for another host");
  EXPECT_EQ(told({.names = "IP:127.0.0.2"}), "the certificate is for another host");
}

TEST(HttpClientTls, ACertificateOfAnUnknownAuthorityIsRefused) {
  const TestCertificate authority = make_certificate();
  const TestCertificate another = make_certificate();
  const std::string error = error_of(make_certificate({.signer = &authority}), another);
  EXPECT_NE(error.find("signed by nobody who is trusted here"), std::string::npos) << error;
}

TEST(HttpClientTls, VersionsBelow12AreNotSpoken) {
  const TestCertificate identity = make_certificate();
  const std::string error = error_of(identity, identity, {.version = TLS1_1_VERSION});
  EXPECT_NE(error.find("no version of TLS from 1.2 on"), std::string::npos) << error;
  EXPECT_EQ(error_of(identity, identity, {.version = TLS1_2_VERSION}), "");
}

TEST(HttpClientTls, AServerWithoutTlsIsNamedAsSuch) {
  SocketServer server([](SocketServer&, int socket) {
    char byte = 0;
    if (recv(socket, &byte, 1, 0) == 1) SocketServer::reply(socket, "HTTP/1.1 400 No\r\n\r\n");
  });
  const auto reply = answer_of(fmt::format("https://127.0.0.1:{}", server.url().port), {});
  ASSERT_FALSE(reply.has_value());
  EXPECT_NE(reply.error().message.find("does not speak TLS"), std::string::npos)
      << reply.error().message;
  EXPECT_NE(reply.error().hint.find("http://"), std::string::npos) << reply.error().hint;
}

TEST(HttpClientTls, ABodyWithoutLengthNeedsTheServersGoodbye) {
  SocketServer server([](SocketServer& self, int socket) {
    if (!self.next_request(socket).empty()) SocketServer::reply(socket, kUntilClose);
  });
  const TestCertificate identity = make_certificate();
  const TlsFront polite(server.url().port, identity);
  const TlsFront cut(server.url().port, identity, {.says_goodbye = false});
  EXPECT_EQ(answer_of(polite.url(), {.ca_file = identity.file()})->body, "up 1\n");
  const auto reply = answer_of(cut.url(), {.ca_file = identity.file()});
  ASSERT_FALSE(reply.has_value());
  EXPECT_NE(reply.error().message.find("closed before the answer was complete"), std::string::npos)
      << reply.error().message;
}

TEST(HttpClientTls, AFileWithoutCertificatesIsAUsageError) {
  const auto reply = answer_of("https://127.0.0.1:1", {.ca_file = "/nowhere/ca.pem"});
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().kind, ErrorKind::usage);
  EXPECT_NE(reply.error().message.find("/nowhere/ca.pem"), std::string::npos);
}

TEST(StatusWords, ARedirectSaysWhereItLeads) {
  EXPECT_EQ(status_words({.status = 404}), "answers with status 404");
  EXPECT_EQ(status_words({.status = 308, .location = "https://h/v1"}),
            "sends on to \"https://h/v1\" (status 308), which is not followed");
  EXPECT_EQ(status_words({.status = 308, .location = "/login?key=secret#here"}),
            "sends on to \"/login\" (status 308), which is not followed");
  EXPECT_EQ(status_hint({.status = 308, .location = "/x"}, "see"), "give the URL that it leads to");
  EXPECT_EQ(status_hint({.status = 404}, "see"), "see");
}

/// SHA-256 of a certificate as `openssl x509 -fingerprint` writes it.
std::string fingerprint_of(const TestCertificate& identity) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(identity.certificate.get(), EVP_sha256(), bytes, &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{}{:02X}", i == 0 ? "" : ":", bytes[i]);
  return text;
}

TEST(HttpClientTls, ACertificateThatIsPinnedNeedsNoOtherTrustAndNoOtherIsBelieved) {
  SocketServer server(answer_every_request);
  // Self-signed, expired and for another host, as those of management controllers are.
  const TestCertificate identity =
      make_certificate({.names = "DNS:bmc.example", .first_day = -30, .last_day = -1});
  const TlsFront front(server.url().port, identity);
  std::string pin = fingerprint_of(identity);
  EXPECT_TRUE(answer_of(front.url(), {.fingerprint = pin}).has_value());
  std::erase(pin, ':');
  for (char& c : pin) c = static_cast<char>(std::tolower(c));
  EXPECT_TRUE(answer_of(front.url(), {.fingerprint = pin}).has_value());
  const auto other = answer_of(front.url(), {.fingerprint = fingerprint_of(make_certificate())});
  ASSERT_FALSE(other.has_value());
  EXPECT_NE(other.error().message.find("not the one whose fingerprint was given"),
            std::string::npos)
      << other.error().message;
  // The same where the authority that signed it is trusted: a pin is stricter.
  const auto trusted = answer_of(
      front.url(), {.ca_file = identity.file(), .fingerprint = fingerprint_of(make_certificate())});
  EXPECT_FALSE(trusted.has_value());
}

TEST(HttpClientTls, AFingerprintThatIsNoneIsAUsageError) {
  const auto kind_of_error = [](TlsOptions tls) {
    return answer_of("https://127.0.0.1:1", std::move(tls)).error().kind;
  };
  EXPECT_EQ(kind_of_error({.fingerprint = "12:34"}), ErrorKind::usage);
  EXPECT_EQ(kind_of_error({.fingerprint = std::string(64, 'g')}), ErrorKind::usage);
  EXPECT_EQ(kind_of_error({.verification = TlsOptions::Verification::none,
                           .fingerprint = std::string(64, 'a')}),
            ErrorKind::usage);
}

}  // namespace
}  // namespace tokenjoule
