// CPU energy from the files a kernel would show, through the sensors, to the figure of a window.

#include <cmath>
#include <functional>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "analysis/boundary_energy.hpp"
#include "io/testing_tree.hpp"
#include "sensors/perf/perf_sensor.hpp"
#include "sensors/perf/scripted_perf.hpp"
#include "sensors/rapl/rapl_sensor.hpp"

namespace tokenjoule {
namespace {

constexpr double kAmdRangeUj = 65532610987.0;
constexpr double kStart = 65000;  // J on the counter when the run begins: 532 J before its end

/// A machine whose packages draw 500 W each, read every 100 ms for 10 s; the window is 6 s of it.
class Machine {
 public:
  explicit Machine(int packages) {
    for (int n = 0; n < packages; ++n) add_package(n);
    show(0);
  }

  void add_package(int n) {
    const std::string zone = zone_of(n);
    tree_.write(zone + "/name", fmt::format("package-{}\n", n));
    tree_.write(zone + "/max_energy_range_uj", fmt::format("{:.0f}\n", kAmdRangeUj));
    add_socket(n);
    ++packages_;
  }
  void add_socket(int n) {
    tree_.write(fmt::format("sys/devices/system/cpu/cpu{}/topology/physical_package_id", n),
                fmt::format("{}\n", n));
  }

  void open_rapl_sensor() { add(open_rapl(spec("rapl"), clock_)); }
  void open_perf_sensor() {
    write_perf_unit(tree_, "0");
    write_perf_event(tree_, "energy-pkg", "event=0x02");
    perf_.counts[{2, 0}] = 1;
    add(open_perf_with(spec("perf"), clock_, perf_.opener()));
  }

  /// What else happens, at a time in tenths of a second.
  std::function<void(Machine&, int)> also = [](Machine&, int) {};
  /// J taken off every counter from now on: it was reset.
  double reset_by = 0;

  BoundaryMeasure window() {
    for (int tenth = 0; tenth <= 100; ++tenth) {
      also(*this, tenth);
      show(tenth / 10.0);
      for (std::size_t i = 0; i < sensors_.size(); ++i) poll(i);
      clock_.advance(milliseconds(100));
    }
    const TimeSpan span{MonoTime{} + whole_seconds(2), MonoTime{} + whole_seconds(8)};
    return measured_boundary(run_, SeriesTable(run_), Boundary::cpu_package, span);
  }
  const TestTree& tree() const { return tree_; }
  std::string zone_of(int n) const { return fmt::format("sys/class/powercap/intel-rapl:{}", n); }

 private:
  SensorSpec spec(const char* name) const { return {name, {{"root", tree_.root().string()}}}; }

  void show(double seconds) {
    const double drawn_uj = 500 * seconds * 1e6;
    const double counter = std::fmod(kStart * 1e6 + drawn_uj - reset_by * 1e6, kAmdRangeUj);
    for (int n = 0; n < packages_; ++n) {
      tree_.write(zone_of(n) + "/energy_uj", fmt::format("{:.0f}\n", counter));
    }
    if (!perf_.counts.empty()) {
      perf_.counts[{2, 0}] = static_cast<std::uint64_t>(500 * seconds * 4294967296.0) + 1;
    }
  }

  void add(Result<std::unique_ptr<Sensor>> sensor) {
    ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
    first_ids_.push_back(static_cast<std::uint32_t>(run_.signals.size()));
    for (Signal signal : (*sensor)->contents().signals) {
      signal.id += first_ids_.back();
      run_.signals.push_back(signal);
    }
    const auto& devices = (*sensor)->contents().devices;
    run_.devices.insert(run_.devices.end(), devices.begin(), devices.end());
    sensors_.push_back(std::move(*sensor));
  }

  void poll(std::size_t i) {
    do {
      auto sample = sensors_[i]->poll(clock_);
      if (!sample) continue;
      for (Reading& reading : sample->readings) reading.signal += first_ids_[i];
      run_.samples.push_back(std::move(*sample));
    } while (sensors_[i]->has_more());
  }

  TestTree tree_;
  FakeClock clock_;
  ScriptedPerf perf_;
  int packages_ = 0;
  std::vector<std::unique_ptr<Sensor>> sensors_;
  std::vector<std::uint32_t> first_ids_;
  Run run_;
};

TEST(CpuEnergyRuns, AWrapInTheWindowLosesNothing) {
  Machine machine(1);  // 532 J at 500 W: it wraps in the second second
  machine.open_rapl_sensor();
  const auto measure = machine.window();
  ASSERT_TRUE(measure.energy.joules.has_value()) << measure.energy.reason;
  EXPECT_NEAR(measure.energy.joules->value(), 3000, 1e-3);  // 500 W for 6 s
}

TEST(CpuEnergyRuns, TwoSocketsAreAddedUp) {
  Machine machine(2);
  machine.open_rapl_sensor();
  EXPECT_NEAR(machine.window().energy.joules->value(), 6000, 1e-3);
}

TEST(CpuEnergyRuns, RaplAndPerfReadOnePackageAndItCountsOnce) {
  Machine machine(1);
  machine.open_rapl_sensor();
  machine.open_perf_sensor();
  const auto measure = machine.window();
  ASSERT_TRUE(measure.energy.joules.has_value()) << measure.energy.reason;
  EXPECT_NEAR(measure.energy.joules->value(), 3000, 1e-3);
  EXPECT_EQ(measure.devices.size(), 1u);
}

TEST(CpuEnergyRuns, AResetInTheWindowIsRefusedAndNotTakenForAWrap) {
  Machine machine(1);
  machine.open_rapl_sensor();
  machine.also = [](Machine& it, int tenth) {
    // At 5 s the counter stands behind its wrap at 1967 J: it falls to 0.
    if (tenth == 50) it.reset_by = kStart + 2500;
  };
  const auto measure = machine.window();
  EXPECT_FALSE(measure.energy.joules.has_value());
  EXPECT_FALSE(measure.energy.reason.empty());
}

TEST(CpuEnergyRuns, ASocketWithoutACounterMakesTheSumUnknownAndNotSmaller) {
  Machine machine(1);
  machine.add_socket(1);
  machine.open_rapl_sensor();
  const auto measure = machine.window();
  EXPECT_FALSE(measure.energy.joules.has_value());
  EXPECT_FALSE(measure.energy.reason.empty());
}

TEST(CpuEnergyRuns, AZoneThatBreaksInTheWindowMakesTheSumUnknownAndNotSmaller) {
  Machine machine(2);
  machine.open_rapl_sensor();
  machine.also = [](Machine& it, int tenth) {
    if (tenth < 50) return;
    it.tree().remove(it.zone_of(1) + "/energy_uj");  // what is written anew nobody has open
  };
  // The open file goes on showing what it last held: the counter stands still.
  const auto measure = machine.window();
  EXPECT_FALSE(measure.energy.joules.has_value());
}

}  // namespace
}  // namespace tokenjoule
