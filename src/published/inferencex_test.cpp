#include "published/inferencex.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "published/gpu_catalogue.hpp"
#include "published/importers.hpp"
#include "published/inferencex_row.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kSamples = TOKENJOULE_SOURCE_DIR "/src/published/testdata";
const std::filesystem::path kPublished = TOKENJOULE_SOURCE_DIR "/../shared/data/inferencemax";

PublishedSet set_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  PublishedSet set;
  read_published(path.filename().string(), bytes, set);
  return set;
}

PublishedResult row_of(std::string_view object) {
  PublishedSet set;
  read_published("row", object, set);
  EXPECT_EQ(set.rows.size(), 1U);
  // Its texts end with the set: tests of texts read files instead.
  return set.rows.empty() ? PublishedResult{} : std::move(set.rows.front());
}

TEST(Inferencex, AnApiRowOfOneNodeCountsTensorParallelGpusOnly) {
  const auto set = set_of(kSamples / "inferencex.api_rows.json");
  const PublishedResult& row = set.rows.at(0);
  EXPECT_EQ(row.gpus, 8.0);  // its own count of 64 multiplies by expert parallelism
  EXPECT_EQ(row.prefill.gpus, 64.0);
  EXPECT_EQ(row.gpu, "h200");
  EXPECT_EQ(row.model, "dsr1");
  EXPECT_EQ(row.date, "2025-12-15");
  EXPECT_DOUBLE_EQ(*row.system.total, 1332.8 * 8);
  EXPECT_DOUBLE_EQ(*row.system.output, 148.0 * 8);
  EXPECT_EQ(row.interactivity.mean, 20.0);
  EXPECT_EQ(row.ttft.p999, 3.5);
  EXPECT_EQ(row.whole.dp_attention, true);
  ASSERT_EQ(row.unknown.size(), 1U);
  EXPECT_EQ(row.unknown[0].key, "metrics.p75_power_w");
  EXPECT_EQ(row.unknown[0].text, "500.5");
}

TEST(Inferencex, ANestedRecordOfAgentsTracesIsKnownAndHasItsRates) {
  const std::string_view text =
      R"({"hw":"b200-dgxc","conc":14,"infmax_model_prefix":"kimik2.5","framework":"vllm",
      "scenario_type":"agentic-coding","tp":4,"num_requests_total":10,"num_requests_successful":9,
      "request_accounting":{"records_total":10,"error_categories":{}},
      "request_metrics":{"latency":{"ttft":{"mean":3.5,"p50":3,"p90":5}},
      "throughput":{"input":{"tokens_per_second":4000},"output":{"tokens_per_second":100},
      "total":{"tokens_per_second":4100},"per_gpu":{"total_tput_tps":1025}}}})";
  ASSERT_NE(importer_of(text), nullptr);
  EXPECT_EQ(importer_of(text)->name, "inferencex");
  const PublishedResult row = row_of(text);
  EXPECT_TRUE(row.has(RowFlag::agentic));
  EXPECT_FALSE(row.has(RowFlag::no_throughput));
  EXPECT_EQ(row.system.output, 100.0);
  EXPECT_EQ(row.per_gpu.total, 1025.0);
  EXPECT_EQ(row.ttft.mean, 3.5);
  EXPECT_EQ(row.ttft.median, 3.0);
  EXPECT_EQ(row.completed, 9.0);
}

TEST(Inferencex, GpusOfSeveralWordsAreNotCutShort) {
  EXPECT_EQ(gpu_of_runner("h200-nvl_01"), "h200-nvl");
  EXPECT_EQ(gpu_of_runner("cluster:rtx-pro-6000-server_2"), "rtx-pro-6000-server");
  EXPECT_EQ(gpu_of_runner("RTX_PRO_6000"), "rtx-pro-6000");
  EXPECT_EQ(gpu_of_runner("h200-dgxc_03"), "h200");
  EXPECT_EQ(gpu_of_runner("gb200-nvl72"), "gb200");
  for (const auto* name : {"rtx-pro-6000", "rtx-pro-6000-server", "rtx6000pro", "h200-nvl"})
    EXPECT_EQ(GpuCatalogue::embedded().find(name)->limit_w, 600.0) << name;
}

