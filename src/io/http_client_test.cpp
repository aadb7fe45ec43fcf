#include "io/http_client.hpp"

#include <string>

#include <gtest/gtest.h>

#include "io/testing_server.hpp"

namespace tokenjoule {
namespace {

const std::string kOk =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: 5\r\n\r\nup 1\n";

void answer_every_request(SocketServer& server, int socket) {
  while (!server.next_request(socket).empty()) SocketServer::reply(socket, kOk);
}

TEST(HttpClient, GetsAPageAndKeepsTheConnection) {
  SocketServer server(answer_every_request);
  {
    HttpClient client;
    for (int i = 0; i < 3; ++i) {
      const auto reply = client.get(server.url());
      ASSERT_TRUE(reply.has_value()) << reply.error().message;
      EXPECT_EQ(reply->status, 200);
      EXPECT_EQ(reply->content_type, "text/plain; version=0.0.4");
      EXPECT_EQ(reply->body, "up 1\n");
    }
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, AsksForPlainPrometheusTextAndNoCompression) {
  SocketServer server(answer_every_request);
  {
    HttpClient client;
    ASSERT_TRUE(client.get(server.url("/metrics?x=1")).has_value());
  }
  const std::string request = server.requests();
  EXPECT_EQ(request.find("GET /metrics?x=1 HTTP/1.1\r\nHost: 127.0.0.1:"), 0u) << request;
  EXPECT_NE(request.find("Accept: text/plain; version=0.0.4, */*\r\n"), std::string::npos);
  EXPECT_EQ(request.find("Accept-Encoding"), std::string::npos);
  EXPECT_EQ(request.find("Authorization"), std::string::npos);
}

TEST(HttpClient, PostsJsonWithTheHeadersGiven) {
  SocketServer server(answer_every_request);
  {
    HttpClient client({.headers = {{"Authorization", "Bearer key"}}});
    ASSERT_TRUE(client.post_json(server.url("/v1/completions"), "{\"a\":1}").has_value());
  }
  const std::string request = server.requests();
  EXPECT_EQ(request.find("POST /v1/completions HTTP/1.1\r\n"), 0u) << request;
  EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_NE(request.find("Authorization: Bearer key\r\n"), std::string::npos);
  EXPECT_NE(request.find("\r\n\r\n{\"a\":1}"), std::string::npos);
}

TEST(HttpClient, UserInfoOfTheUrlBecomesBasicAuthorization) {
  SocketServer server(answer_every_request);
  {
    Url url = server.url();
    url.user_info = "Aladdin:open%20sesame";
    HttpClient client;
    ASSERT_TRUE(client.get(url).has_value());
  }
  // The example of RFC 7617, section 2.
  EXPECT_NE(server.requests().find("Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"),
            std::string::npos);
}

TEST(HttpClient, OpensANewConnectionWhereTheServerClosedTheKeptOne) {
  SocketServer server([](SocketServer& self, int socket) {
    if (!self.next_request(socket).empty()) SocketServer::reply(socket, kOk);
  });
  {
    HttpClient client;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.get(server.url()).has_value());
  }
  EXPECT_EQ(server.connections(), 3);
}

TEST(HttpClient, ReadsChunkedBodiesAndBodiesThatEndWithTheConnection) {
  for (const std::string answer :
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nup \r\n2\r\n1\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nup 1\n", "HTTP/1.0 200 OK\r\n\r\nup 1\n"}) {
    SocketServer server([&](SocketServer& self, int socket) {
      if (!self.next_request(socket).empty()) SocketServer::reply(socket, answer);
    });
    HttpClient client;
    const auto reply = client.get(server.url());
    ASSERT_TRUE(reply.has_value()) << reply.error().message;
    EXPECT_EQ(reply->body, "up 1\n");
  }
}

TEST(HttpClient, AnyStatusIsAReply) {
  SocketServer server([](SocketServer& self, int socket) {
    if (self.next_request(socket).empty()) return;
    SocketServer::reply(socket,
                        "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n");
  });
  HttpClient client;
  const auto reply = client.get(server.url());
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 302);
  EXPECT_EQ(reply->location, "/login");
}

TEST(HttpClient, ARefusedConnectionIsNamedWithTheUrlButNeverThePassword) {
  std::string address;
  { address = SocketServer(answer_every_request).url().text(); }  // nobody listens there now
  Url url = *url_in(address);
  url.user_info = "user:secret";
  HttpClient client;
  const auto reply = client.get(url);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().kind, ErrorKind::missing);
  EXPECT_EQ(reply.error().message, address + ": connection refused");
  EXPECT_NE(reply.error().hint, "");
}

