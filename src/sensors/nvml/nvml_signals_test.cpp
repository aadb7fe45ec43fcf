#include "sensors/nvml/nvml_signals.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

constexpr NvmlKey kCounter = nvml_field(nvml::kTotalEnergy);
constexpr NvmlKey kAverage = nvml_field(nvml::kPowerAverage);
constexpr NvmlKey kInstant = nvml_field(nvml::kPowerInstant);
constexpr NvmlKey kModuleAverage = nvml_field(nvml::kPowerAverage, nvml::kScopeModule);
constexpr NvmlKey kGpuEnergy = nvml_field(nvml::kEnergy, nvml::kScopeGpu);
constexpr NvmlKey kModuleEnergy = nvml_field(nvml::kEnergy, nvml::kScopeModule);
constexpr NvmlKey kUsage = nvml_call(NvmlCall::power_usage);

NvmlGpu card(const std::string& name, unsigned architecture) {
  return {.uuid = "GPU-1", .name = name, .architecture = architecture, .driver = "550.54.15"};
}

std::vector<Signal> of(const NvmlSignals& signals, Measurand measurand) {
  std::vector<Signal> found;
  for (const auto* list : {&signals.fast, &signals.slow}) {
    for (const NvmlSignal& signal : *list) {
      if (signal.signal.measurand == measurand) found.push_back(signal.signal);
    }
  }
  return found;
}

TEST(NvmlSignals, OfAnOrdinaryCardAreCounterAverageAndInstantOfTheBoard) {
  const auto signals =
      signals_of(card("NVIDIA H200", nvml::kHopper),
                 {{kCounter, 5e6}, {kAverage, 1e5}, {kInstant, 1e5}, {kUsage, 1e5}});
  const auto energy = of(signals, Measurand::energy);
  ASSERT_EQ(energy.size(), 1U);
  EXPECT_EQ(energy[0].boundary, Boundary::gpu_board);
  EXPECT_EQ(energy[0].raw_unit, "mJ");
  EXPECT_DOUBLE_EQ(energy[0].to_si, 0.001);
  const auto power = of(signals, Measurand::power);
  ASSERT_EQ(power.size(), 2U);
  EXPECT_EQ(power[0].averaging, Seconds(1));
  EXPECT_EQ(power[1].averaging, std::nullopt);
}

TEST(NvmlSignals, TakePowerUsageWhereTheFieldsAreMissing) {
  const auto signals = signals_of(card("Tesla P100", nvml::kPascal), {{kUsage, 1e5}});
  const auto power = of(signals, Measurand::power);
  ASSERT_EQ(power.size(), 1U);
  EXPECT_EQ(power[0].source, "nvmlDeviceGetPowerUsage");
  EXPECT_EQ(power[0].averaging, std::nullopt);
  EXPECT_TRUE(of(signals, Measurand::energy).empty());
}

TEST(NvmlSignals, OfAGpuThatReadsZeroWattsHaveNoPower) {
  const auto signals = signals_of(card("NVIDIA A40", nvml::kAmpere), {{kUsage, 0}, {kInstant, 0}});
  EXPECT_TRUE(signals.fast.empty());
}

TEST(PowerUsage, IsAnAverageOnAmpereAndLaterButNotOnGa100) {
  EXPECT_EQ(power_usage_is_average(card("Tesla V100-SXM2-16GB", nvml::kVolta)), false);
  EXPECT_EQ(power_usage_is_average(card("NVIDIA A100-SXM4-40GB", nvml::kAmpere)), false);
  EXPECT_EQ(power_usage_is_average(card("NVIDIA A30", nvml::kAmpere)), false);
  EXPECT_EQ(power_usage_is_average(card("NVIDIA RTX A3000", nvml::kAmpere)), true);
  EXPECT_EQ(power_usage_is_average(card("NVIDIA A10", nvml::kAmpere)), true);
  EXPECT_EQ(power_usage_is_average(card("NVIDIA L40S", nvml::kAda)), true);
  EXPECT_EQ(power_usage_is_average(card("NVIDIA X", 77)), std::nullopt);
}

TEST(SuperchipSignals, OfGh200HaveTheCounterOfTheModuleAndThePowerOfBoth) {
  const auto signals =
      signals_of(card("NVIDIA GH200 480GB", nvml::kHopper),
                 {{kCounter, 9e9}, {kGpuEnergy, 9e9}, {kAverage, 4e5}, {kModuleAverage, 6e5}});
  const auto energy = of(signals, Measurand::energy);
  ASSERT_EQ(energy.size(), 1U);
  EXPECT_EQ(energy[0].boundary, Boundary::gpu_module);
  const auto power = of(signals, Measurand::power);
  ASSERT_EQ(power.size(), 2U);
  EXPECT_EQ(power[0].boundary, Boundary::gpu_board);
  EXPECT_EQ(power[1].boundary, Boundary::gpu_module);
}

TEST(SuperchipSignals, HaveBothCountersWhereTheScopesTellThemApart) {
  const auto signals = signals_of(
      card("NVIDIA GB200", nvml::kBlackwell),
      {{kCounter, 9e9}, {kGpuEnergy, 9e9}, {kModuleEnergy, 13e9}, {kModuleAverage, 6e5}});
  const auto energy = of(signals, Measurand::energy);
  ASSERT_EQ(energy.size(), 2U);
  EXPECT_EQ(energy[0].boundary, Boundary::gpu_board);
  EXPECT_EQ(energy[1].boundary, Boundary::gpu_module);
}

TEST(SuperchipSignals, HaveNoCounterWhereItsBoundaryIsNotKnown) {
  // Both scopes within a step of each other: one of them is not what it says.
  const auto signals = signals_of(
      card("NVIDIA GB200", nvml::kBlackwell),
      {{kCounter, 9e9}, {kGpuEnergy, 9e9}, {kModuleEnergy, 9e9 + 1e5}, {kModuleAverage, 6e5}});
  EXPECT_TRUE(of(signals, Measurand::energy).empty());
  EXPECT_NE(signals.left_out.find("not known"), std::string::npos);
}

TEST(NvmlReadings, LeaveOutASumOfWhichAPartIsMissing) {
  NvmlSignal sum;
  sum.signal.id = 3;
  sum.keys = {nvml_field(269), nvml_field(270)};
  EXPECT_TRUE(readings_of({sum}, {{nvml_field(269), 5}}).empty());
  const auto readings = readings_of({sum}, {{nvml_field(269), 5}, {nvml_field(270), 7}});
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].signal, 3U);
  EXPECT_EQ(readings[0].raw, 12);
}

}  // namespace
}  // namespace tokenjoule
