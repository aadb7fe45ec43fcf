#include "published/length_fit.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

using Rows = std::vector<LengthEnergy>;

/// 0.01 mWh per input token, 0.1 mWh per output token.
const Rows kPlane = {{{1000, 1000}, 0.11}, {{1000, 8000}, 0.81}, {{8000, 1000}, 0.18}};

TEST(FitLengths, RowsOfOneLawGiveItsTwoPartsAndNoResidual) {
  const auto fit = fit_lengths(kPlane);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->wh_input, 1e-5, 1e-15);
  EXPECT_NEAR(fit->wh_output, 1e-4, 1e-15);
  EXPECT_NEAR(fit->most_deviation, 0, 1e-12);
  EXPECT_NEAR(fit->wh_of({2000, 3000}), 0.32, 1e-12);  // 0.02 + 0.3
}

TEST(FitLengths, DeviationsCountRelativeToEachEnergy) {
  // Twice the same lengths at 1 and 3 Wh: x minimises (x/1 - 1)^2 + (x/3 - 1)^2, so x = 1.2.
  const Rows rows = {{{1, 1}, 1}, {{1, 1}, 3}, {{1, 2}, 2.4}, {{2, 1}, 1.2}};
  const auto fit = fit_lengths(rows);
  ASSERT_TRUE(fit);
  // With 0 per input and 1.2 per output token the last two rows are met, and the first two best.
  EXPECT_NEAR(fit->wh_input, 0, 1e-9);
  EXPECT_NEAR(fit->wh_output, 1.2, 1e-9);
  EXPECT_NEAR(fit->most_deviation, -0.6, 1e-9);         // 1.2 of 3 Wh
  EXPECT_NEAR(fit->mean_deviation, 0.316227766, 1e-8);  // root of (0.2^2 + 0.6^2) / 4
}

TEST(FitLengths, NoPartIsNegative) {
  // The longer input takes less energy: a free fit would give -1/7 of the output's part to it.
  const Rows rows = {{{1000, 1000}, 0.10}, {{1000, 8000}, 0.80}, {{8000, 1000}, 0.05}};
  const auto fit = fit_lengths(rows);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->wh_input, 0);
  EXPECT_GT(fit->wh_output, 0);
  EXPECT_GT(fit->mean_deviation, 0.1);
}

TEST(FitLengths, LengthsInOneLineCannotTellThePartsApart) {
  EXPECT_FALSE(fit_lengths(Rows{{{1000, 1000}, 1}, {{8000, 8000}, 8}, {{4000, 4000}, 4}}));
  EXPECT_FALSE(fit_lengths(Rows{{{1000, 1000}, 1}, {{8000, 1000}, 8}}));
  EXPECT_FALSE(fit_lengths(Rows{}));
}

TEST(InSpan, IsTheTriangleOfItsRowsWithItsEdges) {
  EXPECT_TRUE(in_span(kPlane, {1000, 1000}));
  EXPECT_TRUE(in_span(kPlane, {4500, 4500}));  // on the edge from 1000/8000 to 8000/1000
  EXPECT_TRUE(in_span(kPlane, {2000, 1500}));
  EXPECT_FALSE(in_span(kPlane, {8000, 8000}));  // each length alone would be inside
  EXPECT_FALSE(in_span(kPlane, {1000, 999}));
  EXPECT_FALSE(in_span(kPlane, {8001, 1000}));
  EXPECT_FALSE(in_span(Rows{}, {1, 1}));
}

}  // namespace
}  // namespace tokenjoule
