#include "sensors/dcgm/dcgm_page.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

PrometheusPage page_of(const std::string& text) {
  auto page = prometheus_page(text);
  EXPECT_TRUE(page.has_value()) << (page ? "" : page.error().message);
  return page ? std::move(*page) : PrometheusPage{};
}

/// The only metric of that measurand on the page; nullopt if there is not exactly one.
std::optional<DcgmMetric> metric_on(const PrometheusPage& page, Measurand measurand) {
  auto metrics = dcgm_metrics_on(page, "");
  EXPECT_TRUE(metrics.has_value()) << (metrics ? "" : metrics.error().message);
  if (!metrics) return std::nullopt;
  std::erase_if(*metrics, [&](const DcgmMetric& metric) { return metric.measurand != measurand; });
  return metrics->size() == 1 ? std::optional(metrics->front()) : std::nullopt;
}

/// Readings of a page with one metric only, by UUID.
std::map<std::string, double> values_on(const std::string& text, const DcgmFilter& filter = {}) {
  const auto page = page_of(text);
  const auto metrics = *dcgm_metrics_on(page, "");
  EXPECT_EQ(metrics.size(), 1u);
  std::map<std::string, double> values;
  for (const auto& [key, value] : dcgm_readings(page, metrics, filter).values)
    values[key.first] = value;
  return values;
}

TEST(DcgmMetrics, EnergyUnderItsKnownNameIsInMillijoulesWhateverItsHelpSays) {
  const auto metric =
      metric_on(page_of("# HELP DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION Energy in joules.\n"
                        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-a\"} 5\n"),
                Measurand::energy);
  ASSERT_TRUE(metric.has_value());
  EXPECT_EQ(metric->raw_unit, "mJ");
  EXPECT_EQ(metric->to_si, 1e-3);
  EXPECT_EQ(metric->kind, SignalKind::counter);
}

TEST(DcgmMetrics, ANewerEnergyNameTellsItsUnitByItsEndingOrItsHelp) {
  struct Case {
    const char* name;
    const char* help;
    const char* unit;
  };
  const Case cases[] = {
      {"DCGM_FI_DEV_BOARD_ENERGY_JOULES", "", "J"},
      {"DCGM_FI_DEV_BOARD_ENERGY_JOULES_TOTAL", "", "J"},
      {"DCGM_FI_DEV_BOARD_ENERGY_MILLIJOULES", "", "mJ"},
      {"DCGM_FI_DEV_ENERGY_TOTAL_MJ", "", "mJ"},
      {"DCGM_FI_DEV_ENERGY_TOTAL", "Total energy (in mJ).", "mJ"},
      {"DCGM_FI_DEV_ENERGY_TOTAL", "Total energy in millijoules.", "mJ"},
      {"DCGM_FI_DEV_ENERGY_TOTAL", "Total energy in joules.", "J"},
  };
  for (const Case& each : cases) {
    const std::string name = each.name;
    const auto metric = metric_on(
        page_of("# HELP " + name + " " + each.help + "\n" + name + "{UUID=\"GPU-a\"} 5\n"),
        Measurand::energy);
    ASSERT_TRUE(metric.has_value()) << name << each.help;
    EXPECT_EQ(metric->raw_unit, each.unit) << name << each.help;
  }
}

TEST(DcgmMetrics, AnEnergyWithoutAUnitIsRefusedWithItsLineUnlessTheUserStatesIt) {
  const auto page = page_of("DCGM_FI_DEV_ENERGY{UUID=\"GPU-a\"} 5\n");
  const auto metrics = dcgm_metrics_on(page, "");
  ASSERT_FALSE(metrics.has_value());
  EXPECT_EQ(metrics.error().kind, ErrorKind::missing);
  EXPECT_NE(metrics.error().message.find("DCGM_FI_DEV_ENERGY{UUID='GPU-a'} 5"), std::string::npos)
      << metrics.error().message;
  EXPECT_EQ(dcgm_metrics_on(page, "J")->at(0).raw_unit, "J");
  EXPECT_EQ(dcgm_metrics_on(page, "mJ")->at(0).raw_unit, "mJ");
}

TEST(DcgmMetrics, OldAndNewNamesOfAFieldAreNeverBothRead) {
  const auto metrics =
      *dcgm_metrics_on(page_of("DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-a\"} 500\n"
                               "DCGM_FI_DEV_BOARD_POWER_WATTS{UUID=\"GPU-a\"} 500\n"),
                       "");
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_TRUE(metrics[0].is_average);
}

TEST(DcgmMetrics, AverageAndInstantaneousPowerAreTwoSignals) {
  const auto metrics =
      *dcgm_metrics_on(page_of("DCGM_FI_DEV_BOARD_POWER_WATTS{UUID=\"GPU-a\"} 500\n"
                               "DCGM_FI_DEV_BOARD_POWER_RAW_WATTS{UUID=\"GPU-a\"} 510\n"),
                       "");
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_TRUE(metrics[0].is_average);
  EXPECT_FALSE(metrics[1].is_average);
}

