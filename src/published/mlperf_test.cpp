#include "published/mlperf.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "published/footing.hpp"
#include "published/mlperf_limit.hpp"
#include "published/published_table.hpp"
#include "published/testing_published.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kPublic = TOKENJOULE_SOURCE_DIR "/../shared/data/mlperf";

PublishedSet sample_set() {
  return set_of({kSamples / "mlperf.v6_0.json", kSamples / "mlperf.systems.jsonl",
                 kSamples / "mlperf.loadgen.csv"});
}

std::uint32_t index_of(const PublishedSet& set, std::string_view id, std::string_view scenario,
                       std::string_view model = "llama2-70b-99") {
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) {
    const PublishedResult& row = set.rows[i];
    if (row.attribution.id == id && row.scenario == scenario && row.model == model) return i;
  }
  ADD_FAILURE() << "no row " << id << " " << scenario;
  return 0;
}

PublishedFigure ceiling_of(PublishedSet& set, std::string_view id, std::string_view scenario) {
  FootingOptions options;
  options.kinds = {EnergyKind::ceiling};
  const Footing made = footing_of(set, {index_of(set, id, scenario)}, options);
  return made.figures.empty() ? PublishedFigure{} : made.figures.front();
}

std::string refusal_of(PublishedSet& set, std::string_view id, std::string_view scenario,
                       std::string_view model) {
  FootingOptions options;
  options.kinds = {EnergyKind::ceiling};
  const Footing made = footing_of(set, {index_of(set, id, scenario, model)}, options);
  return made.refusals.size() == 1 && made.figures.empty() ? made.refusals.front().why : "";
}

/// The four ceilings, each 8 * 600 W / tokens a second and / samples a second.
void expect_four_ceilings(PublishedSet& set) {
  struct Expected {
    std::string_view id;
    std::string_view scenario;
    double j_token;
    double j_answer;
    LimitSource source;
  };
  const Expected four[] = {{"6.0-0021", "Offline", 0.1500, 44.0, LimitSource::submission},
                           {"6.0-0047", "Offline", 0.1605, 43.6, LimitSource::catalogue},
                           {"6.0-0021", "Interactive", 0.2937, 85.7, LimitSource::submission},
                           {"6.0-0004", "Interactive", 0.7695, 209.5, LimitSource::catalogue}};
  for (const Expected& expected : four) {
    const PublishedFigure figure = ceiling_of(set, expected.id, expected.scenario);
    EXPECT_EQ(figure.system_w, 4800) << expected.id;
    EXPECT_EQ(figure.limit_source, expected.source) << expected.id;
    EXPECT_NEAR(figure.j_output.value_or(0), expected.j_token, 0.00005) << expected.id;
    EXPECT_NEAR(figure.j_answer.value_or(0), expected.j_answer, 0.05) << expected.id;
  }
}

TEST(MlperfLimit, IsReadFromTheWaysInWhichSubmissionsStateIt) {
  EXPECT_EQ(gpu_limit_in("H200 TGP 600W"), 600);
  EXPECT_EQ(gpu_limit_in("B200 TGP 1000 W. Private git hash for code"), 1000);
  EXPECT_EQ(gpu_limit_in("NVIDIA GB200 NVL72, 1200W TGP Per GPU"), 1200);
  EXPECT_EQ(gpu_limit_in("GPU 450W / 600W (reduced)"), 450);
  EXPECT_EQ(gpu_limit_in("AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)"), 1000);
}

TEST(MlperfLimit, IsNotMadeFromOtherNumbers) {
  EXPECT_EQ(gpu_limit_in("Data bandwidth for GPU-PCIe: 504 GB/s; PCIe-NIC: 126 GB/s"),
            std::nullopt);
  EXPECT_EQ(gpu_limit_in("NVIDIA GB300 NVL72"), std::nullopt);
  EXPECT_EQ(gpu_limit_in("TGP 600 watt-hours? TGP 600 Wh"), std::nullopt);
  EXPECT_EQ(gpu_limit_in("TGP 99999W"), std::nullopt);
  EXPECT_EQ(gpu_limit_in(""), std::nullopt);
}

TEST(Mlperf, FourCeilingsPerTokenAndPerAnswerFromTheSample) {
  auto set = sample_set();
  EXPECT_TRUE(set.problems.empty());
  expect_four_ceilings(set);
}

TEST(Mlperf, ACeilingPerTokenCanRankOtherwiseThanPerAnswer) {
  auto set = sample_set();
  const auto h200 = ceiling_of(set, "6.0-0021", "Offline");
  const auto rtx = ceiling_of(set, "6.0-0047", "Offline");
  EXPECT_LT(h200.j_output, rtx.j_output);
  EXPECT_GT(h200.j_answer, rtx.j_answer);
}

