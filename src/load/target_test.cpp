#include "load/target.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

LoadOptions plain_options() { return LoadOptions{}; }

std::string head_with(const std::string& url, const LoadOptions& options) {
  return request_head(url_in(url).value(), options).value();
}

TEST(Target, TheHeadNamesPathHostAndTypes) {
  EXPECT_EQ(head_with("http://gpu7:8000", plain_options()),
            "POST /v1/completions HTTP/1.1\r\nHost: gpu7:8000\r\nContent-Type: application/json\r\n"
            "Accept: text/event-stream, application/json\r\nUser-Agent: tokenjoule\r\n"
            "Content-Length: ");
}

TEST(Target, ARootWithAPathKeepsItInFrontOfTheEndpoint) {
  LoadOptions options = plain_options();
  options.endpoint = EndpointKind::chat;
  EXPECT_EQ(head_with("http://h:1/api", options).substr(0, 34),
            "POST /api/v1/chat/completions HTTP");
  options.path = "/generate";
  EXPECT_EQ(head_with("http://h:1", options).substr(0, 19), "POST /generate HTTP");
}

TEST(Target, AnIpv6HostStandsInBrackets) {
  EXPECT_NE(head_with("http://[::1]:8000", plain_options()).find("Host: [::1]:8000\r\n"),
            std::string::npos);
}

TEST(Target, KeysAndUserInfoBecomeAuthorization) {
  EXPECT_NE(head_with("http://user:pass@h", plain_options())
                .find("Authorization: Basic dXNlcjpwYXNz\r\n"),  // RFC 4648 of "user:pass"
            std::string::npos);
  LoadOptions options = plain_options();
  options.api_key = "k";
  EXPECT_NE(head_with("http://user:pass@h", options).find("Authorization: Bearer k\r\n"),
            std::string::npos);
}

TEST(Target, AHeaderOfTheUserReplacesOursOfThatName) {
  LoadOptions options = plain_options();
  options.api_key = "k";
  options.headers = {{"authorization", "Token t"}, {"X-Tag", "1"}};
  const std::string head = head_with("http://h", options);
  EXPECT_EQ(head.find("Bearer"), std::string::npos);
  EXPECT_NE(head.find("authorization: Token t\r\n"), std::string::npos);
  EXPECT_NE(head.find("X-Tag: 1\r\n"), std::string::npos);
}

TEST(Target, AHeaderThatBreaksTheHeadIsRefusedWithoutShowingItsValue) {
  for (const auto& [name, value] : HttpHeaders{{"X", "secret\r\nEvil: 1"},
                                               {"X Y", "secret"},
                                               {"", "secret"},
                                               {"Content-Length", "secret"},
                                               {"Accept-Encoding", "secret"}}) {
    LoadOptions options = plain_options();
    options.headers = {{name, value}};
    const auto head = request_head(url_in("http://h").value(), options);
    ASSERT_FALSE(head.has_value()) << name;
    EXPECT_EQ(head.error().kind, ErrorKind::usage);
    EXPECT_EQ((head.error().message + head.error().hint).find("secret"), std::string::npos);
  }
}

TEST(Target, HttpsNeedsCertificatesThatCanBeRead) {
  LoadOptions options = plain_options();
  EXPECT_FALSE(target_for(url_in("http://127.0.0.1:9").value(), options).value().tls.has_value());
  EXPECT_TRUE(target_for(url_in("https://127.0.0.1:9").value(), options).value().tls.has_value());
  options.tls.ca_file = "/nowhere.pem";
  const auto target = target_for(url_in("https://127.0.0.1:9").value(), options);
  ASSERT_FALSE(target.has_value());
  EXPECT_EQ(target.error().kind, ErrorKind::usage);
}

TEST(Target, SecretsAreTakenOutOfTexts) {
  LoadOptions options = plain_options();
  options.headers = {{"Authorization", "Bearer sk-hidden"}, {"X-Team", "abc"}};
  const Target target =
      target_for(url_in("http://user:password@127.0.0.1:9").value(), options).value();
  EXPECT_EQ(without_secrets("abc said Bearer sk-hidden, sk-hidden and password", target.secrets),
            "abc said ***, *** and ***");
}

TEST(Target, TheFirstPartOfASecretAtACutIsTakenOutToo) {
  const std::vector<std::string> secrets = {"sk-hidden"};
  EXPECT_EQ(without_secrets("no such key: sk-hid...", secrets), "no such key: ***...");
  EXPECT_EQ(without_secrets("no such key: sk-hidde", secrets), "no such key: ***");
  EXPECT_EQ(without_secrets("no such key: sk-hi", secrets), "no such key: sk-hi");
}

TEST(Target, NumericAddressesOfBothFamiliesResolve) {
  EXPECT_EQ(target_for(url_in("http://127.0.0.1:9").value(), plain_options())
                .value()
                .addresses.at(0)
                .storage.ss_family,
            AF_INET);
  EXPECT_EQ(target_for(url_in("http://[::1]:9").value(), plain_options())
                .value()
                .addresses.at(0)
                .storage.ss_family,
            AF_INET6);
}

TEST(Target, AHostThatIsNotKnownIsMissing) {
  const auto target = target_for(url_in("http://no-such-host.invalid").value(), plain_options());
  ASSERT_FALSE(target.has_value());
  EXPECT_EQ(target.error().kind, ErrorKind::missing);
}

TEST(Target, HeadForABodyEndsWithItsLength) {
  EXPECT_EQ((Target{.head = "A: 1\r\nContent-Length: "}).head_for(12),
            "A: 1\r\nContent-Length: 12\r\n\r\n");
}

}  // namespace
}  // namespace tokenjoule
