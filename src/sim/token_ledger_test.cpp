#include "sim/token_ledger.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(TokenLedger, CountsWhatWasStampedBefore) {
  TokenLedger ledger;
  EXPECT_EQ(ledger.before({100}), 0);
  ledger.add({10}, 1);
  ledger.add({20}, 2);
  ledger.add({20}, 4);
  ledger.add({30}, 8);
  EXPECT_EQ(ledger.before({10}), 0);
  EXPECT_EQ(ledger.before({11}), 1);
  EXPECT_EQ(ledger.before({20}), 1);
  EXPECT_EQ(ledger.before({21}), 7);
  EXPECT_EQ(ledger.before({1000}), 15);
  EXPECT_EQ(ledger.total(), 15);
}

TEST(TokenLedger, IsExactOverMillionsOfStamps) {
  TokenLedger ledger;
  for (std::int64_t i = 0; i < 1'000'000; ++i) ledger.add({i * 10}, 2);
  for (const std::int64_t i : {0, 1, 65'535, 65'536, 65'537, 131'072, 999'999})
    EXPECT_EQ(ledger.before({i * 10}), 2 * i);
  EXPECT_EQ(ledger.before({10'000'000}), 2'000'000);
}

}  // namespace
}  // namespace tokenjoule
