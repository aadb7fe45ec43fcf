#include "load/data/length_mix.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(LengthMix, TakesPairsWithWeights) {
  const auto mix = length_mix_in("8192/1024:0.25, 512-1536/8:3,1/2");
  ASSERT_TRUE(mix);
  ASSERT_EQ(mix->size(), 3U);
  EXPECT_EQ(text_of(*mix), "8192/1024:0.25,512-1536/8:3,1/2:1");
}

TEST(LengthMix, RefusesWhatIsNone) {
  for (const char* text :
       {"", "8192", "8192/1024:0", "8192/1024:-1", "8192/1024:x", "0/1:1", "/"}) {
    EXPECT_FALSE(length_mix_in(text)) << text;
  }
}

TEST(ModelShares, TakeNamesWithWeights) {
  const auto shares = model_shares_in("a=3,base");
  ASSERT_TRUE(shares);
  EXPECT_EQ((*shares)[0].name, "a");
  EXPECT_DOUBLE_EQ((*shares)[0].weight, 3);
  EXPECT_DOUBLE_EQ((*shares)[1].weight, 1);
  EXPECT_FALSE(model_shares_in("a=,b"));
  EXPECT_FALSE(model_shares_in("=1"));
  EXPECT_EQ(model_shares_in("a=1,b,a=3").error().message, "a is named twice");
}

TEST(ChosenShare, FollowsTheWeights) {
  const std::vector<ModelShare> shares = {{"a", 3}, {"b", 1}};
  EXPECT_EQ(chosen_share(shares, 0.0).name, "a");
  EXPECT_EQ(chosen_share(shares, 0.74).name, "a");
  EXPECT_EQ(chosen_share(shares, 0.76).name, "b");
  EXPECT_EQ(chosen_share(shares, 0.9999999).name, "b");
}

}  // namespace
}  // namespace tokenjoule