TEST(DcgmMetrics, ClocksAndMemoryInNewUnitsAreConvertedByTheirEndings) {
  const auto page = page_of(
      "DCGM_FI_DEV_GPU_SM_CLOCK_HERTZ{UUID=\"GPU-a\"} 1755000000\n"
      "DCGM_FI_DEV_MEM_CLOCK{UUID=\"GPU-a\"} 3201\n"
      "DCGM_FI_DEV_FB_USED_BYTES{UUID=\"GPU-a\"} 1048576\n");
  EXPECT_DOUBLE_EQ(metric_on(page, Measurand::sm_clock)->to_si * 1755000000, 1755);
  EXPECT_EQ(metric_on(page, Measurand::memory_clock)->to_si, 1.0);
  EXPECT_EQ(metric_on(page, Measurand::memory_used)->to_si, 1.0);
  EXPECT_EQ(
      metric_on(page_of("DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"} 1\n"), Measurand::memory_used)->to_si,
      1048576.0);
}

TEST(DcgmMetrics, UtilisationUnderItsNewNameIsReadOnlyIfTheHelpTellsItsUnit) {
  const auto with_help = [](const std::string& help) {
    return metric_on(page_of("# HELP DCGM_FI_DEV_GPU_UTIL_RATIO " + help +
                             "\nDCGM_FI_DEV_GPU_UTIL_RATIO{UUID=\"GPU-a\"} 1\n"),
                     Measurand::utilisation);
  };
  EXPECT_EQ(with_help("GPU utilization (in %).")->to_si, 0.01);
  EXPECT_EQ(with_help("still an integer percent")->to_si, 0.01);
  EXPECT_EQ(with_help("GPU utilization, a fraction.")->to_si, 1.0);
  EXPECT_FALSE(with_help("GPU utilization.").has_value());
}

TEST(DcgmValue, BlanksAndImpossibleValuesAreAbsent) {
  const DcgmMetric energy{.kind = SignalKind::counter, .raw_unit = "mJ"};
  const DcgmMetric power{.kind = SignalKind::gauge, .raw_unit = "W"};
  const DcgmMetric instant{.kind = SignalKind::gauge, .raw_unit = "W", .zero_is_absent = true};
  for (const double blank : {9223372036854775792.0, 9223372036854775793.0, 9223372036854775794.0,
                             9223372036854775795.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(dcgm_value(energy, blank).has_value()) << blank;
    EXPECT_FALSE(dcgm_value(power, blank).has_value()) << blank;
  }
  EXPECT_FALSE(dcgm_value(power, 140737488355328.0).has_value());
  EXPECT_FALSE(dcgm_value(power, 140737488355330.0).has_value());
  EXPECT_FALSE(dcgm_value(power, 2147483632.0).has_value());
  EXPECT_EQ(dcgm_value(energy, 140737488355328.0), 140737488355328.0);  // 7 years at 600 W
  EXPECT_EQ(dcgm_value(energy, 2147483632.0), 2147483632.0);
  EXPECT_EQ(dcgm_value(power, 0), 0.0);
  EXPECT_FALSE(dcgm_value(instant, 0).has_value());
}

TEST(DcgmReadings, RowsOfMigInstancesCountOnce) {
  EXPECT_EQ(
      values_on("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-a\",GPU_I_ID=\"3\"} 1000000\n"
                "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-a\",GPU_I_ID=\"4\"} 1000070\n"
                "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-b\"} 2000000\n"),
      (std::map<std::string, double>{{"GPU-a", 1000000}, {"GPU-b", 2000000}}));
}

TEST(DcgmReadings, RowsOfOneGpuThatContradictEachOtherAreLeftOutAndShown) {
  const auto page = page_of(
      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-a\"} 1000000\n"
      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-a\"} 2000000\n"
      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-b\"} 3\n");
  const auto readings = dcgm_readings(page, *dcgm_metrics_on(page, ""), {});
  EXPECT_EQ(readings.values.size(), 1u);
  ASSERT_EQ(readings.contradictions.size(), 1u);  // 1 kJ apart
  EXPECT_EQ(readings.contradictions.begin()->second,
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-a\"} 2000000");
}

TEST(DcgmReadings, AFilterTakesRowsByTheirLabelsAlsoWhereAPrometheusRenamedThem) {
  const std::string text =
      "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-a\",pod=\"llama-0\"} 1\n"
      "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-b\",exported_pod=\"llama-0\"} 2\n"
      "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-c\",pod=\"other\"} 3\n"
      "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-d\"} 4\n";
  EXPECT_EQ(values_on(text, {{"pod", "llama-0"}}),
            (std::map<std::string, double>{{"GPU-a", 1}, {"GPU-b", 2}}));
  EXPECT_EQ(values_on(text).size(), 4u);
}

TEST(DcgmReadings, RowsWithoutAUuidAreNotGpus) {
  EXPECT_EQ(
      values_on(
          "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-a\"} 1\nDCGM_FI_DEV_POWER_USAGE{nvswitch=\"0\"} 2\n"
          "DCGM_FI_DEV_POWER_USAGE{uuid=\"GPU-b\"} 3\n")
          .size(),
      2u);
}

SensorContents contents_of(const std::string& text) {
  const auto page = page_of(text);
  const auto metrics = *dcgm_metrics_on(page, "");
  return dcgm_contents(page, metrics, {}, dcgm_readings(page, metrics, {}));
}

TEST(DcgmContents, DevicesCarryNumberModelAndDriver) {
  const auto contents = contents_of(
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-a\",modelName=\"NVIDIA H200 "
      "NVL\",hostname=\"n7\","
      "DCGM_FI_DRIVER_VERSION=\"590.48\"} 1\n");
  ASSERT_EQ(contents.devices.size(), 1u);
  EXPECT_EQ(contents.devices[0].id, "GPU-a");
  EXPECT_EQ(contents.devices[0].name, "NVIDIA H200 NVL");
  EXPECT_EQ(contents.devices[0].label, "0");
  EXPECT_EQ(contents.devices[0].kind, DeviceKind::gpu);
  EXPECT_FALSE(contents.devices[0].simulated);
  ASSERT_EQ(contents.signals.size(), 1u);
  EXPECT_EQ(contents.signals[0].boundary, Boundary::gpu_board);
  EXPECT_EQ(contents.signals[0].source, "DCGM_FI_DEV_POWER_USAGE");
  EXPECT_EQ(contents.signals[0].driver, "590.48");
  EXPECT_EQ(contents.signals[0].averaging, Seconds(1));
}

TEST(DcgmContents, GpusOfSeveralHostsCarryTheHostInTheirLabels) {
  const auto contents = contents_of(
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-b\",Hostname=\"n8\"} 1\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"n7\"} 1\n");
  EXPECT_EQ(contents.devices.at(0).label, "n7:0");
  EXPECT_EQ(contents.devices.at(1).label, "n8:0");
}

TEST(DcgmContents, ASimulatedGpuIsMarkedAndAGh200CountsItsModule) {
  const auto contents = contents_of(
      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\",UUID=\"GPU-51d0-1\",modelName=\"NVIDIA GH200 "
      "480GB\"} 1\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-51d0-1\",modelName=\"NVIDIA GH200 480GB\"} "
      "1\n");
  EXPECT_TRUE(contents.devices.at(0).simulated);
  EXPECT_EQ(contents.signals.at(0).boundary, Boundary::gpu_module);
  EXPECT_EQ(contents.signals.at(1).boundary, Boundary::gpu_board);
}

TEST(AveragesPower, AllBoardsButGa100AndOlder) {
  EXPECT_TRUE(averages_power("NVIDIA H100 80GB HBM3"));
  EXPECT_TRUE(averages_power("NVIDIA A10"));
  EXPECT_TRUE(averages_power("NVIDIA RTX A4000"));
  EXPECT_FALSE(averages_power("NVIDIA A100-SXM4-80GB"));
  EXPECT_FALSE(averages_power("Tesla T4"));
}

TEST(DcgmPageFile, APageWithOldAndNewNamesGivesEachGpuOnce) {
  std::ifstream file(TOKENJOULE_SOURCE_DIR
                     "/../shared/data/metrics/dcgm-exporter-4.6.0-4.8.3.prom");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) GTEST_SKIP() << "the sample page of dcgm-exporter is not on this machine";
  const auto contents = contents_of(text);
  ASSERT_EQ(contents.devices.size(), 2u);
  EXPECT_EQ(contents.devices[0].label, "0");
  EXPECT_EQ(contents.devices[1].name, "NVIDIA H200 NVL");
  // Energy, two powers, five limits, temperature, two clocks, utilisation, memory, power-cap time.
  EXPECT_EQ(contents.signals.size(), 28u);
  const auto page = page_of(text);
  const auto metrics = *dcgm_metrics_on(page, "");
  const auto readings = dcgm_readings(page, metrics, {});
  EXPECT_TRUE(readings.contradictions.empty());
  const DcgmKey energy{"GPU-4f2d9a31-6c1e-5b7a-8e02-1d3c5a7b9f10", 0};
  EXPECT_EQ(readings.values.at(energy) * metrics[0].to_si, 183420917.345);
}

}  // namespace
}  // namespace tokenjoule
