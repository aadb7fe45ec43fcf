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
  TokenTimesReader reader("1350000 20000x3 0~", MonoTime{1'000'000});
  EXPECT_EQ(reader.next()->at.ns, 1'351'000'000);
  const auto second = reader.next();
  EXPECT_EQ(second->at.ns, 1'371'000'000);
  EXPECT_EQ(second->tokens, 3);
  EXPECT_TRUE(reader.next()->censored);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.broken());
}

TEST(TokenTimes, AStampBeforeItsPredecessorIsHeldAtIt) {
  TokenTimesWriter writer(MonoTime{0});
  writer.add({MonoTime{5000}, {}, false});
  writer.add({MonoTime{4000}, {}, false});
  EXPECT_EQ(writer.take(), "5 0");
}

TEST(TokenTimes, WhatDoesNotFitIsBrokenAndNeverAnEndlessLoop) {
  for (const char* bad :
       {"x", "1 x2", "1  2", "-5", "1x", "1x-2", "99999999999999", "1~~", "1.5", " 1"}) {
    EXPECT_FALSE(is_token_times(bad)) << bad;
  }
  EXPECT_TRUE(is_token_times(""));
  EXPECT_TRUE(is_token_times("1 2x0 3~"));
}

}  // namespace
}  // namespace tokenjoule
