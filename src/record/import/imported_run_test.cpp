#include "record/import/imported_run.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "analysis/analyse.hpp"
#include "base/json_view.hpp"
#include "record/import/load_logs.hpp"
#include "record/import/logs.hpp"
#include "record/import/power_logs.hpp"
#include "record/import/test_files.hpp"
#include "record/run_reader.hpp"

namespace tokenjoule {
namespace {

/// Two GPUs at 100 W, at 400 W from 0 to 60 s; one reading a second, in Unix time.
PowerLog power_log() {
  PowerLog log;
  log.format = "nvidia-smi";
  log.file = "power.csv";
  log.source = "power.draw.instant [W]";
  log.devices = {{"gpu-0", "", "0"}, {"gpu-1", "", "1"}};
  log.resolution = Seconds(1e-3);
  for (std::int64_t second = -30; second <= 90; ++second) {
    for (std::size_t device = 0; device < 2; ++device) {
      const double watts = second > 0 && second <= 60 ? 400 : 100;
      log.rows.push_back({kSampleBegin + second * kOneSecond, device, {{Measurand::power, watts}}});
    }
  }
  return log;
}

/// 10 requests of 100 prompt and 50 output tokens, one after another in 60 s.
LoadLog load_log() {
  LoadLog log;
  log.format = "vllm";
  log.file = "result.json";
  log.engine = "vllm";
  log.begin_ns = kSampleBegin;
  log.length = whole_seconds(60);
  log.concurrency = 1;
  for (int i = 0; i < 10; ++i) {
    RequestRecord request;
    request.id = static_cast<std::uint64_t>(i);
    request.sent = request.planned = mono_at(Seconds(6.0 * i));
    request.end = request.sent + whole_seconds(6);
    request.token_times = TokenTimes::in("1000000x1 5000000x49").value();
    request.token_events = 2;
    request.prompt_tokens = 100;
    request.output_tokens = 50;
    log.requests.push_back(request);
  }
  return log;
}

Report judged(const std::vector<Event>& events) {
  const auto run = run_in(run_file_text(events), "run.jsonl");
  EXPECT_TRUE(run);
  return analyse(*run, {});
}

Report report_of(const LoadLog& load, const PowerLog& power, const ImportChoice& choice = {}) {
  const auto events = imported_run(load, {power}, {}, choice);
  EXPECT_TRUE(events) << events.error().message;
  return events ? judged(*events) : Report{};
}

bool has(const Report& report, std::string_view code, Severity severity) {
  for (const CheckFinding& finding : report.verdict.reasons) {
    if (finding.code == code && finding.severity == severity) return true;
  }
  return false;
}

TEST(ImportedRun, GivesTheOrdinaryFigures) {
  ImportChoice choice;
  choice.stated_offset = Seconds(0);
  const Report report = report_of(load_log(), power_log(), choice);
  EXPECT_EQ(report.verdict.status, VerdictStatus::usable);
  // Of each GPU: one second from 100 to 400 W, 59 s at 400 W: 250 + 23 600 J. 500 tokens.
  ASSERT_TRUE(report.figures.at("joules_per_output_token").value);
  EXPECT_NEAR(*report.figures.at("joules_per_output_token").value, 2 * 23850.0 / 500, 1e-4);
  EXPECT_NEAR(*report.figures.at("watt_hours_per_query").value, 2 * 23850.0 / 10 / 3600, 1e-6);
  EXPECT_NEAR(*report.latency.at("ttft_seconds").mean, 1, 1e-9);
}

TEST(ImportedRun, TheDoubtOfTheClocksIsInTheBound) {
  ImportChoice choice;
  choice.stated_offset = Seconds(0);
  choice.stated_bound = Seconds(1);
  const Report sure = report_of(load_log(), power_log(), choice);
  // Both edges: 100 W and 400 W, each for 1 s and half a millisecond, on two GPUs.
  double edges = 0;
  for (const BoundItem& item : sure.energy.front().components) {
    if (item.name.find("gain") == std::string::npos) edges += item.half_width;
  }
  EXPECT_NEAR(edges, 2 * (100 + 400) * 1.0005, 1e-3);
}

TEST(ImportedRun, TheJoinStandsInTheRecord) {
  const auto events = imported_run(load_log(), {power_log()}, {}, {});
  ASSERT_TRUE(events);
  const auto& header = std::get<RunHeader>(events->front());
  const auto json = JsonDocument::parse(header.configuration_json);
  ASSERT_TRUE(json);
  const JsonView power = json->root()["import"]["power"][0];
  EXPECT_EQ(power["clock_offset_s"].number(), 0.0);
  EXPECT_GT(power["clock_bound_s"].number().value_or(0), 0.5);
  EXPECT_EQ(power["inferencex"]["power_valid"].boolean(), true);
  EXPECT_TRUE(has(judged(*events), "import_clock", Severity::note));
}

TEST(ImportedRun, TotalsGiveEnergyPerTokenAndQueryButNoLatencies) {
  LoadLog load = load_log();
  load.requests.clear();
  load.totals = LoadTotals{500, 1000, 10};
  ImportChoice choice;
  choice.stated_offset = Seconds(0);
  const Report report = report_of(load, power_log(), choice);
  EXPECT_EQ(report.tokens.source, "load_log");
  EXPECT_FALSE(report.tokens.engine_counter_output || report.tokens.output_by_failed);
  EXPECT_FALSE(report.requests.planned || report.requests.failed || report.requests.cancelled);
  EXPECT_NEAR(*report.figures.at("joules_per_output_token").value, 95.4, 1e-6);
  EXPECT_NEAR(*report.figures.at("joules_per_total_token").value, 31.8, 1e-6);
  EXPECT_NEAR(*report.figures.at("watt_hours_per_query").value, 1.325, 1e-6);
  EXPECT_EQ(report.requests.completed, 10);
  EXPECT_FALSE(report.figures.at("output_tokens_per_second_per_user").value);
  EXPECT_EQ(report.latency.at("ttft_seconds").n, 0);
}

TEST(ImportedRun, OnlyTheGpusNamedCount) {
  ImportChoice choice;
  choice.stated_offset = Seconds(0);
  choice.gpus = {"1"};
  const Report report = report_of(load_log(), power_log(), choice);
  EXPECT_NEAR(*report.figures.at("joules_per_output_token").value, 47.7, 1e-4);
  EXPECT_EQ(report.other_gpus.size(), 1U);
  choice.gpus = {"7"};
  EXPECT_FALSE(imported_run(load_log(), {power_log()}, {}, choice));
}

TEST(ImportedRun, GpusThatTakeNoPartAreNamed) {
  PowerLog power = power_log();
  for (LoggedRow& row : power.rows) {
    if (row.device == 1) row.values[0].value = 75;
  }
  EXPECT_TRUE(has(report_of(load_log(), power), "gpu_not_loaded", Severity::care));
  EXPECT_FALSE(has(report_of(load_log(), power_log()), "gpu_not_loaded", Severity::care));
}

TEST(ImportedRun, AGapIsNamedByInferencexAndByUs) {
  PowerLog power = power_log();
  std::erase_if(power.rows, [](const LoggedRow& row) {
    const auto second = (row.at_ns - kSampleBegin) / kOneSecond;
    return second >= 20 && second < 25;
  });
  const Report report = report_of(load_log(), power);
  EXPECT_TRUE(has(report, "import_power_log", Severity::care));
  EXPECT_TRUE(has(report, "sensor_gap", Severity::care));
}

TEST(ImportedRun, PartOfTheLoadCanBeCutOutWhereTokensHaveTimes) {
  ImportChoice choice;
  choice.stated_offset = Seconds(0);
  choice.skip_start = choice.skip_end = Seconds(6.5);
  const Report report = report_of(load_log(), power_log(), choice);
  // From 6.5 to 53.5 s: seven whole answers, and the first token of the one sent at 48 s.
  EXPECT_NEAR(*report.tokens.output, 351, 1e-9);
  LoadLog totals = load_log();
  totals.requests.clear();
  totals.totals = LoadTotals{500, 1000, 10};
  EXPECT_FALSE(imported_run(totals, {power_log()}, {}, choice));
  choice.skip_end = Seconds(60);
  EXPECT_FALSE(imported_run(load_log(), {power_log()}, {}, choice));
}

TEST(ImportedRun, TwoLogsOfOneIndexAreNotMixedUp) {
  PowerLog other = power_log();
  other.file = "other.csv";
  EXPECT_FALSE(imported_run(load_log(), {power_log(), other}, {}, {}));
  other.devices = {{"gpu-2", "", "2"}, {"gpu-3", "", "3"}};
  EXPECT_TRUE(imported_run(load_log(), {power_log(), other}, {}, {}));
}

TEST(ImportedRun, TheSameFilesGiveTheSameBytes) {
  const auto once = imported_run(load_log(), {power_log()}, {{"a", "vllm", "00"}}, {});
  const auto twice = imported_run(load_log(), {power_log()}, {{"a", "vllm", "00"}}, {});
  ASSERT_TRUE(once && twice);
  EXPECT_EQ(run_file_text(*once), run_file_text(*twice));
}

// Real files, which lie beside the project only where it is developed.

const std::filesystem::path kData = std::filesystem::path(TOKENJOULE_SOURCE_DIR) / "../shared/data";

struct RealRun {
  LoadLog load;
  PowerLog power;
};

std::optional<RealRun> real_run(const std::filesystem::path& load,
                                const std::filesystem::path& power) {
  const auto load_text = file_bytes(kData / load), power_text = file_bytes(kData / power);
  if (!load_text || !power_text) return std::nullopt;
  const LogFormat* load_format = log_format_of(*load_text);
  const LogFormat* power_format = log_format_of(*power_text);
  if (load_format == nullptr || power_format == nullptr) return std::nullopt;
  auto load_log = load_format->read_load(*load_text, {});
  auto power_log = power_format->read_power(*power_text, {});
  if (!load_log || !power_log) return std::nullopt;
  load_log->format = load_format->name;
  power_log->format = power_format->name;
  load_log->file = load.filename();
  power_log->file = power.filename();
  return RealRun{std::move(*load_log), std::move(*power_log)};
}

std::optional<RealRun> nebius(const std::string& name) {
  const auto folder = std::filesystem::path("inferencemax/raw_nebius_h200");
  return real_run(folder / (name + ".json"), folder / (name + ".gpu_metrics.csv"));
}

TEST(RealFiles, GptOssOnTwoOfEightGpus) {
  const auto files = nebius("gptoss_vllm_fp4_h200_tp2_conc64_isl1024_osl1024");
  if (!files) GTEST_SKIP() << "the raw results of InferenceX are not beside the project";
  ImportChoice choice;
  const Report eight = report_of(files->load, files->power, choice);
  // Trapezoid over the window of 140.66 s and 640 queries: 239 893.1 J of eight GPUs, of them
  // 175 705.8 J of the two that serve.
  EXPECT_NEAR(*eight.figures.at("watt_hours_per_query").value, 0.1041, 5e-5);
  EXPECT_TRUE(has(eight, "gpu_not_loaded", Severity::care));
  choice.gpus = {"0", "1"};
  const Report two = report_of(files->load, files->power, choice);
  EXPECT_NEAR(*two.figures.at("watt_hours_per_query").value, 0.0763, 5e-5);
  EXPECT_NEAR(two.energy.front().joules->value(), 175705.79, 1);
  EXPECT_EQ(two.other_gpus.size(), 6U);
  EXPECT_NE(two.verdict.status, VerdictStatus::unusable);
}

TEST(RealFiles, DeepSeekOnEightGpus) {
  const auto files = nebius("dsr1_sglang_h200_tp8_conc64_isl1024_osl1024");
  if (!files) GTEST_SKIP() << "the raw results of InferenceX are not beside the project";
  const Report report = report_of(files->load, files->power);
  EXPECT_NEAR(*report.figures.at("watt_hours_per_query").value, 0.610, 5e-4);
  EXPECT_NE(report.verdict.status, VerdictStatus::unusable);
  EXPECT_FALSE(has(report, "import_power_log", Severity::care));
}

std::optional<double> mlperf_mean(const std::string& round, const std::string& run) {
  const auto folder = std::filesystem::path("mlperf") / round / "power_sample" / run / "run_1";
  const auto files = real_run(folder / "mlperf_log_detail.txt", folder / "spl.txt");
  if (!files) return std::nullopt;
  const auto events = imported_run(files->load, {files->power}, {}, {});
  if (!events) return std::nullopt;
  const auto json = JsonDocument::parse(std::get<RunHeader>(events->front()).configuration_json);
  const Report report = judged(*events);
  const double ours = *report.figures.at("mean_watts").value;
  const double theirs =
      json->root()["import"]["power"][0]["mlperf_average_watts"].number().value_or(0);
  EXPECT_NEAR(ours / theirs, 1, 1e-3) << "trapezoid and mean of readings";
  EXPECT_EQ(report.boundary, Boundary::node_ac);
  return theirs;
}

TEST(RealFiles, MlperfPowerLogsGiveTheirPublishedMean) {
  const auto b200 = mlperf_mean("v5.1", "SR780a_V3_B200SXMx8_TRT__llama3.1-8b__Server");
  if (!b200) GTEST_SKIP() << "the power logs of MLPerf are not beside the project";
  EXPECT_NEAR(*b200, 9011.0666666667, 1e-9);
  const auto h200 = mlperf_mean("v4.1", "H200-SXM-141GBx8_TRT_MaxQ__llama2-70b-99__Offline");
  ASSERT_TRUE(h200);
  EXPECT_NEAR(*h200, 6152.9844351733, 1e-9);
}

}  // namespace
}  // namespace tokenjoule
