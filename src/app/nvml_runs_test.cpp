// Every way in which a GPU's driver answers, from the library to the figure: a script whose energy
// is known is read by the nvml sensor in virtual time, and the record is analysed. The figure is
// right, within the bound that it states, or it is withheld under a code: never wrong.

#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "analysis/test_run.hpp"
#include "sensors/nvml/nvml_sensor.hpp"
#include "sensors/nvml/scripted_nvml.hpp"

namespace tokenjoule {
namespace {

using test::TestRun;

constexpr int kRunEnd = 50;  // s; the window of TestRun is from 10 s to 40 s
constexpr double kAllowed = 0.01;

/// 200 W in the first third of the window, 420 W in the middle, 260 W in the last, each with a
/// ripple of five values around it, since power that stands still looks like a page that does.
double watts_at(int fifth) {
  const int ripple[] = {-12, 5, 9, -6, 4};  // sum 0, over one second
  const double base = fifth < 100 ? 200 : fifth < 150 ? 420 : 260;
  return base + ripple[fifth % 5];
}

std::string curve(double more) {
  std::string points;
  for (int fifth = 0; fifth < kRunEnd * 5; ++fifth) {
    points += fmt::format(" {}:{}", fifth / 5.0, watts_at(fifth) + more);
  }
  return points;
}
constexpr double kBoardJoules = 10 * 200 + 10 * 420 + 10 * 260;
constexpr double kModuleJoules = kBoardJoules + 30 * 120;
const std::string kPower = "power =" + curve(0) + "\n";
/// What the board and 120 W of CPU draw together.
const std::string kModulePower = "module_power =" + curve(120) + "\n";

std::string gpu(const std::string& more, int architecture = 9) {
  return "[gpu]\nuuid = GPU-51d0a\nname = Simulated\narchitecture = " +
         std::to_string(architecture) + "\nlimit_enforced = 700\n" + kPower + more;
}

/// A run of 50 s with a token every 20 ms, whose energy is what the sensor read of the script.
Report measured(const std::string& script, const char* library = TOKENJOULE_FAKE_NVML_LIBRARY) {
  ScriptedNvml nvml(script);
  FakeClock clock;
  const auto sensor = open_nvml({"nvml", {{"library", library}}}, clock);
  EXPECT_TRUE(sensor) << sensor.error().message;
  if (!sensor) return {};
  TestRun test;
  test.run.devices = (*sensor)->contents().devices;
  test.run.signals = (*sensor)->contents().signals;
  for (int tick = 0; tick <= kRunEnd * 10; ++tick) {
    nvml.set_time(tick * 0.1);
    do {
      auto sample = (*sensor)->poll(clock);
      if (sample) test.run.samples.push_back(std::move(*sample));
    } while ((*sensor)->has_more());
    clock.advance(milliseconds(100));
  }
  for (int second = 5; second < 45; ++second) {
    test.answer(second, {0.02, 0.2, 0.4, 0.6, 0.8, 0.98});
  }
  return test.analysed();
}

const BoundaryEnergy* energy_of(const Report& report, Boundary boundary) {
  for (const BoundaryEnergy& energy : report.energy) {
    if (energy.boundary == boundary) return &energy;
  }
  return nullptr;
}

void expect_right(const Report& report, Boundary boundary, double joules,
                  const std::string& method) {
  const BoundaryEnergy* const energy = energy_of(report, boundary);
  ASSERT_NE(energy, nullptr);
  ASSERT_TRUE(energy->joules) << energy->reason;
  EXPECT_NEAR(energy->joules->value() / joules, 1, kAllowed);
  ASSERT_TRUE(energy->systematic_bound);
  EXPECT_LE(std::abs(energy->joules->value() - joules), energy->systematic_bound->value());
  EXPECT_EQ(energy->method, method);
}

void expect_withheld(const Report& report, const std::string& code) {
  EXPECT_EQ(report.verdict.status, VerdictStatus::unusable);
  EXPECT_EQ(test::severity_of(report, code), "unusable") << [&] {
    std::string codes;
    for (const CheckFinding& finding : report.verdict.reasons) codes += finding.code + " ";
    return codes;
  }();
  const auto figure = report.figures.find("joules_per_output_token");
  ASSERT_NE(figure, report.figures.end());
  EXPECT_FALSE(figure->second.value);
  EXPECT_FALSE(figure->second.reason.empty());
}

std::string refusal(const std::string& script) {
  ScriptedNvml nvml(script);
  FakeClock clock;
  const auto sensor = open_nvml({"nvml", {{"library", TOKENJOULE_FAKE_NVML_LIBRARY}}}, clock);
  return sensor ? "" : sensor.error().message + "; " + sensor.error().hint;
}

TEST(NvmlRuns, OfACounterThatStepsEach20MillisecondsAreRight) {
  expect_right(measured(gpu("counter_step = 0.02\n")), Boundary::gpu_board, kBoardJoules,
               "counter");
}

TEST(NvmlRuns, OfACounterThatStepsEach100MillisecondsAreRight) {
  expect_right(measured(gpu("counter_step = 0.1\n")), Boundary::gpu_board, kBoardJoules, "counter");
}

TEST(NvmlRuns, OfACounterThatStepsOffTheReadsAreRight) {
  expect_right(measured(gpu("counter_step = 0.073\n")), Boundary::gpu_board, kBoardJoules,
               "counter");
}

TEST(NvmlRuns, OfAPascalWithoutACounterAreIntegratedPower) {
  const Report report = measured(gpu("flags = power\n", 4));
  expect_right(report, Boundary::gpu_board, kBoardJoules, "integrated_power");
}

TEST(NvmlRuns, OfADriverWithoutTheNewerFunctionsAreIntegratedPower) {
  const Report report =
      measured("driver = 375.26\n" + gpu("", 4), TOKENJOULE_FAKE_NVML_OLD_LIBRARY);
  expect_right(report, Boundary::gpu_board, kBoardJoules, "integrated_power");
}

TEST(NvmlRuns, OfASuperchipKeepBoardAndModuleApart) {
  const Report report =
      measured(gpu("name = NVIDIA GH200 480GB\nflags = counter power average power_fields module "
                   "module_counter\n" +
                   kModulePower));
  expect_right(report, Boundary::gpu_module, kModuleJoules, "counter");
  expect_right(report, Boundary::gpu_board, kBoardJoules, "integrated_power");
}

TEST(NvmlRuns, OfASuperchipWhoseScopesAreToldApartCountBoth) {
  const Report report = measured(
      gpu("name = NVIDIA GB200\nflags = counter power average power_fields module module_counter "
          "scoped_counter\nstart_mj = 1000000\nmodule_energy_mj = 9000000\n" +
              kModulePower,
          10));
  expect_right(report, Boundary::gpu_module, kModuleJoules, "counter");
  expect_right(report, Boundary::gpu_board, kBoardJoules, "counter");
}

TEST(NvmlRuns, OfASuperchipWithACounterOfUnknownScopeAreIntegratedPower) {
  const Report report =
      measured(gpu("name = NVIDIA GB200\nflags = counter power average power_fields module "
                   "module_counter\n" +
                       kModulePower,
                   10));
  expect_right(report, Boundary::gpu_board, kBoardJoules, "integrated_power");
  expect_right(report, Boundary::gpu_module, kModuleJoules, "integrated_power");
}

TEST(NvmlRuns, OfAGpuInMigModeCountTheWholeBoardOnce) {
  expect_right(measured(gpu("mig_instances = 3\nprocesses = 4:5 6:7\n")), Boundary::gpu_board,
               kBoardJoules, "counter");
}

TEST(NvmlRuns, UnderADriverWithLongProcessEntriesAreRight) {
  const std::string flags = "flags = counter power average power_fields long_processes\n";
  expect_right(measured(gpu(flags + "processes = 4:5 6:7\n")), Boundary::gpu_board, kBoardJoules,
               "counter");
}

TEST(NvmlRuns, OfAVirtualGpuAreRefused) {
  EXPECT_NE(refusal(gpu("flags = virtual_gpu\n")).find("virtual GPU"), std::string::npos);
}

TEST(NvmlRuns, WithoutPermissionAreRefused) {
  const std::string why = refusal(gpu("open_result = 4\n"));
  EXPECT_NE(why.find("permission"), std::string::npos) << why;
}

TEST(NvmlRuns, WithoutADriverAreRefused) {
  EXPECT_NE(refusal("init_result = 9\n").find("driver"), std::string::npos);
}

TEST(NvmlRuns, WithAGpuThatIsLostAreWithheld) {
  expect_withheld(measured(gpu("result = 15\nresult_at = 25\n")), "device_lost");
}

TEST(NvmlRuns, WithAGpuThatAnswersNoMoreAreWithheld) {
  expect_withheld(measured(gpu("result = 10\nresult_at = 25\n")), "device_lost");
}

TEST(NvmlRuns, WithACounterThatIsResetAreIntegratedPower) {
  const Report report = measured(gpu("reset_at = 25\n"));
  expect_right(report, Boundary::gpu_board, kBoardJoules, "integrated_power");
  EXPECT_EQ(test::severity_of(report, "counter_backward"), "care");
}

TEST(NvmlRuns, WithACounterThatIsResetAndNoPowerAreWithheld) {
  expect_withheld(measured(gpu("reset_at = 25\nflags = counter\n")), "counter_backward");
}

TEST(NvmlRuns, WithACounterThatFreezesAreIntegratedPower) {
  const Report report = measured(gpu("freeze_at = 20\n"));
  expect_right(report, Boundary::gpu_board, kBoardJoules, "integrated_power");
  EXPECT_EQ(test::severity_of(report, "counter_frozen"), "care");
}

TEST(NvmlRuns, WithACounterThatFreezesAndNoPowerAreWithheld) {
  expect_withheld(measured(gpu("freeze_at = 20\nflags = counter\n")), "counter_frozen");
}

TEST(NvmlRuns, SayWhereEachNumberComesFrom) {
  const Report report = measured("driver = 570.1\n" + gpu(""));
  ASSERT_FALSE(report.instruments.empty());
  const Instrument& instrument = report.instruments.front();
  EXPECT_EQ(instrument.driver, "570.1");
  EXPECT_EQ(instrument.source, "nvmlDeviceGetFieldValues(83)");
  EXPECT_EQ(instrument.quantity, "energy");
  ASSERT_TRUE(instrument.step);
  EXPECT_NEAR(instrument.step->value(), 0.1, 0.001);
}

TEST(NvmlRuns, ShowTheLimitsBeforeAndAfterAndThatOneMoved) {
  const Report report =
      measured(gpu("limit_enforced = 0:700 30:500\nlimit_requested = 690\nlimit_default = 700\n"
                   "limit_min = 200\nlimit_max = 750\n"));
  const BoundaryEnergy* const energy = energy_of(report, Boundary::gpu_board);
  ASSERT_NE(energy, nullptr);
  const DeviceEnergy& device = energy->devices.front();
  EXPECT_EQ(device.limits_before.enforced, Watts(700));
  EXPECT_EQ(device.limits_after.enforced, Watts(500));
  EXPECT_EQ(device.limits_before.requested, Watts(690));
  EXPECT_EQ(device.limits_after.by_default, Watts(700));
  EXPECT_EQ(device.limits_after.lowest, Watts(200));
  EXPECT_EQ(device.limits_after.highest, Watts(750));
  EXPECT_EQ(test::severity_of(report, "limit_changed"), "care");
}

}  // namespace
}  // namespace tokenjoule
