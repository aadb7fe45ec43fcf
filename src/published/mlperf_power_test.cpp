#include <filesystem>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "published/footing.hpp"
#include "published/importers.hpp"
#include "published/mlperf_logs.hpp"
#include "published/testing_published.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kPublic = TOKENJOULE_SOURCE_DIR "/../shared/data/mlperf";

constexpr double kServerMean = 9011.0666666667;
constexpr double kOfflineMean = 6152.9844351733;

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  text.replace(text.find(what), what.size(), by);
  return text;
}

/// The logs of a run in the folders that submissions have.
struct RunFiles {
  std::string root = "closed/Lenovo/results/SR780a_V3_B200SXMx8_TRT/llama3.1-8b/Server/performance";
  std::string summary = bytes_of(kSamples / "mlperf.log_summary.txt");
  std::string detail = bytes_of(kSamples / "mlperf.log_detail.txt");
  std::string spl = bytes_of(kSamples / "mlperf.spl.txt");
  std::string client = bytes_of(kSamples / "mlperf.client.json");
  std::string server = bytes_of(kSamples / "mlperf.server.json");

  void read_into(PublishedSet& set) const {
    const std::pair<const char*, const std::string*> files[] = {
        {"/run_1/mlperf_log_summary.txt", &summary},
        {"/run_1/mlperf_log_detail.txt", &detail},
        {"/run_1/spl.txt", &spl},
        {"/power/client.json", &client},
        {"/power/server.json", &server}};
    for (const auto& [name, bytes] : files) {
      if (!bytes->empty()) read_published(root + name, *bytes, set);
    }
  }

  PublishedSet set() const {
    PublishedSet made;
    read_into(made);
    finish(made);
    return made;
  }
};

std::vector<std::string> problems_of(const PublishedSet& set) {
  std::vector<std::string> messages;
  for (const ReadProblem& problem : set.problems) messages.push_back(problem.message);
  return messages;
}

TEST(MlperfPower, ARunWithoutItsSummaryIsARowOfItsOwn) {
  auto set = RunFiles().set();
  EXPECT_TRUE(problems_of(set).empty());
  ASSERT_EQ(set.rows.size(), 1U);
  const PublishedResult& row = set.rows[0];
  EXPECT_NEAR(*row.energy.wall_mean_w, kServerMean, 1e-9);  // (9011.0 + 9011.1 + 9011.1) / 3
  EXPECT_EQ(row.model, "llama3.1-8b");
  EXPECT_EQ(row.attribution.platform, "SR780a_V3_B200SXMx8_TRT");
  EXPECT_EQ(row.system.output, 128689.32);
  EXPECT_DOUBLE_EQ(*row.ttft.p99, 1.02607823);
  EXPECT_DOUBLE_EQ(*row.mean_output_len, 128689.32 / 997.59);
  const Footing made = footing_of(set, {0}, {});
  ASSERT_EQ(made.figures.size(), 1U);
  EXPECT_EQ(made.figures[0].kind, EnergyKind::measured_wall);
  EXPECT_EQ(made.figures[0].basis, "whole system at the wall, from the power log of the run");
}

TEST(MlperfPower, TheRunsRowKeepsThePublishedWattsWhereTheyAgree) {
  PublishedSet set;
  read_published("summary_results.json", bytes_of(kSamples / "mlperf.measured.json"), set);
  RunFiles().read_into(set);
  finish(set);
  EXPECT_TRUE(problems_of(set).empty());
  EXPECT_EQ(set.rows.size(), 20U);
  EXPECT_EQ(set.rows[7].requests_per_s, 997.59);
  EXPECT_EQ(set.rows[7].energy.wall_mean_w, kServerMean);
}

TEST(MlperfPower, WattsThatDisagreeWithTheSummaryAreSaid) {
  PublishedSet set;
  read_published("summary_results.json", bytes_of(kSamples / "mlperf.measured.json"), set);
  RunFiles run;
  run.spl = replaced(run.spl, "Watts,9011.000000", "Watts,9012.000000");
  run.read_into(set);
  finish(set);
  EXPECT_EQ(
      problems_of(set),
      std::vector<std::string>{"the meter's log gives 9011.4000 W, the summary says 9011.0667 W"});
}

TEST(MlperfPower, ARunOfAnotherThroughputIsNotJoined) {
  PublishedSet set;
  read_published("summary_results.json", bytes_of(kSamples / "mlperf.measured.json"), set);
  RunFiles run;
  run.summary = replaced(run.summary, "128689.32", "120000");
  run.read_into(set);
  finish(set);
  EXPECT_EQ(problems_of(set),
            std::vector<std::string>{"its throughput is not that of the row that its path names"});
  EXPECT_EQ(set.rows[7].requests_per_s, std::nullopt);
}

