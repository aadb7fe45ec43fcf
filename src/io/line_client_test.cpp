#include "io/line_client.hpp"

#include <gtest/gtest.h>

#include "io/testing_server.hpp"

namespace tokenjoule {
namespace {

std::string read_line(int socket) {
  std::string line;
  for (char c = 0; recv(socket, &c, 1, 0) == 1;) {
    line += c;
    if (c == '\n') break;
  }
  return line;
}

TEST(LineClient, LinesGoBothWaysHoweverTheyAreCut) {
  SocketServer server([](SocketServer&, int socket) {
    const std::string asked = read_line(socket);
    SocketServer::reply(socket, "one\r\ntwo\nthr");
    SocketServer::reply(socket, "ee " + asked);
    read_line(socket);  // until the client has gone
  });
  auto client = LineClient::connect("127.0.0.1", server.url().port, whole_seconds(60));
  ASSERT_TRUE(client.has_value()) << client.error().message;
  ASSERT_TRUE(client->send("Hello").has_value());
  EXPECT_EQ(client->next_line(whole_seconds(60)), "one");
  EXPECT_EQ(client->next_line(whole_seconds(60)), "two");
  EXPECT_EQ(client->next_line(whole_seconds(60)), "three Hello");
  const auto none = client->next_line({0});
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("in time"), std::string::npos);
}

TEST(LineClient, TheEndOfTheConnectionAndALineWithoutEndAreErrors) {
  SocketServer server([](SocketServer&, int socket) {
    if (read_line(socket) == "long\r\n") SocketServer::reply(socket, std::string(1 << 17, 'x'));
  });
  for (const char* line : {"long", "short"}) {
    auto client = LineClient::connect("127.0.0.1", server.url().port, whole_seconds(60));
    ASSERT_TRUE(client.has_value());
    ASSERT_TRUE(client->send(line).has_value());
    const auto end = client->next_line(whole_seconds(60));
    ASSERT_FALSE(end.has_value());
    EXPECT_NE(end.error().message.find("end"), std::string::npos) << end.error().message;
  }
}

TEST(LineClient, WhereNobodyListensIsSaid) {
  const auto client = LineClient::connect("127.0.0.1", 1, whole_seconds(1));
  ASSERT_FALSE(client.has_value());
  EXPECT_EQ(client.error().kind, ErrorKind::missing);
  EXPECT_NE(client.error().message.find("refused"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
