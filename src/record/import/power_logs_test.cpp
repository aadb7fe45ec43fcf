#include "record/import/power_logs.hpp"

#include <gtest/gtest.h>

#include "record/import/logs.hpp"
#include "record/import/test_files.hpp"

namespace tokenjoule {
namespace {

std::optional<double> value_of(const LoggedRow& row, Measurand measurand) {
  for (const LoggedValue& value : row.values) {
    if (value.measurand == measurand) return value.value;
  }
  return std::nullopt;
}

std::size_t bad(const PowerLog& log, BadRowKind kind) {
  std::size_t count = 0;
  for (const BadRow& row : log.bad_rows) count += row.kind == kind ? 1 : 0;
  return count;
}

TEST(ReadNvidiaSmi, KeepsGoodRowsAndNamesTheOthers) {
  const auto log = read_nvidia_smi(sample("nvidia_smi.csv"), {});
  ASSERT_TRUE(log) << log.error().message;
  // Of eight rows: [N/A] and -1 W have no power, one is cut, one has no time.
  ASSERT_EQ(log->rows.size(), 4U);
  EXPECT_EQ(log->rows_read, 8);
  EXPECT_EQ(log->skipped.count, 4);
  EXPECT_EQ(bad(*log, BadRowKind::power), 2U);
  EXPECT_EQ(bad(*log, BadRowKind::time), 2U);
  EXPECT_NE(log->skipped.first[0].find("line 4"), std::string::npos) << log->skipped.first[0];
  EXPECT_EQ(log->rows[0].at_ns, kSampleBegin - kOneSecond);
  EXPECT_EQ(value_of(log->rows[0], Measurand::power), 100.0);
  EXPECT_EQ(value_of(log->rows[0], Measurand::memory_used), 1024.0 * 1048576);
  EXPECT_EQ(value_of(log->rows[2], Measurand::utilisation), 0.98);
  EXPECT_EQ(value_of(log->rows[2], Measurand::sm_clock), std::nullopt) << "[N/A] is absent";
  EXPECT_EQ(value_of(log->rows[2], Measurand::power_limit_requested), std::nullopt);
}

TEST(ReadNvidiaSmi, LeavesOutRowsWhoseColumnsAreShifted) {
  const auto log = read_nvidia_smi(
      "timestamp, index, power.draw [W]\n"
      "2026/01/02 00:00:00.000, 7, 0, 600.00 W\n"
      "2026/01/02 00:00:01.000, 0, 600.00 W\n",
      {});
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->rows.size(), 1U);
  EXPECT_EQ(value_of(log->rows[0], Measurand::power), 600.0);
  EXPECT_EQ(log->skipped.count, 1);
}

TEST(ReadNvidiaSmi, ACellWhoseUnitIsNotThatOfItsColumnIsNoPower) {
  const auto log = read_nvidia_smi(
      "timestamp, index, power.draw [W]\n"
      "2026/01/02 00:00:00.000, 0, 600.00 mW\n"
      "2026/01/02 00:00:01.000, 0, 600.00 W\n",
      {});
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->rows.size(), 1U);
  EXPECT_EQ(value_of(log->rows[0], Measurand::power), 600.0);
}

TEST(ReadNvidiaSmi, NamesDevicesByUuid) {
  const auto log = read_nvidia_smi(sample("nvidia_smi.csv"), {});
  ASSERT_TRUE(log);
  ASSERT_EQ(log->devices.size(), 2U);
  EXPECT_EQ(log->devices[1].id, "GPU-bbbb");
  EXPECT_EQ(log->devices[1].label, "1");
  EXPECT_EQ(log->devices[1].name, "NVIDIA H200");
  EXPECT_FALSE(log->zone_known);
  EXPECT_TRUE(log->averaging_unknown) << "power.draw is a mean on some boards only";
}

TEST(ReadNvidiaSmi, PrefersTheColumnWhoseMeaningIsSure) {
  const auto log = read_nvidia_smi(sample("nvidia_smi_nounits.csv"), {});
  ASSERT_TRUE(log);
  EXPECT_EQ(value_of(log->rows[0], Measurand::power), 100.0);  // power.draw.average
  EXPECT_EQ(log->averaging, Seconds(1));
  EXPECT_EQ(value_of(log->rows[1], Measurand::utilisation), 1.0);
}

TEST(ReadNvidiaSmi, TakesAmdsTable) {
  const auto log = read_nvidia_smi(sample("gpu_metrics_amd.csv"), {});
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->rows.size(), 3U);
  EXPECT_EQ(log->source, "socket_power");
  EXPECT_TRUE(log->zone_known);
  EXPECT_EQ(log->devices[1].id, "gpu-1");
}

TEST(ReadNvidiaSmi, SaysWhatATableLacks) {
  const auto no_power = read_nvidia_smi("timestamp, index, power.limit [W]\n", {});
  ASSERT_FALSE(no_power);
  EXPECT_NE(no_power.error().message.find("power_column_missing"), std::string::npos);
  const auto no_time = read_nvidia_smi("index, power.draw [W]\n", {});
  ASSERT_FALSE(no_time);
  EXPECT_NE(no_time.error().message.find("timestamp_column_missing"), std::string::npos);
  const auto no_device =
      read_nvidia_smi("timestamp, power.draw [W]\n1790000000, 100 W\n1790000000, 90 W\n", {});
  ASSERT_FALSE(no_device);
  EXPECT_NE(no_device.error().message.find("gpu_identity_column_missing"), std::string::npos);
  EXPECT_FALSE(read_nvidia_smi("", {}));
  EXPECT_FALSE(read_nvidia_smi("timestamp, index, power.draw [W]\n", {}));
  EXPECT_FALSE(read_nvidia_smi("<html><body>404</body></html>", {}));
}

