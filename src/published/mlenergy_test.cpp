#include "published/mlenergy.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "published/footing.hpp"
#include "published/testing_published.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kPublic = TOKENJOULE_SOURCE_DIR "/../shared/data/mlenergy";

const PublishedResult& row_of(const PublishedSet& set, std::string_view task, double batch) {
  const auto at = std::find_if(set.rows.begin(), set.rows.end(), [&](const PublishedResult& row) {
    return row.model == "Qwen/Qwen3-32B" && row.gpu == "b200" && row.gpus == 1 &&
           row.scenario == task && row.batch_limit == batch;
  });
  EXPECT_NE(at, set.rows.end()) << task << " " << batch;
  return at != set.rows.end() ? *at : set.rows.front();
}

/// 94.6 J and 2 192.3 J per response of Qwen3-32B on one B200.
void expect_two_responses(const PublishedSet& set) {
  const PublishedResult& chat = row_of(set, "lm-arena-chat", 512);
  EXPECT_NEAR(*chat.energy.j_per_query, 94.6, 0.05);
  EXPECT_NEAR(*chat.energy.j_per_output_token, 0.1508, 0.00005);
  EXPECT_NEAR(*chat.mean_output_len, 627.4, 0.05);
  EXPECT_NEAR(*chat.energy.all_gpus_mean_w, 968.9, 0.05);
  const PublishedResult& gpqa = row_of(set, "gpqa", 128);
  EXPECT_NEAR(*gpqa.energy.j_per_query, 2192.3, 0.05);
  EXPECT_NEAR(*gpqa.mean_output_len, 7034.6, 0.05);
}

/// Mean power over throughput is the energy per token, on every row.
void expect_identity(const PublishedSet& set) {
  for (const PublishedResult& row : set.rows) {
    const double quotient = *row.energy.all_gpus_mean_w / *row.system.output;
    EXPECT_NEAR(quotient / *row.energy.j_per_output_token, 1, 1e-9)
        << row.model << " " << row.scenario;
  }
}

TEST(Mlenergy, ATaskAndAModelFileGiveGpuEnergyPerTokenAndPerResponse) {
  auto set = set_of({kSamples / "mlenergy.v3_task.json", kSamples / "mlenergy.v3_model.json",
                     kSamples / "mlenergy.v3_index.json"});
  EXPECT_TRUE(set.problems.empty());
  ASSERT_EQ(set.rows.size(), 4U);
  expect_two_responses(set);
  expect_identity(set);
  EXPECT_EQ(set.rows[0].date, "2026-02-16");
  EXPECT_EQ(set.rows[0].attribution.round, "v3");
  EXPECT_EQ(set.rows[2].precision, "bfloat16");
  const Footing made = footing_of(set, all_of(set), {});
  ASSERT_EQ(made.figures.size(), 4U);
  for (const PublishedFigure& figure : made.figures) {
    EXPECT_EQ(figure.kind, EnergyKind::measured_gpu);
    EXPECT_EQ(figure.j_output, set.rows[figure.row].energy.j_per_output_token);
    EXPECT_EQ(figure.j_answer, set.rows[figure.row].energy.j_per_query);
  }
}

TEST(Mlenergy, MoreInABatchIsNotAlwaysLessPerToken) {
  const auto set = set_of({kSamples / "mlenergy.v3_task.json"});
  EXPECT_LT(row_of(set, "lm-arena-chat", 384).energy.j_per_output_token,
            row_of(set, "lm-arena-chat", 512).energy.j_per_output_token);
}

TEST(Mlenergy, ARunOfV2GivesJoulesPerTokenOfItsMeanAnswer) {
  auto set = set_of({kSamples / "mlenergy.v2.jsonl"});
  ASSERT_EQ(set.rows.size(), 2U);
  const PublishedResult& row = set.rows[0];
  EXPECT_EQ(row.scenario, "chat");
  EXPECT_EQ(row.gpus, 4);
  EXPECT_EQ(row.batch_limit, 128);
  EXPECT_EQ(row.attribution.round, "v2");
  EXPECT_DOUBLE_EQ(*row.energy.j_per_output_token, 230.644433524673 / 392.47133333333335);
  EXPECT_EQ(footing_of(set, {0}, {}).figures.at(0).kind, EnergyKind::measured_gpu);
}

