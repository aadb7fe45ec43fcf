#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "sensors/cpu_model/cpu_model_sensor.hpp"
#include "sensors/cpu_model/cpu_time.hpp"

namespace tokenjoule {
namespace {

/// A folder in place of /proc, removed with the object.
class FakeProc {
 public:
  FakeProc() {
    std::string name = (std::filesystem::temp_directory_path() / "tokenjoule-proc-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~FakeProc() { std::filesystem::remove_all(path_); }
  FakeProc(const FakeProc&) = delete;
  FakeProc& operator=(const FakeProc&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::trunc) << text;
  }
  void write_process(int pid, int parent, int user_ticks, int children_ticks) const {
    write(std::to_string(pid) + "/stat", std::to_string(pid) + " (a (b) c) S " +
                                             std::to_string(parent) + " 1 1 0 -1 4194560 9 9 9 9 " +
                                             std::to_string(user_ticks) + " 0 " +
                                             std::to_string(children_ticks) + " 0 20 0 1 0 99\n");
  }

 private:
  std::filesystem::path path_;
};

double ticks() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

TEST(BusyTime, LeavesOutIdleIowaitAndStolenTime) {
  // user 100, nice 20, system 30, idle 9999, iowait 999, irq 4, softirq 6, steal 500, guest 50.
  const auto time = busy_time_in("cpu  100 20 30 9999 999 4 6 500 50 0\ncpu0 1 1 1 1\n", 100);
  ASSERT_TRUE(time.has_value());
  EXPECT_DOUBLE_EQ(time->value(), 1.6);
}

TEST(BusyTime, OtherTextIsAnError) {
  EXPECT_EQ(busy_time_in("intr 5\n", 100).error().kind, ErrorKind::unavailable);
  EXPECT_FALSE(busy_time_in("", 100).has_value());
  EXPECT_FALSE(busy_time_in("cpu 1 2\n", 100).has_value());
}

TEST(ProcessTimesIn, ReadsBehindANameWithBlanksAndBrackets) {
  const auto times = process_times_in(
      "42 (my) (prog) R 7 1 1 0 -1 4194560 9 9 9 9 150 50 30 20 20 0 1 0 99\n", 100);
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->pid, 42);
  EXPECT_EQ(times->parent, 7);
  EXPECT_DOUBLE_EQ(times->own.value(), 2.0);
  EXPECT_DOUBLE_EQ(times->children.value(), 0.5);
  EXPECT_FALSE(process_times_in("42 (a) R 7 1", 100).has_value());
  EXPECT_FALSE(process_times_in("", 100).has_value());
}

TEST(TreeTime, AddsUpAProcessAndItsDescendantsOnly) {
  const FakeProc proc;
  proc.write_process(10, 1, 100, 7);
  proc.write_process(9, 11, 30, 0);  // a grandchild with a lower number than its parent
  proc.write_process(11, 10, 20, 0);
  proc.write_process(12, 1, 5000, 0);
  proc.write("self/stat", "x");
  const auto time = tree_time(proc.path(), 10, 100);
  ASSERT_TRUE(time.has_value());
  EXPECT_DOUBLE_EQ(time->value(), 1.57);
  EXPECT_EQ(tree_time(proc.path(), 99, 100).error().kind, ErrorKind::gone);
}

TEST(CpuModel, EnergyIsIdlePowerTimesTimePlusWattsTimesCpuTime) {
  const FakeProc proc;
  proc.write("stat", "cpu  1000 0 0 0 0 0 0 0 0 0\n");
  proc.write("cpuinfo", "processor : 0\nmodel name\t: Test CPU 9000\n");
  FakeClock clock;
  auto sensor = open_cpu_model_at(
      proc.path(), {"cpu-model", {{"watts_per_core", "5"}, {"idle_watts", "20"}}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().devices.at(0).name, "Test CPU 9000");
  const Signal& signal = (*sensor)->contents().signals.at(0);
  EXPECT_TRUE(signal.modelled);
  EXPECT_EQ(signal.boundary, Boundary::cpu_package);
  EXPECT_EQ(signal.accuracy.basis, "stated");
  clock.advance(whole_seconds(10));
  proc.write("stat", "cpu  " + std::to_string(1000 + static_cast<int>(3 * ticks())) +
                         " 0 0 0 0 0 0 0 0 0\n");
  const auto sample = (*sensor)->poll(clock);
  ASSERT_TRUE(sample.has_value());
  EXPECT_DOUBLE_EQ(sample->readings.at(0).raw, 215.0);  // 20 W for 10 s and 5 W for 3 CPU seconds
}

TEST(CpuModel, TheCounterStandsStillWhereTimeIsLostWithAProcess) {
  const FakeProc proc;
  proc.write_process(10, 1, 0, 0);
  proc.write_process(11, 10, 0, 0);
  FakeClock clock;
  auto sensor = open_cpu_model_at(proc.path(),
                                  {"cpu-model", {{"watts_per_core", "5"}, {"pid", "10"}}}, clock);
  ASSERT_TRUE(sensor.has_value());
  proc.write_process(11, 10, static_cast<int>(2 * ticks()), 0);
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw, 10.0);
  std::filesystem::remove_all(proc.path() / "11");
  EXPECT_DOUBLE_EQ((*sensor)->poll(clock)->readings.at(0).raw, 10.0);
  std::filesystem::remove_all(proc.path() / "10");
  EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::gone);
}

TEST(CpuModel, NoSuchProcessOrNoNumberIsAnErrorWithAHint) {
  const FakeProc proc;
  FakeClock clock;
  const auto absent = open_cpu_model_at(
      proc.path(), {"cpu-model", {{"watts_per_core", "5"}, {"pid", "10"}}}, clock);
  EXPECT_EQ(absent.error().kind, ErrorKind::missing);
  for (const SensorSpec& spec :
       {SensorSpec{"cpu-model", {{"watts_per_core", "much"}}},
        SensorSpec{"cpu-model", {{"watts_per_core", "-1"}}},
        SensorSpec{"cpu-model", {{"watts_per_core", "1"}, {"pid", "x"}}}}) {
    const auto sensor = open_cpu_model_at(proc.path(), spec, clock);
    ASSERT_FALSE(sensor.has_value());
    EXPECT_EQ(sensor.error().kind, ErrorKind::usage);
    EXPECT_NE(sensor.error().hint, "");
  }
}

}  // namespace
}  // namespace tokenjoule
