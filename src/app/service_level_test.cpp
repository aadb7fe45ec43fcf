#include "app/service_level.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(ServiceLevel, TakesLimitsInMilliseconds) {
  const auto level = service_level_in("ttft:200, tpot:50,e2el:5000");
  ASSERT_TRUE(level);
  EXPECT_DOUBLE_EQ(level->ttft->value(), 0.2);
  EXPECT_DOUBLE_EQ(level->tpot->value(), 0.05);
  EXPECT_DOUBLE_EQ(level->e2e->value(), 5);
  EXPECT_FALSE(service_level_in("ttft:200 tpot:50")->e2e);
}

TEST(ServiceLevel, KnowsMlperfsLimits) {
  const auto level = service_level_in("mlperf:llama3.1-8b-interactive");
  ASSERT_TRUE(level);
  EXPECT_DOUBLE_EQ(level->ttft->value(), 0.5);
  EXPECT_DOUBLE_EQ(level->tpot->value(), 0.03);
  EXPECT_FALSE(level->e2e);
  EXPECT_NE(service_level_in("mlperf:llama3.1-8").error().message.find("mlperf:llama3.1-8b"),
            std::string::npos);
}

TEST(ServiceLevel, RefusesWhatIsNone) {
  for (const char* text :
       {"", ",", "ttft", "ttft:0", "ttft:-1", "ttft:1,ttft:2", "itl:3", "ttft:x"}) {
    EXPECT_FALSE(service_level_in(text)) << text;
  }
}

}  // namespace
}  // namespace tokenjoule