TEST(HttpClient, AServerThatNeverAnswersRunsIntoTheTimeout) {
  SocketServer server([](SocketServer& self, int socket) {
    while (!self.next_request(socket).empty()) {
    }
  });
  HttpClient client({.timeout = Seconds(0.05)});
  const auto reply = client.get(server.url());
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().message, server.url().text() + ": no answer in time");
}

TEST(HttpClient, ABodyOverTheLimitIsAnError) {
  SocketServer server(answer_every_request);
  HttpClient client({.body_limit = 4});
  const auto reply = client.get(server.url());
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().message, server.url().text() + ": the answer is too long");
}

TEST(HttpClient, SomethingElseThanHttpIsNamedAsSuch) {
  SocketServer server([](SocketServer& self, int socket) {
    if (!self.next_request(socket).empty())
      SocketServer::reply(socket, "\x15\x03\x01\x00\x02\x02\n\n");
  });
  HttpClient client;
  const auto reply = client.get(server.url());
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().message, server.url().text() + ": what answered does not speak HTTP");
}

TEST(HttpClient, AnAnswerCutInTheMiddleIsAnError) {
  SocketServer server([](SocketServer& self, int socket) {
    if (self.next_request(socket).empty()) return;
    SocketServer::reply(socket, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nup");
  });
  HttpClient client;
  const auto reply = client.get(server.url());
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().message,
            server.url().text() + ": the connection was closed before the answer was complete");
}

TEST(HttpClient, AHeaderWithALineEndIsRefusedBeforeAnythingIsSent) {
  HttpClient client({.headers = {{"X-Key", "a\r\nX-Other: b"}}});
  const auto reply = client.get(*url_in("http://127.0.0.1:9/"));
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().kind, ErrorKind::usage);
}

TEST(HttpClient, MakesASessionSendsItsTokenAndTakesTheSessionAway) {
  SocketServer server([](SocketServer& self, int socket) {
    while (true) {
      const std::string request = self.next_request(socket);
      if (request.empty()) return;
      SocketServer::reply(socket, request.rfind("POST", 0) == 0
                                      ? "HTTP/1.1 201 Created\r\nX-Auth-Token: t0ken\r\n"
                                        "Location: /Sessions/1\r\nContent-Length: 0\r\n\r\n"
                                      : "HTTP/1.1 204 No Content\r\n\r\n");
    }
  });
  HttpClient client;
  const auto made = client.post_json(server.url("/Sessions"), "{}");
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->auth_token, "t0ken");
  EXPECT_EQ(made->location, "/Sessions/1");
  client.set_header("X-Auth-Token", "old");
  client.set_header("X-Auth-Token", made->auth_token);
  EXPECT_EQ(client.remove(server.url("/Sessions/1"))->status, 204);
  client.set_header("X-Auth-Token", "");
  EXPECT_TRUE(client.get(server.url("/after")).has_value());
  const std::string requests = server.requests();
  const std::string removal = requests.substr(requests.find("DELETE /Sessions/1 HTTP/1.1"));
  EXPECT_NE(removal.find("X-Auth-Token: t0ken\r\n"), std::string::npos) << requests;
  EXPECT_EQ(removal.find("old"), std::string::npos);
  EXPECT_EQ(removal.find("X-Auth-Token", removal.find("GET /after")), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
