#include "published/inferencex_power.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "published/footing.hpp"
#include "published/testing_published.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kNebius =
    TOKENJOULE_SOURCE_DIR "/../shared/data/inferencemax/raw_nebius_h200";

/// A log at 1 Hz of boards at constant power from a minute before the run to one after it; the
/// first sample is at idle power.
std::string log_of(std::int64_t start, int seconds, const std::vector<double>& watts) {
  std::string log = "timestamp, index, power.draw [W]\n";
  for (int second = -60; second <= seconds + 60; ++second) {
    for (std::size_t gpu = 0; gpu < watts.size(); ++gpu) {
      const double power = second == -60 ? 75.0 : watts[gpu];
      log += fmt::format("{}, {}, {:.2f} W\n", start + second, gpu, power);
    }
  }
  return log;
}

Footing measured(PublishedSet& set) {
  FootingOptions options;
  options.kinds = {EnergyKind::measured_gpu};
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) rows.push_back(i);
  return footing_of(set, rows, options);
}

constexpr std::string_view kGptOss =
    R"({"date":"20260610-204228","backend":"vllm","model_id":"openai/gpt-oss-120b","num_prompts":640,
"max_concurrency":64,"duration":140.66062642500037,"benchmark_start_time_unix":1781124007.1482177,
"benchmark_end_time_unix":1781124147.808844,"completed":640,"total_input_tokens":590227,
"total_output_tokens":589961,"output_throughput":4194.215645090736,
"total_token_throughput":8390.322366645161})";

TEST(InferencexPower, ALogBesideARawResultGivesItsEnergyWithAndWithoutIdleBoards) {
  PublishedSet set;
  read_published("gptoss_h200_tp2_isl1024_osl1024.json", kGptOss, set);
  read_published("gptoss_h200_tp2_isl1024_osl1024.gpu_metrics.csv",
                 log_of(1781124007, 142, {625, 625, 75.9, 75.9, 75.9, 75.9, 75.9, 75.9}), set);
  finish(set);
  EXPECT_TRUE(set.problems.empty());
  const Footing footing = measured(set);
  ASSERT_EQ(footing.figures.size(), 2U);
  // 1250 W * 140.66 s / 640 queries = 274.7 J = 0.0763 Wh; six boards at 75.9 W add 455 W: 0.1041
  // Wh.
  EXPECT_NEAR(*footing.figures[0].j_answer / 3600, 0.0763, 0.00005);
  EXPECT_NEAR(*footing.figures[1].j_answer / 3600, 0.1041, 0.00005);
  EXPECT_NEAR(*footing.figures[0].j_output, 1250 / 4194.2156, 1e-4);
  EXPECT_EQ(set.rows[0].energy.idle_gpus, 6.0);
}

TEST(InferencexPower, EightBoardsAt552WattsGiveTheDeepseekFigure) {
  PublishedSet set;
  read_published(
      "dsr1_h200_tp8.json",
      R"({"backend":"sglang","model_id":"deepseek-ai/DeepSeek-R1-0528","max_concurrency":64,
"benchmark_start_time_unix":1000000000,"benchmark_end_time_unix":1000000318.2,"duration":318.2,
"completed":640,"total_token_throughput":3709,"output_throughput":1854})",
      set);
  read_published("dsr1_h200_tp8.gpu_metrics.csv",
                 log_of(1000000000, 320, std::vector<double>(8, 552.0)), set);
  finish(set);
  // 8 * 552 W * 318.2 s / 640 = 2195.6 J = 0.610 Wh
  EXPECT_NEAR(*measured(set).figures.at(0).j_answer / 3600, 0.610, 0.0005);
}

TEST(InferencexPower, ALogInAnotherZoneIsFoundWhereOnlyOneFits) {
  PublishedSet set;
  read_published("r_h200_tp2.json", kGptOss, set);
  // 1781124007 is 2026-06-10 20:40:07 UTC; the log is of a clock two hours ahead.
  std::string log = "timestamp, index, power.draw [W]\n";
  for (int second = 0; second < 300; ++second) {
    for (int gpu = 0; gpu < 2; ++gpu)
      log += fmt::format("2026/06/10 22:{:02}:{:02}.000, {}, 625.00 W\n", 39 + second / 60,
                         second % 60, gpu);
  }
  read_published("r_h200_tp2.gpu_metrics.csv", log, set);
  finish(set);
  EXPECT_TRUE(set.problems.empty());
  EXPECT_NEAR(*set.rows[0].energy.all_gpus_mean_w, 1250, 1e-6);
}