TEST(Mlenergy, PicturesGiveNoRowsAndOneLine) {
  PublishedSet set;
  read_published("text-to-image.json",
                 R"({"architecture":"diffusion","configurations":[{"gpu_model":"H100",
"energy_per_image_joules":630.8}],"task":"text-to-image"})",
                 set);
  EXPECT_TRUE(set.rows.empty());
  ASSERT_EQ(set.problems.size(), 1U);
  EXPECT_EQ(set.problems[0].message, "text-to-image generates no tokens: its rows are left out");
}

TEST(Mlenergy, OneBadRowDoesNotLoseTheOthers) {
  PublishedSet set;
  read_published(
      "gpqa.json",
      R"({"configurations":[{"model_id":"a","gpu_model":"H100","energy_per_token_joules":1,
"output_throughput_tokens_per_sec":100},{"model_id":"b","energy_per_token_joules":NaN},5,
{"model_id":"c","gpu_model":"H100","energy_per_token_joules":2,"new_key":"x"}],"task":"gpqa"})",
      set);
  ASSERT_EQ(set.rows.size(), 2U);
  EXPECT_EQ(set.problems.size(), 2U);
  EXPECT_EQ(set.problems[0].message, "it has no energy per token");
  EXPECT_EQ(set.rows[1].unknown.at(0).key, "new_key");
  EXPECT_TRUE(set.rows[1].has(RowFlag::no_throughput));
}

TEST(Mlenergy, ACutOffFileStillGivesItsWholeRows) {
  const std::string bytes = bytes_of(kSamples / "mlenergy.v3_model.json");
  PublishedSet set;
  read_published("cut.json", bytes.substr(0, bytes.find("\"max_num_seqs\": 128")), set);
  EXPECT_EQ(set.problems.size(), 1U);
  // Model and task stand behind the rows, in the part that is gone.
  EXPECT_EQ(set.rows.size(), 0U);
  const std::string task = bytes_of(kSamples / "mlenergy.v3_task.json");
  read_published("cut.json", task.substr(0, task.find("\"max_num_seqs\": 512")), set);
  EXPECT_EQ(set.rows.size(), 1U);
}

TEST(MlenergyPublic, All838RowsOfV3HoldTheIdentity) {
  if (!std::filesystem::exists(kPublic)) GTEST_SKIP() << "no " << kPublic;
  std::vector<std::filesystem::path> files = {kPublic / "v3/index.json"};
  for (const auto* folder : {"v3/tasks", "v3/models"}) {
    for (const auto& file : std::filesystem::directory_iterator(kPublic / folder))
      files.push_back(file.path());
  }
  const auto set = set_of(files);
  EXPECT_TRUE(set.problems.empty());
  EXPECT_EQ(set.rows.size(), 838U);
  std::map<std::string_view, int> tasks;
  for (const PublishedResult& row : set.rows) ++tasks[row.scenario];
  EXPECT_EQ(tasks, (std::map<std::string_view, int>{{"gpqa", 187},
                                                    {"lm-arena-chat", 328},
                                                    {"sourcegraph-fim", 50},
                                                    {"image-chat", 173},
                                                    {"video-chat", 100}}));
  expect_identity(set);
  expect_two_responses(set);
}

TEST(MlenergyPublic, V2Has314Runs) {
  const auto file = kPublic / "v2/llm_text_generation.jsonl";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
  const auto set = set_of({file});
  EXPECT_TRUE(set.problems.empty());
  EXPECT_EQ(set.rows.size() + set.duplicates, 314U);
  EXPECT_EQ(set.duplicates, 0U);
}

}  // namespace
}  // namespace tokenjoule