TEST(MlperfPower, TheMeanIsOfPositiveWattsStrictlyInsideOfTheWindow) {
  std::string spl;
  // 3116 samples from 10:00:01 on, with the sum 3115 * 6153.0 + 6104.5 = 19172699.5 W.
  for (int i = 0; i <= 3117; ++i) {
    const int second = 36000 + i;
    const double watts = i == 0 || i == 3117 ? 9999 : i == 1 ? 6104.5 : 6153.0;
    spl += fmt::format("Time,07-17-2024 {:02}:{:02}:{:02}.000,Watts,{:.6f},Volts,239.0\n",
                       second / 3600, second / 60 % 60, second % 60, watts);
  }
  spl += "Time,07-17-2024 10:10:00.500,Watts,-1.0,Volts,239.0\nTime,07-17\n";
  const WallLog log = wall_log_in(spl);
  EXPECT_EQ(log.unread, 1U);
  const double begin = log.seconds.front();  // its sample stands on the edge and does not count
  EXPECT_NEAR(*mean_wall_watts(log, begin, begin + 3117), kOfflineMean, 1e-9);
  EXPECT_FALSE(mean_wall_watts(log, begin + 5000, begin + 5001));
}

TEST(MlperfPower, WhatItsRulesForbidIsSaid) {
  RunFiles run;
  run.summary = replaced(run.summary, "VALID", "INVALID");
  run.client = replaced(run.client, "1754006391.75", "1754006392.75");  // 1.25 s after the question
  run.client = replaced(run.client, "1754006400.5", "1754006402.5");    // 1 s after power_begin
  const auto set = run.set();
  EXPECT_EQ(problems_of(set),
            (std::vector<std::string>{
                "loadgen calls the run INVALID",
                "MLPerf power: clocks of client and server are 1.250 s apart, at most 0.8 s are "
                "allowed",
                "MLPerf power: the run is not inside of the testing phase of client.json"}));
}

TEST(MlperfPower, AMeterInAnotherZoneIsShiftedByTheZonesThatBothSay) {
  RunFiles run;
  for (int hour = 0; hour < 5; ++hour)
    run.spl = replaced(run.spl, "08-01-2025 00:", "08-01-2025 02:");
  EXPECT_EQ(problems_of(run.set()),
            std::vector<std::string>{"the meter's log has no power inside of the run"});
  run.client = replaced(run.client, "\"timezone\": 0", "\"timezone\": 7200");
  EXPECT_NEAR(*run.set().rows.at(0).energy.wall_mean_w, kServerMean, 1e-9);
}

TEST(MlperfPower, AMetersLogWithoutItsRunIsSaidAndGivesNoRow) {
  RunFiles run;
  run.summary.clear();
  run.detail.clear();
  const auto set = run.set();
  EXPECT_TRUE(set.rows.empty());
  EXPECT_EQ(problems_of(set),
            std::vector<std::string>{
                "the meter's log has no mlperf_log_detail.txt of its run beside it"});
}

PublishedSet public_run(const std::string& round, const std::string& run, bool with_summary) {
  PublishedSet set;
  const auto folder = kPublic / round;
  if (with_summary)
    read_published((folder / "summary_results.json").string(),
                   bytes_of(folder / "summary_results.json"), set);
  for (const auto* name :
       {"run_1/spl.txt", "run_1/mlperf_log_detail.txt", "run_1/mlperf_log_summary.txt",
        "power/client.json", "power/server.json"}) {
    const auto path = folder / "power_sample" / run / name;
    read_published(path.string(), bytes_of(path), set);
  }
  finish(set);
  return set;
}

TEST(MlperfPowerPublic, TwoLogsGiveTheWattsOfTheirSummaries) {
  if (!std::filesystem::exists(kPublic)) GTEST_SKIP() << "no " << kPublic;
  const std::tuple<std::string, std::string, double> runs[] = {
      {"v5.1", "SR780a_V3_B200SXMx8_TRT__llama3.1-8b__Server", kServerMean},
      {"v4.1", "H200-SXM-141GBx8_TRT_MaxQ__llama2-70b-99__Offline", kOfflineMean}};
  for (const auto& [round, run, watts] : runs) {
    const auto alone = public_run(round, run, false);
    EXPECT_TRUE(problems_of(alone).empty());
    ASSERT_EQ(alone.rows.size(), 1U);
    EXPECT_NEAR(*alone.rows[0].energy.wall_mean_w, watts, 5e-10 * 10);
    const auto joined = public_run(round, run, true);
    EXPECT_TRUE(problems_of(joined).empty());
    EXPECT_EQ(joined.rows.size(), round == "v5.1" ? 1448U : 937U);
  }
}

}  // namespace
}  // namespace tokenjoule
