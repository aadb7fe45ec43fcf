#include "model/token_times.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(TokenTimes, AreWrittenAsGapsInMicroseconds) {
  TokenTimesWriter writer(MonoTime{1'000'000});  // sent at 1 ms
  writer.add({MonoTime{1'351'000'000}, std::nullopt, false});
  writer.add({MonoTime{1'371'000'000}, 3, false});
  writer.add({MonoTime{1'371'000'000}, std::nullopt, true});
  EXPECT_EQ(writer.take(), "1350000 20000x3 0~");
}

TEST(TokenTimes, ReadBackAsWritten) {
  const TokenTimes times = TokenTimes::in("1350000 20000x3 0~").value();
  TokenTimesReader reader(times, MonoTime{1'000'000});
  EXPECT_EQ(reader.next()->at.ns, 1'351'000'000);
  const auto second = reader.next();
  EXPECT_EQ(second->at.ns, 1'371'000'000);
  EXPECT_EQ(second->tokens, 3);
  EXPECT_TRUE(reader.next()->censored);
  EXPECT_FALSE(reader.next());
}

TEST(TokenTimes, AStampBeforeItsPredecessorIsHeldAtIt) {
  TokenTimesWriter writer(MonoTime{0});
  writer.add({MonoTime{5000}, {}, false});
  writer.add({MonoTime{4000}, {}, false});
  EXPECT_EQ(writer.take(), "5 0");
}

TEST(TokenTimes, WhatDoesNotFitIsBrokenAndNeverAnEndlessLoop) {
  for (const char* bad :
       {"x", "1 x2", "1  2", "-5", "1x", "1x-2", "99999999999999", "1~~", "1.5", " 1", "1 "}) {
    EXPECT_FALSE(TokenTimes::in(bad)) << bad;
  }
  EXPECT_TRUE(TokenTimes::in(""));
  EXPECT_TRUE(TokenTimes::in("1 2x0 3~"));
}

TEST(TokenTimes, EveryTextComesBackAsItWas) {
  for (const char* text :
       {"0", "1000000000000 0 1000000000000", "1x9223372036854775806 2 3x0 4x0 5~",
        "127 191 192 16383 16384 0 2097151~ 1x1 1x1 1x1 1x2 1", "20000 20000 20000"}) {
    EXPECT_EQ(TokenTimes::in(text).value().text(), text);
  }
}

TEST(TokenTimes, TakeTwoBytesAnEventWhereGapsVaryByUpToTwoMilliseconds) {
  TokenTimesWriter writer(MonoTime{0});
  MonoTime at;
  for (int i = 0; i < 1000; ++i) {
    at = at + microseconds(i % 2 == 0 ? 40'000 : 41'900);
    writer.add({at, {}, false});
  }
  EXPECT_LE(writer.take().bytes(), 2U * 1000 + 2);
}

}  // namespace
}  // namespace tokenjoule
