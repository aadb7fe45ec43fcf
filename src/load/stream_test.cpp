#include "load/stream.hpp"

#include <cerrno>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(PauseAfter, DoublesFrom100MillisecondsUpToTwoSeconds) {
  EXPECT_EQ(pause_after(1), milliseconds(100));
  EXPECT_EQ(pause_after(2), milliseconds(200));
  EXPECT_EQ(pause_after(5), milliseconds(1600));
  EXPECT_EQ(pause_after(6), whole_seconds(2));
  EXPECT_EQ(pause_after(1000), whole_seconds(2));
}

TEST(PauseAfter, FollowsRetryAfterWhereThatIsLongerUpTo30Seconds) {
  EXPECT_EQ(pause_after(1, "7"), whole_seconds(7));
  EXPECT_EQ(pause_after(6, "1"), whole_seconds(2));
  EXPECT_EQ(pause_after(1, "3600"), whole_seconds(30));
  EXPECT_EQ(pause_after(1, "Wed, 21 Oct 2026 07:28:00 GMT"), milliseconds(100));
  EXPECT_EQ(pause_after(1, "-5"), milliseconds(100));
}

TEST(RefusalText, QuotesTheStartOfTheBody) {
  EXPECT_EQ(refusal_text({.status = 401}, " \"no\nkey\" "), "http_401: 'no key'");
  EXPECT_EQ(refusal_text({.status = 500}, ""), "http_500");
  EXPECT_LT(refusal_text({.status = 500}, std::string(500, 'x')).size(), 150U);
}

TEST(FailureText, NamesWhatOftenHappensAndQuotesTheRest) {
  EXPECT_EQ(failure_text(ECONNREFUSED), "refused");
  EXPECT_EQ(failure_text(ECONNRESET), "reset");
  EXPECT_EQ(failure_text(EPIPE), "reset");
  EXPECT_EQ(failure_text(EHOSTUNREACH), "unreachable: No route to host");
}

}  // namespace
}  // namespace tokenjoule
