#include "published/seeded_lengths.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "base/csv_rows.hpp"
#include "base/text.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kTotals =
    TOKENJOULE_SOURCE_DIR "/../shared/data/inferencemax/derived/seed0_token_totals.csv";

TokenTotals totals(std::uint32_t isl, std::uint32_t osl, std::uint32_t requests,
                   double ratio = 0.8) {
  return SeededTotals({isl, osl, ratio, 0}).of(requests);
}

TEST(SeededTotals, AreThoseOfMeasuredRuns) {
  // Windows that InferenceX published with their token totals: B200 and MI355X, 2026.
  EXPECT_EQ(totals(8192, 1024, 10), (TokenTotals{73973, 9303}));
  EXPECT_EQ(totals(8192, 1024, 40), (TokenTotals{294050, 36805}));
  EXPECT_EQ(totals(8192, 1024, 640), (TokenTotals{4727544, 589927}));
  EXPECT_EQ(totals(1024, 1024, 40), (TokenTotals{37068, 36709}));
  EXPECT_EQ(totals(1024, 1024, 640), (TokenTotals{590227, 589961}));
}

TEST(SeededTotals, WithoutRangeTheLengthsAreTheNominalOnes) {
  EXPECT_EQ(totals(1000, 200, 7, 1.0), (TokenTotals{7000, 1400}));
}

TEST(SeededTotals, ALengthWithoutRangeDrawsNoWordForItself) {
  // trunc(0.8 * 1) = 0 and 1: one bit a draw. trunc(0.99 * 1000) = 990 to 1000: 11 numbers.
  SeededTotals answers_only({1, 1, 1.0, 0});
  EXPECT_EQ(answers_only.of(1000), (TokenTotals{1000, 1000}));
  EXPECT_EQ(answers_only.words(), 0U);
}

TEST(SeededTotals, DoNotDependOnWhatWasAskedBefore) {
  SeededTotals asked({8192, 1024, 0.8, 0});
  asked.of(640);
  EXPECT_EQ(asked.of(10), (TokenTotals{73973, 9303}));
  EXPECT_EQ(asked.of(640), (TokenTotals{4727544, 589927}));
}

TEST(SeededTotals, TheGeneratorIsMt19937AsItsAuthorsSeedIt) {
  // First words of mt19937ar.c after init_genrand(5489) (its default seed).
  const std::uint32_t first[] = {3499211612, 581869302, 3890346734, 3586334585, 545404204};
  std::mt19937 generator(5489);
  for (const std::uint32_t word : first) EXPECT_EQ(generator(), word);
}

TEST(MaskedUniform, RejectsWhatLiesOutsideOfTheRange) {
  const MaskedUniform six_numbers(10, 15);  // range 5, mask 7
  EXPECT_EQ(six_numbers.from(8 + 5), 15U);
  EXPECT_EQ(six_numbers.from(8 + 6), std::nullopt);
}

TEST(MatchSeed, FindsHowManyRequestsARunHad) {
  const SeededWorkload workload{8192, 1024, 0.8, 0};
  SeededTotals sums(workload);
  const auto match = match_seed(sums, workload, 294050.0 / 36805.0, 4);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->fit, SeedFit::exact);
  EXPECT_EQ(match->per_stream, 10U);
  EXPECT_EQ(match->requests, 40U);
  EXPECT_DOUBLE_EQ(match->mean_input_len, 7351.25);  // 294050 / 40
  EXPECT_DOUBLE_EQ(match->mean_output_len, 920.125);
}

TEST(MatchSeed, OneLostTokenIsNoExactFit) {
  const SeededWorkload workload{8192, 1024, 0.8, 0};
  SeededTotals sums(workload);
  const auto match = match_seed(sums, workload, 4727544.0 / 589926.0, 64);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->fit, SeedFit::near);  // 1 in 589 927 is 1.7e-6
  EXPECT_NEAR(match->deviation, 1.7e-6, 1e-7);
}

TEST(MatchSeed, AFewPerCentAreAnotherWorkload) {
  const SeededWorkload workload{8192, 1024, 0.8, 0};
  SeededTotals sums(workload);
  const auto match = match_seed(sums, workload, 1.03 * 294050.0 / 36805.0, 4);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->fit, SeedFit::other);
  EXPECT_NEAR(match->deviation, 0.03, 1e-9);
}

TEST(MatchSeed, EqualLengthsForAllAreFixed) {
  const SeededWorkload workload{1024, 1024, 0.8, 0};
  SeededTotals sums(workload);
  EXPECT_EQ(match_seed(sums, workload, 1.0, 16)->fit, SeedFit::fixed);
}

TEST(MatchSeed, MoreStreamsThanCanBeLookedAtGiveNoAnswer) {
  const SeededWorkload workload{1024, 1024, 0.8, 0};
  SeededTotals sums(workload);
  EXPECT_FALSE(match_seed(sums, workload, 1.001, kMostRequests + 1));
}

TEST(SeededTotals, AgreeWithTheTableOfAnotherComputation) {
  if (!std::filesystem::exists(kTotals)) GTEST_SKIP() << "the table of totals is not here";
  std::ifstream file(kTotals, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  CsvRows rows(bytes);
  rows.next();
  int compared = 0;
  while (const auto* const cells = rows.next()) {
    const auto number = [&](std::size_t i) { return *number_in(cells->at(i)); };
    const auto sums =
        totals(static_cast<std::uint32_t>(number(0)), static_cast<std::uint32_t>(number(1)),
               static_cast<std::uint32_t>(number(4)), number(2));
    EXPECT_EQ(static_cast<double>(sums.input), number(5)) << cells->at(4);
    EXPECT_EQ(static_cast<double>(sums.output), number(6)) << cells->at(4);
    ++compared;
  }
  EXPECT_EQ(compared, 36);
}

}  // namespace
}  // namespace tokenjoule
