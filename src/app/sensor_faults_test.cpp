// A sensor that fails in the middle of a run, from the page that it reads through the sampler and
// the analysis to the figure: the right energy or a refusal, never a wrong figure.

#include <functional>
#include <future>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "analysis/test_run.hpp"
#include "io/testing_server.hpp"
#include "sensors/dcgm/dcgm_sensor.hpp"
#include "sensors/sampler.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::finding_of;
using test::severity_of;
using test::TestRun;

constexpr double kWatts = 400;
constexpr double kEnd = 80;  // s; the window is from 10 s to 70 s: 24 000 J

/// A clock on which time passes by sleeping only, and what it shows to a world each time.
class WorldClock final : public Clock {
 public:
  explicit WorldClock(std::function<void(double)> show) : show_(std::move(show)) {}
  MonoTime now() override { return clock_.now(); }
  WallTime wall_now() override { return clock_.wall_now(); }
  bool sleep_until(MonoTime due, const std::stop_token& stop) override {
    const bool slept = clock_.sleep_until(due, stop);
    show_(to_seconds(clock_.now() - MonoTime{}).value());
    return slept;
  }

 private:
  FakeClock clock_;
  std::function<void(double)> show_;
};

/// The sensor until the record's end, where it is gone.
class UntilTheEnd final : public Sensor {
 public:
  explicit UntilTheEnd(std::unique_ptr<Sensor> sensor) : sensor_(std::move(sensor)) {}
  const SensorContents& contents() const override { return sensor_->contents(); }
  Result<Sample> poll(Clock& clock) override {
    if (clock.now() >= at(kEnd)) return failure(ErrorKind::gone, "the record is over");
    return sensor_->poll(clock);
  }
  std::vector<Loss> take_losses() override { return sensor_->take_losses(); }

 private:
  std::unique_ptr<Sensor> sensor_;
};

std::string energy_row(double millijoules, const std::string& more = "") {
  return fmt::format("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{gpu=\"0\",UUID=\"GPU-a\"{}}} {:.0f}\n",
                     more, millijoules);
}
std::string power_row(double watts) {
  return fmt::format("DCGM_FI_DEV_POWER_USAGE{{gpu=\"0\",UUID=\"GPU-a\"}} {:.6f}\n", watts);
}
/// A counter since `start`, with a million joules on it by then.
double counter_mj(double seconds, double start = 0, double joules = 1e6) {
  return 1000 * (joules + kWatts * (seconds - start));
}

/// What an exporter shows at a time; "" while it is down.
using Exporter = std::function<std::string(double seconds)>;

Report measured(const Exporter& exporter) {
  PageServer server({{"GET /metrics", {200, exporter(0), "text/plain"}}});
  WorldClock clock([&](double seconds) {
    const std::string page = exporter(seconds);
    server.set("GET /metrics", {page.empty() ? 503 : 200, page, "text/plain"});
  });
  auto dcgm = open_dcgm({"dcgm", {{"url", server.url("/metrics").text()}}}, clock);
  EXPECT_TRUE(dcgm.has_value()) << dcgm.error().message;
  std::vector<std::unique_ptr<Sensor>> sensors;
  sensors.push_back(std::make_unique<UntilTheEnd>(std::move(*dcgm)));

  TestRun record;
  record.run.devices.clear();
  record.run.marks[1].at = at(70);
  record.run.close->at = at(kEnd);
  record.answer(20, {1, 2, 3});
  std::promise<void> over;
  Sampler sampler(std::move(sensors), clock,
                  [&](Event event) {
                    const auto* loss = std::get_if<Loss>(&event);
                    const bool last = loss != nullptr && loss->what == "sensor";
                    add_event(record.run, std::move(event));
                    if (last) over.set_value();
                  },
                  {.period = milliseconds(500)});
  sampler.start(sampler.devices());
  over.get_future().wait();
  sampler.stop();
  return record.analysed();
}

const BoundaryEnergy& board_energy(const Report& report) {
  static const BoundaryEnergy kNone;
  for (const BoundaryEnergy& energy : report.energy) {
    if (energy.boundary == Boundary::gpu_board) return energy;
  }
  return kNone;
}

bool down(double seconds, double from, double to) { return seconds >= from && seconds < to; }

TEST(SensorFaults, ASensorLostAndFoundAgainLosesNoEnergyOfACounterThatWentOn) {
  const Report report = measured([](double t) {
    return down(t, 30, 35) ? "" : energy_row(counter_mj(t)) + power_row(kWatts);
  });
  ASSERT_TRUE(board_energy(report).joules.has_value()) << board_energy(report).reason;
  EXPECT_NEAR(board_energy(report).joules->value(), 24000, 1);
  EXPECT_EQ(severity_of(report, "sensor_gap"), "care");  // 5 s, less than a tenth of 60 s
  EXPECT_EQ(board_energy(report).devices.at(0).method, "counter");
}

