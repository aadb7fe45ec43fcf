#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "published/audit_rules.hpp"
#include "published/footing.hpp"
#include "published/importers.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kSamples = TOKENJOULE_SOURCE_DIR "/src/published/testdata";

PublishedSet set_of(const std::string& name) {
  std::ifstream file(kSamples / name, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  PublishedSet set;
  read_published(name, bytes, set);
  finish(set);
  return set;
}

TEST(OwnResult, StandsWithItsGpuAndWallEnergyApart) {
  auto set = set_of("tokenjoule.result.json");
  ASSERT_EQ(set.rows.size(), 1U);
  const auto made = footing_of(set, {0}, {});
  ASSERT_EQ(made.figures.size(), 2U);
  EXPECT_EQ(made.figures[0].kind, EnergyKind::measured_gpu);
  EXPECT_EQ(made.figures[0].j_output, 0.075);
  EXPECT_DOUBLE_EQ(*made.figures[0].j_answer, 72);  // 0.02 Wh
  EXPECT_EQ(made.figures[1].kind, EnergyKind::measured_wall);
  EXPECT_DOUBLE_EQ(*made.figures[1].j_output, 0.125);  // 1000 W / 8000 tokens a second
  EXPECT_EQ(set.rows[0].gpu, "h200-nvl");
  EXPECT_EQ(set.rows[0].gpus, 2.0);
}

TEST(OwnResult, QuantilesOfItsRatesAreNotTakenForThoseOfTheSlowEnd) {
  std::ifstream file(kSamples / "tokenjoule.result.json", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::string median = "\"p50\": 128.0";
  for (auto at = bytes.find(median); at != std::string::npos; at = bytes.find(median, at + 1)) {
    bytes.replace(at, median.size(), median + ", \"p90\": 140.0, \"p99\": 150.0");
  }
  PublishedSet set;
  read_published("result.json", bytes, set);
  finish(set);
  ASSERT_EQ(set.rows.size(), 1U);
  EXPECT_EQ(set.rows[0].interactivity.median, 128);
  EXPECT_TRUE(audit_errors(set).at(0).empty());
}

TEST(OwnResult, ItsCeilingIsTheLimitThatTheDriverGave) {
  auto set = set_of("tokenjoule.result.json");
  FootingOptions options;
  options.kinds = {EnergyKind::ceiling};
  const auto figure = footing_of(set, {0}, options).figures.at(0);
  EXPECT_EQ(figure.limit_source, LimitSource::submission);
  EXPECT_DOUBLE_EQ(*figure.j_output, 0.15);  // 2 * 600 W / 8000
}

TEST(PlainCsv, GivesWhatItsColumnsName) {
  auto set = set_of("csv.own_rows.csv");
  ASSERT_EQ(set.rows.size(), 2U);
  const auto made = footing_of(set, {0, 1}, {});
  ASSERT_EQ(made.figures.size(), 3U);
  EXPECT_DOUBLE_EQ(*made.figures[0].j_output, 3);  // 3000 W / 1000
  EXPECT_DOUBLE_EQ(*made.figures[0].j_total, 1);
  EXPECT_DOUBLE_EQ(*made.figures[0].j_answer, 1500);  // 3000 W / 2 queries a second
  EXPECT_DOUBLE_EQ(*made.figures[1].j_output, 4.5);
  EXPECT_EQ(made.figures[2].kind, EnergyKind::ceiling);  // nothing was measured
  EXPECT_DOUBLE_EQ(*made.figures[2].j_output, 7);        // 4 * 350 W / 200
  EXPECT_EQ(set.rows[0].unknown.at(0).text, "first, of two");
}

TEST(PlainCsv, ARowThatDoesNotFitIsSaidAndTheOthersStay) {
  PublishedSet set;
  read_published("x.csv",
                 "model,gpu,gpus,tok_s_out\na,h200,8,100\nb,8,h200,100\nc,h200,8\nd,h200,8,200\n",
                 set);
  EXPECT_EQ(set.rows.size(), 2U);
  ASSERT_EQ(set.problems.size(), 2U);
  EXPECT_EQ(set.problems[0].message, "line 3: gpus is \"h200\": are the columns shifted?");
  EXPECT_EQ(set.problems[1].message, "line 4: 3 cells, the header has 4");
}

}  // namespace
}  // namespace tokenjoule
