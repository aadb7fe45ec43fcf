#include "published/estimate.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "published/importers.hpp"

namespace tokenjoule {
namespace {

/// Rows of 1000 W on one board whose query takes 0.01 mWh per input and 0.1 mWh per output token.
std::string rows_of(std::string_view model, double factor) {
  std::string text;
  for (const auto& [input, output] :
       {std::pair(1000.0, 1000.0), {1000.0, 8000.0}, {8000.0, 1000.0}}) {
    const double wh = (input * 1e-5 + output * 1e-4) * factor;
    text += fmt::format("{},h200,1,64,2026-02-01,{},{},{},1000\n", model, input, output,
                        1000 * (input + output) / 3600 / wh);
  }
  return text;
}

constexpr std::string_view kHead = "model,gpu,gpus,conc,date,isl,osl,tok_s,measured_gpu_w\n";

PublishedSet set_of(const std::string& csv) {
  PublishedSet set;
  read_published("rows.csv", csv, set);
  finish(set);
  EXPECT_TRUE(set.problems.empty());
  return set;
}

Estimates estimated(PublishedSet& set, const QueryLengths& lengths) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) rows.push_back(i);
  return estimates_of(set, footing_of(set, rows, {}), lengths);
}

TEST(Estimate, IsMadeForEachConfigurationTheLeastEnergyFirst) {
  auto set = set_of(std::string(kHead) + rows_of("large", 2) + rows_of("small", 1));
  const Estimates made = estimated(set, {2000, 3000});
  ASSERT_EQ(made.found.size(), 2U);
  EXPECT_NEAR(made.found[0].wh, 0.32, 1e-9);
  EXPECT_NEAR(made.found[1].wh, 0.64, 1e-9);
  EXPECT_EQ(set.rows[made.found[0].rows[0].row].model, "small");
  EXPECT_EQ(made.found[0].from, EnergyKind::measured_gpu);
  EXPECT_NEAR(made.found[0].fit.mean_deviation, 0, 1e-9);
}

TEST(Estimate, RefusesLengthsOutsideOfTheRows) {
  auto set = set_of(std::string(kHead) + rows_of("small", 1));
  const Estimates made = estimated(set, {8000, 8000});
  EXPECT_TRUE(made.found.empty());
  EXPECT_EQ(made.refused, (std::map<std::string, std::size_t>{
                              {"its rows span 1000/1000, 1000/8000, 8000/1000, and 8000/8000 is "
                               "outside",
                               1}}));
}

TEST(Estimate, TakesTheLatestRowOfTheSameLengths) {
  auto set = set_of(std::string(kHead) + rows_of("small", 1) +
                    "small,h200,1,64,2025-01-01,1000,1000,1,1000\n");
  const Estimates made = estimated(set, {2000, 3000});
  ASSERT_EQ(made.found.size(), 1U);
  EXPECT_EQ(made.found[0].older, 1U);
  EXPECT_NEAR(made.found[0].wh, 0.32, 1e-9);
}

TEST(Estimate, RowsOfAnotherConcurrencyAreAnotherConfiguration) {
  std::string csv = std::string(kHead) + rows_of("small", 1);
  csv.replace(csv.rfind(",64,"), 4, ",32,");
  auto set = set_of(csv);
  const Estimates made = estimated(set, {2000, 3000});
  EXPECT_TRUE(made.found.empty());
  EXPECT_TRUE(made.outside.empty());
  ASSERT_EQ(made.refused.size(), 2U);  // each with the lengths that it has
  EXPECT_NE(made.refused.begin()->first.find("fewer than three lengths"), std::string::npos);
}

TEST(Estimate, RestsOnLengthsReallyUsedWhereNoOthersArePublished) {
  auto set = set_of(
      "model,gpu,gpus,mean_isl,mean_osl,measured_gpu_j_per_query\n"
      "m,h200,1,1000,1000,396\nm,h200,1,1000,8000,2916\nm,h200,1,8000,1000,648\n");
  const Estimates made = estimated(set, {2000, 3000});
  ASSERT_EQ(made.found.size(), 1U);
  EXPECT_FALSE(made.found[0].nominal);
  EXPECT_NEAR(made.found[0].wh, 0.32, 1e-9);
}

TEST(Estimate, SaysItsKindItsResidualAndItsRows) {
  auto set = set_of(std::string(kHead) + rows_of("small", 1));
  const Estimates made = estimated(set, {2000, 3000});
  const std::string text = estimates_text(set, made, {2000, 3000}, 5);
  for (const std::string_view part :
       {"0.32 Wh  small, h200 * 1, concurrency 64", "modelled from measured_gpu",
        "1e-05 Wh per input token, 0.0001 Wh per output token", "residual 0.0 % in the mean",
        "over 3 rows at nominal lengths",
        "row 2 of rows.csv: 1000/8000 tokens, 0.81 Wh, 2026-02-01"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string json = estimates_json(set, made, {2000, 3000}, "1");
  EXPECT_NE(json.find("\"energy_kind\": \"modelled\""), std::string::npos);
  EXPECT_NE(json.find("\"from_energy_kind\": \"measured_gpu\""), std::string::npos);
}

TEST(EstimatePublic, OfficialRowsAtThreeLengthsAreFittedWithTheirResidual) {
  const std::filesystem::path file =
      TOKENJOULE_SOURCE_DIR "/../shared/data/inferencemax/api_rows/benchmarks.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  PublishedSet set;
  read_published("benchmarks.json", bytes, set);
  finish(set);
  const Estimates made = estimated(set, {4096, 2048});
  EXPECT_EQ(made.found.size(), 27U);
  for (const Estimate& estimate : made.found) {
    EXPECT_GE(estimate.rows.size(), 3U);
    EXPECT_GE(estimate.fit.wh_input, 0);
    EXPECT_GE(estimate.fit.wh_output, 0);
    EXPECT_LT(estimate.fit.mean_deviation, 0.5);
  }
}

}  // namespace
}  // namespace tokenjoule