TEST(Inferencex, TheNameOfARawResultSaysItsEngineAndGpu) {
  PublishedSet set;
  read_published("dsr1_sglang_h200-nvl_tp8_conc4_isl1024_osl1024.json",
                 R"({"backend":"vllm","model_id":"deepseek-ai/DeepSeek-R1","max_concurrency":4,
                 "duration":10,"completed":5,"total_output_tokens":100,"output_throughput":10})",
                 set);
  ASSERT_EQ(set.rows.size(), 1U);
  EXPECT_EQ(set.rows[0].framework, "sglang");  // "vllm" is the protocol that the client spoke
  EXPECT_EQ(set.rows[0].gpu, "h200-nvl");
  EXPECT_EQ(set.rows[0].gpus, 8.0);
}

TEST(Inferencex, TheFirstDisaggregatedSchemaGivesItsPartsByTheThreeThroughputs) {
  const auto set = set_of(kSamples / "inferencex.api_rows.json");
  const PublishedResult& row = set.rows.at(1);
  EXPECT_EQ(row.gpus, 36.0);
  EXPECT_EQ(row.prefill.gpus, 4.0);  // 36 * (33 - 18) / (153 - 18) = 4
  EXPECT_EQ(row.decode.gpus, 32.0);
  EXPECT_DOUBLE_EQ(*row.system.input, 153.0 * 4);
  EXPECT_DOUBLE_EQ(*row.system.output, 18.0 * 32);
  EXPECT_EQ(row.tpot.deviation, std::nullopt);  // written as a bare NaN
}

TEST(Inferencex, TheSecondDisaggregatedSchemaStatesItsParts) {
  const auto set = set_of(kSamples / "inferencex.aggregate_multinode.json");
  const PublishedResult& row = set.rows.at(0);
  EXPECT_EQ(row.gpus, 24.0);
  EXPECT_DOUBLE_EQ(*row.system.output, 4500.0 * 16);
  EXPECT_DOUBLE_EQ(*row.system.input, 9000.0 * 8);
  EXPECT_EQ(row.framework, "dynamo-trt");
  EXPECT_EQ(row.model, "dsr1");
  EXPECT_EQ(row.model_path, "deepseek-ai/DeepSeek-R1-0528");
}

TEST(Inferencex, ARawResultGivesMillisecondsAsSecondsAndItsRealLengths) {
  const auto set = set_of(kSamples / "inferencex.raw.json");
  const PublishedResult& row = set.rows.at(0);
  EXPECT_DOUBLE_EQ(*row.ttft.mean, 0.25);
  EXPECT_DOUBLE_EQ(*row.mean_output_len, 589961.0 / 640);
  EXPECT_TRUE(row.has(RowFlag::raw_result));
  EXPECT_EQ(row.gpus, std::nullopt);
  EXPECT_EQ(row.model, "gptoss120b");
}

TEST(Inferencex, AFileNameSaysWhatARawResultLeavesOut) {
  PublishedSet set;
  read_published(
      "gptoss_vllm_fp4_h200_tp2_conc64_isl1024_osl1000.json",
      R"({"model_id":"openai/gpt-oss-120b","max_concurrency":64,"total_token_throughput":5,
                     "output_throughput":2})",
      set);
  const PublishedResult& row = set.rows.at(0);
  EXPECT_EQ(row.gpus, 2.0);
  EXPECT_EQ(row.gpu, "h200");
  EXPECT_EQ(row.nominal_input_len, 1024.0);
  EXPECT_EQ(row.nominal_output_len, 1000.0);
  EXPECT_TRUE(row.has(RowFlag::from_file_name));
}