TEST(ReadDcgmiDmon, CountsRoundsWhereThereAreNoTimes) {
  ReadOptions options;
  options.begin_ns = kSampleBegin;
  options.period = Seconds(2);
  const auto log = read_dcgmi_dmon(sample("dcgmi_dmon.txt"), options);
  ASSERT_TRUE(log) << log.error().message;
  // Six rows of two GPUs; one has neither power nor energy.
  ASSERT_EQ(log->rows.size(), 5U);
  EXPECT_EQ(log->skipped.count, 1);
  EXPECT_EQ(log->rows[0].at_ns, kSampleBegin);
  EXPECT_EQ(log->rows[2].at_ns, kSampleBegin + 2 * kOneSecond);
  EXPECT_EQ(value_of(log->rows[2], Measurand::power), std::nullopt);
  EXPECT_EQ(value_of(log->rows[2], Measurand::energy), 5400.0);  // 5 400 000 mJ
  EXPECT_EQ(log->rows[4].at_ns, kSampleBegin + 4 * kOneSecond);
}

TEST(ReadDcgmiDmon, TakesTimesInFrontOfTheRows) {
  const auto log = read_dcgmi_dmon(sample("dcgmi_dmon_ts.txt"), {});
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->rows.size(), 2U);
  EXPECT_EQ(log->rows[0].at_ns, kSampleBegin - kOneSecond + 250'200'000);
  EXPECT_FALSE(log->zone_known);
}

TEST(ReadAiperfTelemetry, ReadsPowerAndCounter) {
  const auto log = read_aiperf_telemetry(sample("aiperf_gpu_telemetry.jsonl"), {});
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->rows.size(), 2U);
  EXPECT_EQ(log->skipped.count, 3);
  EXPECT_EQ(value_of(log->rows[1], Measurand::power), 386.0);
  EXPECT_NEAR(*value_of(log->rows[1], Measurand::energy), 230600, 1e-6);  // 0.2306 MJ
  EXPECT_EQ(log->devices[0].name, "NVIDIA H100 80GB HBM3");
}

TEST(ReadMlperfPower, LeavesOutWhatMlperfLeavesOut) {
  const auto log = read_mlperf_power(sample("spl.txt"), {});
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->rows.size(), 5U) << "0 W is no reading";
  EXPECT_EQ(log->boundary, Boundary::node_ac);
  // Between 14:13:20 and 14:14:20, both left out: 2000, 3000, 4000 W.
  const auto mean = mlperf_average(*log, kSampleBegin, kSampleBegin + 60 * kOneSecond);
  ASSERT_TRUE(mean);
  EXPECT_DOUBLE_EQ(mean->value(), 3000);
  EXPECT_FALSE(mlperf_average(*log, 0, 1));
}

TEST(ReadNamedColumns, TakesAnyTable) {
  ReadOptions options;
  options.columns = {{"time", "t"}, {"watts", "draw [kW]"}, {"device", "outlet"}};
  EXPECT_FALSE(read_named_columns(sample("meter.csv"), options)) << "no boundary";
  options.boundary = Boundary::node_ac;
  const auto log = read_named_columns(sample("meter.csv"), options);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(value_of(log->rows[1], Measurand::power), 1500.0);
  EXPECT_EQ(log->rows[1].at_ns, kSampleBegin);
  EXPECT_EQ(log->devices[0].id, "A1");
  EXPECT_EQ(log->devices[0].kind, DeviceKind::node);
  options.columns["watts"] = "drew [kW]";
  const auto wrong = read_named_columns(sample("meter.csv"), options);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("did you mean draw [kW]?"), std::string::npos);
}

TEST(LogFormatOf, KnowsEachSampleByItsContent) {
  const std::pair<const char*, const char*> samples[] = {
      {"nvidia_smi.csv", "nvidia-smi"},
      {"gpu_metrics_amd.csv", "nvidia-smi"},
      {"dcgmi_dmon.txt", "dcgmi-dmon"},
      {"dcgmi_dmon_ts.txt", "dcgmi-dmon"},
      {"aiperf_gpu_telemetry.jsonl", "aiperf-telemetry"},
      {"spl.txt", "mlperf-power"},
      {"vllm_detailed.json", "vllm"},
      {"vllm_summary.json", "vllm"},
      {"sglang.jsonl", "sglang"},
      {"inferencex_raw.json", "inferencex"},
      {"aiperf_profile_export.jsonl", "aiperf"},
      {"guidellm_benchmarks.json", "guidellm"},
      {"guidellm_older.json", "guidellm"},
      {"mlperf_log_detail.txt", "mlperf"}};
  for (const auto& [file, format] : samples) {
    const LogFormat* found = log_format_of(sample(file));
    ASSERT_NE(found, nullptr) << file;
    EXPECT_EQ(found->name, format) << file;
  }
  for (const char* text : {"", "<html>", "{}", "a,b,c\n1,2,3\n", "\x00\x01"})
    EXPECT_EQ(log_format_of(text), nullptr) << text;
}

}  // namespace
}  // namespace tokenjoule
