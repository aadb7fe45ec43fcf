#include "load/data/sampling.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

std::vector<std::uint64_t> first(Sampling sampling, std::uint64_t count, std::uint64_t requests,
                                 std::uint64_t seed = 1) {
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < requests; ++i) {
    indices.push_back(sampled_index(sampling, count, i, seed, 0));
  }
  return indices;
}

TEST(Sampling, PermuteUsesEachEntryOnceAPass) {
  for (const std::uint64_t count : {1U, 2U, 3U, 7U, 64U, 1000U}) {
    const auto indices = first(Sampling::permute, count, 2 * count);
    const auto middle = indices.begin() + static_cast<std::ptrdiff_t>(count);
    EXPECT_EQ(std::set<std::uint64_t>(indices.begin(), middle).size(), count);
    EXPECT_EQ(std::set<std::uint64_t>(middle, indices.end()).size(), count);
    EXPECT_LT(*std::max_element(indices.begin(), indices.end()), count);
  }
}

TEST(Sampling, PermuteHasAnotherOrderEachPassAndUnderAnotherSeed) {
  const auto indices = first(Sampling::permute, 100, 200);
  const auto middle = indices.begin() + 100;
  EXPECT_FALSE(std::equal(indices.begin(), middle, middle));
  EXPECT_NE(first(Sampling::permute, 100, 100, 1), first(Sampling::permute, 100, 100, 2));
}

TEST(Sampling, ReplacementReachesAllEntriesAndRepeatsSome) {
  std::map<std::uint64_t, int> uses;
  for (const auto index : first(Sampling::replacement, 10, 200)) ++uses[index];
  EXPECT_EQ(uses.size(), 10U);
  EXPECT_EQ(first(Sampling::replacement, 10, 200), first(Sampling::replacement, 10, 200));
}

TEST(Sampling, SequentialFollowsTheFileAndBeginsAnew) {
  EXPECT_EQ(first(Sampling::sequential, 3, 5), (std::vector<std::uint64_t>{0, 1, 2, 0, 1}));
}

}  // namespace
}  // namespace tokenjoule