TEST(Inferencex, ExpertParallelismMultipliesNoGpusButPipelineAndContextDo) {
  EXPECT_EQ(row_of(R"({"hw":"h200","tput_per_gpu":1,"tp":8,"ep":8,"dcp_size":2})").gpus, 8.0);
  EXPECT_EQ(row_of(R"({"hw":"h200","tput_per_gpu":1,"tp":4,"pp":2,"pcp_size":2})").gpus, 16.0);
}

TEST(Inferencex, AnAggregatedServerOfSeveralNodesHasNoDecodeGpus) {
  const auto row =
      row_of(R"({"hw":"gb300","tput_per_gpu":10,"output_tput_per_gpu":2,"is_multinode":true,
      "disagg":false,"prefill_tp":16,"decode_tp":0,"num_prefill_gpu":16,"num_decode_gpu":0})");
  EXPECT_EQ(row.gpus, 16.0);
  EXPECT_DOUBLE_EQ(*row.system.output, 32.0);
}

TEST(Inferencex, AgenticRowsAreMarked) {
  EXPECT_TRUE(row_of(R"({"hw":"b200","tput_per_gpu":9,"scenario_type":"agentic-coding"})")
                  .has(RowFlag::agentic));
  EXPECT_TRUE(row_of(R"({"request_accounting":{"records_total":9},"request_metrics":{"qps":1}})")
                  .has(RowFlag::agentic));
  EXPECT_FALSE(
      row_of(R"({"hw":"b200","tput_per_gpu":9,"scenario_type":"fixed"})").has(RowFlag::agentic));
}

TEST(Inferencex, ABrokenRowLosesNoOther) {
  PublishedSet set;
  read_published("rows", R"([{"hw":"b200","tput_per_gpu":1},{"hw":tru,"tput_per_gpu":2},
                             {"hw":"b200","tput_per_gpu":3}])",
                 set);
  EXPECT_EQ(set.rows.size(), 2U);
  ASSERT_EQ(set.problems.size(), 1U);
  EXPECT_EQ(set.problems[0].row, 1U);
}

TEST(Inferencex, ARunnersLabelNamesItsGpu) {
  EXPECT_EQ(gpu_of_runner("cluster:h200-dgxc"), "h200");
  EXPECT_EQ(gpu_of_runner("b200-trt"), "b200");
  EXPECT_EQ(gpu_of_runner("MI355X-amds_03"), "mi355x");
}

TEST(Inferencex, TheSameResultInTwoFilesIsOneRow) {
  const auto first = set_of(kSamples / "inferencex.api_rows.json");
  std::ifstream file(kSamples / "inferencex.api_rows.json", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  PublishedSet set;
  read_published("a", bytes, set);
  read_published("b", bytes, set);
  finish(set);
  EXPECT_EQ(set.rows.size(), first.rows.size());
  EXPECT_EQ(set.duplicates, first.rows.size());
}

TEST(Inferencex, TheOfficialRowsAreReadToTheLast) {
  if (!std::filesystem::exists(kPublished)) GTEST_SKIP() << "the published files are not here";
  auto history = set_of(kPublished / "api_rows/benchmarks-history.json");
  auto latest = set_of(kPublished / "api_rows/benchmarks.json");
  EXPECT_EQ(history.rows.size(), 1462U);
  EXPECT_EQ(latest.rows.size(), 435U);
  EXPECT_TRUE(history.problems.empty());
  for (const auto& row : history.rows) EXPECT_TRUE(row.gpus && row.system.output);
}

TEST(Inferencex, EveryPublishedShapeIsRecognised) {
  if (!std::filesystem::exists(kPublished)) GTEST_SKIP() << "the published files are not here";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kPublished)) {
    if (entry.path().extension() != ".json") continue;
    const auto set = set_of(entry.path());
    EXPECT_TRUE(set.problems.empty()) << entry.path();
    EXPECT_FALSE(set.rows.empty()) << entry.path();
  }
}

}  // namespace
}  // namespace tokenjoule
