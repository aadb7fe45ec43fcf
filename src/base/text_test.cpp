#include "base/text.hpp"

#include <gtest/gtest.h>

#include "base/url.hpp"

namespace tokenjoule {
namespace {

TEST(Durations, TakeTheUsualForms) {
  EXPECT_DOUBLE_EQ(duration_in("60")->value(), 60);
  EXPECT_DOUBLE_EQ(duration_in("60s")->value(), 60);
  EXPECT_DOUBLE_EQ(duration_in("1.5m")->value(), 90);
  EXPECT_DOUBLE_EQ(duration_in("250ms")->value(), 0.25);
  EXPECT_DOUBLE_EQ(duration_in("2h")->value(), 7200);
  for (const char* bad : {"", "s", "-1", "1x", "nan", "inf", "1e300", "1 2"})
    EXPECT_FALSE(duration_in(bad)) << bad;
}

TEST(Numbers, MustBeWhole) {
  EXPECT_EQ(number_in("1e3"), 1000.0);
  EXPECT_EQ(number_in("+2"), 2.0);
  EXPECT_FALSE(number_in("1.0x"));
  EXPECT_FALSE(number_in("nan"));
  EXPECT_FALSE(number_in("1e999"));
  EXPECT_EQ(integer_in("-5"), -5);
  EXPECT_FALSE(integer_in("5.0"));
}

TEST(Suggestions, NameTheNearest) {
  const std::string names[] = {"concurrency", "duration", "url"};
  EXPECT_EQ(closest("concurency", names), "concurrency");
  EXPECT_EQ(closest("rul", names), "url");  // two neighbours swapped
  EXPECT_FALSE(closest("zzz", names));
  EXPECT_EQ(did_you_mean("duraton", names), " (did you mean duration?)");
}

TEST(Quoting, MakesForeignBytesHarmless) {
  EXPECT_EQ(quoted("a\x1b[31m\"b\n"), "a [31m'b ");
  EXPECT_EQ(quoted("aaaa\xc3\xa4", 5), "aaaa...");  // never inside a UTF-8 sequence
}

TEST(Urls, TakeWhatPeopleWrite) {
  EXPECT_EQ(api_root(*url_in("http://h:8000/v1/")).text(), "http://h:8000");
  EXPECT_EQ(url_in("h")->port, 80);
  EXPECT_EQ(url_in("https://h")->port, 443);
  EXPECT_EQ(url_in("http://[::1]:9/x")->host, "::1");
  EXPECT_EQ(url_in("http://[::1]:9")->authority(), "[::1]:9");
  EXPECT_EQ(url_in("http://u:secret@h/x")->text(), "http://h:80/x");
  for (const char* bad :
       {"", "http://", "ftp://h", "http://h:0", "http://h:x", "http://[::1", "http://a b"}) {
    const auto url = url_in(bad);
    ASSERT_FALSE(url) << bad;
    EXPECT_EQ(url.error().kind, ErrorKind::usage);
  }
}

TEST(Urls, NeverShowAPassword) {
  EXPECT_EQ(url_in("http://h/metrics?token=secret")->text(), "http://h:80/metrics?…");
  EXPECT_EQ(url_in("http://h/metrics?token=secret")->path, "/metrics?token=secret");
  const auto url = url_in("http://u:secret@h:x");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
