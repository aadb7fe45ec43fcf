#include "published/real_lengths.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "published/footing.hpp"
#include "published/importers.hpp"

namespace tokenjoule {
namespace {

PublishedSet row_with(double input_rate, double output_rate) {
  PublishedSet set;
  read_published(
      "row",
      fmt::format(R"({{"hw":"h200","infmax_model_prefix":"dsr1","tp":8,"isl":8192,"osl":1024,
"conc":64,"tput_per_gpu":{},"input_tput_per_gpu":{},"output_tput_per_gpu":{}}})",
                  input_rate + output_rate, input_rate, output_rate),
      set);
  complete_real_lengths(set);
  return set;
}

TEST(RealLengths, ComeFromTheRatioOfTokensWhereItIsExact) {
  // 640 queries of 8192/1024 from seed 0 have 4 727 544 tokens in and 589 927 out.
  auto set = row_with(4727.544, 589.927);
  const PublishedResult& row = set.rows.at(0);
  EXPECT_TRUE(row.has(RowFlag::seeded_lengths));
  EXPECT_DOUBLE_EQ(*row.mean_input_len, 4727544.0 / 640);
  EXPECT_DOUBLE_EQ(*row.mean_output_len, 589927.0 / 640);
  const auto figure = footing_of(set, {0}, {}).figures.at(0);
  // Queries of 0.9 of the nominal lengths take 0.9 of the energy: (7386.8 + 921.8) / 9216.
  EXPECT_NEAR(*figure.j_answer / 3600 / *figure.wh_query, 8308.5484375 / 9216, 1e-9);
}

TEST(RealLengths, StayUnknownWhereTheRatioIsNoneOfTheSeed) {
  const auto set = row_with(4727.544, 580.0);
  EXPECT_EQ(set.rows.at(0).mean_input_len, std::nullopt);
  EXPECT_FALSE(set.rows.at(0).has(RowFlag::seeded_lengths));
}

TEST(RealLengths, MostOfficialRowsHaveThem) {
  const std::filesystem::path path = TOKENJOULE_SOURCE_DIR "/../shared/data/inferencemax/api_rows";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the published files are not here";
  PublishedSet set;
  for (const auto* name : {"benchmarks-history.json", "benchmarks.json"}) {
    std::ifstream file(path / name, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    read_published(name, bytes, set);
  }
  finish(set);
  complete_real_lengths(set);
  std::size_t known = 0;
  for (const auto& row : set.rows) known += row.has(RowFlag::seeded_lengths) ? 1U : 0U;
  EXPECT_EQ(known, 1285U);
}

}  // namespace
}  // namespace tokenjoule