TEST(InferencexPower, BoardsThatAllWorkCannotBeParted) {
  PublishedSet set;
  read_published("r_h200_tp2.json", kGptOss, set);
  read_published("r_h200_tp2.gpu_metrics.csv", log_of(1781124007, 142, {625, 625, 600}), set);
  finish(set);
  ASSERT_EQ(set.problems.size(), 1U);
  EXPECT_EQ(set.rows[0].energy.all_gpus_j, std::nullopt);
}

TEST(InferencexPower, AValidationGivesItsMetricsToTheResultOfItsWindow) {
  const std::filesystem::path samples = TOKENJOULE_SOURCE_DIR "/src/published/testdata";
  PublishedSet set;
  read_published("power_validation_x.json", bytes_of(samples / "inferencex.power_validation.json"),
                 set);
  read_published("anything.json", bytes_of(samples / "inferencex.raw.json"), set);
  finish(set);
  EXPECT_TRUE(set.problems.empty());
  EXPECT_EQ(set.rows.at(0).energy.j_per_query, 187.5);
  EXPECT_EQ(set.rows.at(0).energy.valid, true);
}

TEST(InferencexPower, AnInvalidOneIsSaidAndItsFiguresAreRefused) {
  PublishedSet set;
  read_published(
      "power_validation_x.json",
      R"({"power_valid":false,"reasons":["sampling_gap_exceeded"],"integration_method":"t",
"benchmark_window":{"start_time_unix":1781124007.1482177,"completed":640},"metrics":{"avg_power_w":600}})",
      set);
  read_published("r_h200_tp2.json", kGptOss, set);
  finish(set);
  ASSERT_EQ(set.problems.size(), 1U);
  EXPECT_NE(set.problems[0].message.find("sampling_gap_exceeded"), std::string::npos);
  EXPECT_TRUE(measured(set).figures.empty());
}

TEST(InferencexPower, ALogWithoutItsResultIsAProblemOfItsFile) {
  PublishedSet set;
  read_published("x.gpu_metrics.csv", log_of(0, 10, {100}), set);
  finish(set);
  ASSERT_EQ(set.problems.size(), 1U);
}

TEST(InferencexPower, FilesOfOneRunShareAName) {
  EXPECT_EQ(run_name_of("a/agg_R.json"), "R");
  EXPECT_EQ(run_name_of("R.gpu_metrics.csv"), "R");
  EXPECT_EQ(run_name_of("x/gpu_metrics_R/gpu_metrics.csv"), "R");
  EXPECT_EQ(run_name_of("z.zip!power_validation_R.json"), "R");
}

TEST(InferencexPower, ThePublishedRunsOnH200GiveTheirFigures) {
  if (!std::filesystem::exists(kNebius)) GTEST_SKIP() << "the published files are not here";
  PublishedSet set;
  for (const auto& entry : std::filesystem::directory_iterator(kNebius))
    read_published(entry.path().string(), bytes_of(entry.path()), set);
  finish(set);
  for (const auto& problem : set.problems) ADD_FAILURE() << problem.message;
  EXPECT_EQ(set.rows.size(), 14U);
  const Footing footing = measured(set);
  ASSERT_EQ(footing.figures.size(), 3U);
  std::vector<double> wh;
  for (const auto& figure : footing.figures) wh.push_back(*figure.j_answer / 3600);
  std::sort(wh.begin(), wh.end());
  EXPECT_NEAR(wh[0], 0.0763, 0.00005);
  EXPECT_NEAR(wh[1], 0.1041, 0.00005);
  EXPECT_NEAR(wh[2], 0.610, 0.0005);
}

}  // namespace
}  // namespace tokenjoule