TEST(Mlperf, WithoutLoadgenAnAnswerIsThatOfTheAccuracyRun) {
  auto set = set_of({kSamples / "mlperf.v6_0.json"});
  // 4800 W / 29908.4 tokens/s * 271.8 tokens
  EXPECT_DOUBLE_EQ(ceiling_of(set, "6.0-0047", "Offline").j_answer.value_or(0),
                   4800 / 29908.4 * 271.8);
}

TEST(Mlperf, TheSubmissionsOwnLimitBeatsTheCatalogue) {
  auto set = sample_set();
  EXPECT_EQ(ceiling_of(set, "6.0-0054", "Offline").gpu_w, 450);  // notes
  const auto capped = ceiling_of(set, "6.0-0033", "Offline");    // accelerator's name
  EXPECT_EQ(capped.gpu_w, 1000);
  EXPECT_EQ(capped.limit_source, LimitSource::submission);
  EXPECT_EQ(ceiling_of(set, "6.0-0021", "Offline").basis, "hw_notes: H200 TGP 600W");
}

TEST(Mlperf, WhatHasNoCeilingSaysWhy) {
  auto set = sample_set();
  EXPECT_EQ(refusal_of(set, "6.0-0001", "Offline", "llama2-70b-99.9"),
            "it was not run, but taken over from another row");
  EXPECT_EQ(refusal_of(set, "6.0-0090", "Offline", "llama2-70b-99"),
            "it has several kinds of accelerator");
  EXPECT_EQ(refusal_of(set, "6.0-0080", "Offline", "llama3.1-8b"),
            "the number of GPUs is not known");
  EXPECT_EQ(refusal_of(set, "6.0-0081", "SingleStream", "whisper"), "no throughput was published");
}

TEST(Mlperf, RowsKeepWhatNoFieldHoldsAndConvertTheirUnits) {
  auto set = sample_set();
  const PublishedResult& edge = set.rows[index_of(set, "6.0-0081", "SingleStream", "whisper")];
  EXPECT_EQ(edge.e2e.p90, 2.5);  // 2500 ms
  const auto key = [](std::string_view name) {
    return [name](const UnknownMember& member) { return member.key == name; };
  };
  EXPECT_TRUE(std::any_of(edge.unknown.begin(), edge.unknown.end(), key("some_new_key")));
  const PublishedResult& row = set.rows[index_of(set, "6.0-0021", "Interactive")];
  EXPECT_DOUBLE_EQ(*row.ttft.p99, 0.2786);
  EXPECT_DOUBLE_EQ(*row.tpot.p99, 0.0381);
  EXPECT_EQ(row.request_rate, 56.1);
  EXPECT_TRUE(std::any_of(row.unknown.begin(), row.unknown.end(), key("system.cooling")));
  // GEN_LEN counts characters.
  EXPECT_EQ(set.rows[index_of(set, "6.0-0080", "Offline", "llama3.1-8b")].mean_output_len,
            std::nullopt);
}

TEST(Mlperf, EveryRowCarriesItsAttribution) {
  const auto set = sample_set();
  EXPECT_EQ(attribution_of(set.rows[0]),
            "MLPerf Inference, v6.0, 6.0-0021, Dell, Dell PowerEdge XE7740 (8x H200-NVL-141GB, "
            "TensorRT), closed, datacenter, available; our calculation, not an MLPerf metric");
}

TEST(Mlperf, TheShapeOfV61SaysTheSameUnderOtherNames) {
  auto set = set_of({kSamples / "mlperf.v6_1.json"});
  ASSERT_EQ(set.rows.size(), 2U);
  EXPECT_TRUE(set.problems.empty());
  EXPECT_EQ(set.rows[0].attribution.submitter, "AMD");
  EXPECT_EQ(set.rows[0].system.output, 121818);
  EXPECT_EQ(set.rows[0].gpus, 8);
  EXPECT_EQ(set.rows[0].energy.nameplate_w, std::nullopt);
  EXPECT_EQ(set.rows[1].model, "llama2-70b-99.9");
  EXPECT_EQ(set.rows[1].model_path, "llama3_1-70b-fp8");
  EXPECT_EQ(set.rows[1].energy.nameplate_w, 14000);
  EXPECT_EQ(set.rows[1].attribution.id, "6.1-0008");
}

TEST(Mlperf, OneBadRowDoesNotLoseTheOthers) {
  PublishedSet set;
  read_published("x.json",
                 R"([{"Submitter":"A","Model":"m","Scenario":"Offline","Performance_Result":1.5,
"Performance_Units":"Tokens/s","a#":"8"},
{"Submitter":"A","Model":"m","Scenario":"Offline","Performance_Result":NaN,"Performance_Units":"Tokens/s"},
{"Submitter":"A","Model":"m","Performance_Result":2,"Performance_Units":"Tokens/s"},
7,
{"Submitter":"A","Model":"m","Scenario":"Offline","Performance_Result":2,"Performance_Units":"Furlongs"},
{"Submitter":"A","Model":"m","Scenario":"Server","Performance_Result":2,"Performance_Units":"Tokens/s"}])",
                 set);
  EXPECT_EQ(set.rows.size(), 2U);
  ASSERT_EQ(set.problems.size(), 4U);
  EXPECT_EQ(set.problems[0].message, "it has no result");
  EXPECT_EQ(set.problems[1].message, "it names no benchmark or no scenario");
  EXPECT_EQ(set.problems[3].message, "its result is in \"Furlongs\", which is not known");
  EXPECT_EQ(set.rows[0].gpus, 8);
}