TEST(SensorFaults, OneLostForMoreThanATenthOfTheWindowIsUnusable) {
  const Report report = measured([](double t) {
    return down(t, 30, 38) ? "" : energy_row(counter_mj(t)) + power_row(kWatts);
  });
  EXPECT_EQ(severity_of(report, "sensor_gap"), "unusable");
}

TEST(SensorFaults, APowerThatIsLostAndFoundAgainHasABoundForItsGap) {
  // 300 W and 500 W in turn, second by second: what was drawn in the 5 s is known to 100 W.
  const Report report = measured([](double t) {
    return down(t, 30, 35) ? "" : power_row(static_cast<int>(t) % 2 == 0 ? 300 : 500);
  });
  ASSERT_TRUE(board_energy(report).joules.has_value());
  EXPECT_NEAR(board_energy(report).joules->value(), 24000, 0.05 * 24000);
  EXPECT_EQ(severity_of(report, "sensor_gap"), "care");
}

TEST(SensorFaults, ACounterThatCameBackFromZeroIsNotContinued) {
  const auto page = [](double t) {
    return energy_row(t < 35 ? counter_mj(t) : counter_mj(t, 33, 0));
  };
  const Report with_power =
      measured([&](double t) { return down(t, 30, 35) ? "" : page(t) + power_row(kWatts); });
  EXPECT_EQ(severity_of(with_power, "counter_backward"), "care");
  EXPECT_EQ(board_energy(with_power).devices.at(0).method, "integrated_power");
  EXPECT_NEAR(board_energy(with_power).joules->value(), 24000, 1);
  const Report without = measured([&](double t) { return down(t, 30, 35) ? "" : page(t); });
  EXPECT_EQ(severity_of(without, "counter_backward"), "unusable");
  EXPECT_FALSE(board_energy(without).joules.has_value());
}

TEST(SensorFaults, ACounterThatIsResetWithoutAGapIsRefusedWhereNoPowerIsRead) {
  const Report report =
      measured([](double t) { return energy_row(t < 35 ? counter_mj(t) : counter_mj(t, 35, 0)); });
  EXPECT_EQ(severity_of(report, "counter_backward"), "unusable");
  EXPECT_FALSE(board_energy(report).joules.has_value());
}

TEST(SensorFaults, JoulesUnderTheNameOfMillijoulesAreNoFigure) {
  const Report report =
      measured([](double t) { return energy_row(counter_mj(t) / 1000) + power_row(kWatts); });
  EXPECT_FALSE(board_energy(report).joules.has_value());
  EXPECT_EQ(report.verdict.status, VerdictStatus::unusable);
}

TEST(SensorFaults, ADeviceOnSeveralRowsCountsOnce) {
  const Report report = measured([](double t) {
    std::string rows = power_row(kWatts) + energy_row(counter_mj(t));
    for (const char* instance : {"1", "2", "3"}) {
      rows += energy_row(counter_mj(t), fmt::format(",GPU_I_ID=\"{}\"", instance));
    }
    return rows;
  });
  ASSERT_TRUE(board_energy(report).joules.has_value()) << board_energy(report).reason;
  EXPECT_NEAR(board_energy(report).joules->value(), 24000, 1);
  EXPECT_EQ(board_energy(report).devices.size(), 1u);
}

TEST(SensorFaults, ACounterThatSticksWhilePowerFlowsIsNotUsed) {
  // Power changes with each read: it is alive.
  const auto page = [](double t) { return energy_row(counter_mj(std::min(t, 40.0))); };
  const Report with_power = measured([&](double t) {
    return page(t) + power_row(kWatts + (static_cast<int>(2 * t) % 2 == 0 ? 1 : -1));
  });
  EXPECT_EQ(severity_of(with_power, "counter_frozen"), "care");
  EXPECT_NEAR(board_energy(with_power).joules->value(), 24000, 60);
  const Report without = measured(page);
  EXPECT_FALSE(board_energy(without).joules.has_value());
}

TEST(SensorFaults, AnExporterThatHangsAndRepeatsAllItsReadingsIsRefused) {
  const Report report = measured([](double t) {
    const double hung = t < 30 ? t : 30;
    return energy_row(counter_mj(hung)) + power_row(kWatts + (static_cast<int>(2 * hung) % 2));
  });
  EXPECT_FALSE(board_energy(report).joules.has_value());
  EXPECT_EQ(report.verdict.status, VerdictStatus::unusable);
}

TEST(SensorFaults, ANodeIsNeverAddedToTheGpusThatItHolds) {
  TestRun run;
  run.power(0);
  run.steady_power(0, kWatts);
  run.device("node-7", DeviceKind::node);
  run.power(1, "node-7", Boundary::node_ac);
  run.steady_power(1, 900);
  run.answer(20, {1, 2, 3});
  const Report report = run.analysed();
  ASSERT_EQ(report.energy.size(), 2u);
  for (const BoundaryEnergy& energy : report.energy) {
    const double watts = energy.boundary == Boundary::gpu_board ? 400 : 900;
    EXPECT_NEAR(energy.joules->value(), watts * 30, 1e-6) << name_of(energy.boundary);
  }
}

}  // namespace
}  // namespace tokenjoule
