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

TEST(PauseAfter, FollowsRetryAfterWhereThatIsLongerUpToAMinute) {
  EXPECT_EQ(pause_after(1, whole_seconds(7)), whole_seconds(7));
  EXPECT_EQ(pause_after(6, whole_seconds(1)), whole_seconds(2));
  EXPECT_EQ(pause_after(1, whole_seconds(3600)), whole_seconds(60));
}

TEST(RetryAfter, IsSecondsOrADate) {
  const WallTime now{1'792'567'670'500'000'000};  // Wed, 21 Oct 2026 07:27:50.5 GMT
  EXPECT_EQ(retry_after_in(" 7 ", now), whole_seconds(7));
  EXPECT_EQ(retry_after_in("99999999999999999999", now), whole_seconds(24 * 3600));
  EXPECT_EQ(retry_after_in("0", now), whole_seconds(0));
  EXPECT_EQ(retry_after_in("Wed, 21 Oct 2026 07:28:00 GMT", now), whole_seconds(10));
  EXPECT_EQ(retry_after_in("999999999", now), whole_seconds(86'400));
}

TEST(RetryAfter, OfAnythingElseIsNone) {
  const WallTime now{1'792'567'670'500'000'000};
  for (const char* const text : {"", "-5", "1.5", "soon", "Wed, 21 Oct 2026 07:27:00 GMT",
                                 "Wed, 21 Oct 2026 07:28:00 GMT or so"}) {
    EXPECT_EQ(retry_after_in(text, now), std::nullopt) << text;
  }
}

TEST(RefusalText, IsTheClassThenTheStatusThenWhatWasSaid) {
  EXPECT_EQ(refusal_text({.status = 401}, " \"no\nkey\" "), "unauthorized: http 401: 'no key'");
  EXPECT_EQ(refusal_text({.status = 500}, ""), "server_error: http 500");
  HttpHead moved;
  moved.status = 307;
  moved.location = "https://me:pass@h/v1?token=secret";
  EXPECT_EQ(refusal_text(moved, ""),
            "redirected: http 307: sends on to \"https://h/v1\", which is not followed: give that "
            "URL");
  EXPECT_LT(refusal_text({.status = 500}, std::string(500, 'x')).size(), 250U);
}

TEST(FailureText, NamesWhatOftenHappensAndQuotesTheRest) {
  EXPECT_EQ(failure_text(ECONNREFUSED), "refused");
  EXPECT_EQ(failure_text(ECONNRESET), "reset");
  EXPECT_EQ(failure_text(EPIPE), "reset");
  EXPECT_EQ(failure_text(EHOSTUNREACH), "unreachable: No route to host");
}

}  // namespace
}  // namespace tokenjoule