std::size_t measured_llm_rows(PublishedSet& set) {
  const Footing made = footing_of(set, all_of(set), {});
  std::size_t measured = 0;
  for (const PublishedFigure& figure : made.figures) {
    const PublishedResult& row = set.rows[figure.row];
    if (!row.energy.wall_mean_w || !row.system.output) continue;
    EXPECT_EQ(figure.kind, EnergyKind::measured_wall);
    EXPECT_DOUBLE_EQ(*figure.j_output, *row.energy.wall_mean_w / *row.system.output);
    ++measured;
  }
  return measured;
}

TEST(Mlperf, MeasuredRowsAreWallEnergyAndNeverACeiling) {
  auto set = set_of({kSamples / "mlperf.measured.json"});
  ASSERT_EQ(set.rows.size(), 20U);
  EXPECT_EQ(measured_llm_rows(set), 18U);
  const auto at = index_of(set, "5.1-0062", "Server", "llama3.1-8b");
  EXPECT_NEAR(*footing_of(set, {at}, {}).figures.at(0).j_output, 0.0700, 0.00005);
  // Asked for, the ceiling is a figure of its own kind: 8 * 1000 W / 128689 tokens/s, below the
  // wall.
  FootingOptions both;
  both.kinds = {EnergyKind::measured_wall, EnergyKind::ceiling};
  const Footing made = footing_of(set, {at}, both);
  ASSERT_EQ(made.figures.size(), 2U);
  EXPECT_NEAR(*made.figures[1].j_output, 0.0622, 0.00005);
  EXPECT_EQ(made.figures[1].kind, EnergyKind::ceiling);
}

TEST(Mlperf, MillijoulesAreOfOneQuery) {
  auto set = set_of({kSamples / "mlperf.measured.json"});
  const auto at = index_of(set, "v4.1-0068", "SingleStream", "resnet");
  const Footing made = footing_of(set, {at}, {});
  ASSERT_EQ(made.figures.size(), 1U);
  EXPECT_DOUBLE_EQ(*made.figures[0].j_answer, 0.0292389869184);
}

TEST(MlperfPublic, V60Has520RowsNoneWithPowerAndNoL40sOnALanguageModel) {
  if (!std::filesystem::exists(kPublic)) GTEST_SKIP() << "no " << kPublic;
  auto set = set_of({kPublic / "v6.0/summary_results.json", kPublic / "v6.0/systems.jsonl",
                     kPublic / "v6.0/llm_loadgen_summary.csv"});
  EXPECT_TRUE(set.problems.empty());
  EXPECT_EQ(set.rows.size(), 520U);
  EXPECT_EQ(set.duplicates, 0U);
  std::size_t tokens = 0;
  for (const PublishedResult& row : set.rows) {
    EXPECT_FALSE(row.energy.wall_mean_w || row.energy.wall_j_per_query);
    tokens += row.system.output ? 1U : 0U;
    EXPECT_FALSE(row.gpu == "l40s" && row.system.output) << row.model;
    EXPECT_TRUE(!row.system.output || row.requests_per_s) << row.attribution.id << row.model;
  }
  EXPECT_EQ(tokens, 384U);
  expect_four_ceilings(set);
}

TEST(MlperfPublic, EighteenMeasuredLanguageModelRowsOfV51AndV41AreWallEnergy) {
  if (!std::filesystem::exists(kPublic)) GTEST_SKIP() << "no " << kPublic;
  std::vector<std::filesystem::path> files;
  for (const auto* round : {"v5.1", "v4.1"}) {
    for (const auto* name : {"summary_results.json", "systems.jsonl", "llm_loadgen_summary.csv"})
      files.push_back(kPublic / round / name);
  }
  auto set = set_of(files);
  EXPECT_TRUE(set.problems.empty());
  EXPECT_EQ(set.rows.size(), 1448U + 937U);
  std::size_t with_power = 0;
  for (const PublishedResult& row : set.rows)
    with_power += row.energy.wall_mean_w || row.energy.wall_j_per_query ? 1U : 0U;
  EXPECT_EQ(with_power, 24U + 31U);
  EXPECT_EQ(measured_llm_rows(set), 18U);
}

TEST(MlperfPublic, TheSampleOfV61IsRead) {
  const auto file = kPublic / "v6.1/summary_sample.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
  auto set = set_of({file});
  EXPECT_EQ(set.rows.size(), 3U);
  EXPECT_TRUE(set.problems.empty());
}

}  // namespace
}  // namespace tokenjoule
