// What it costs us to poll all sensors of an eight-GPU node: eight GPUs that a script plays, two
// CPU packages with memory, a management controller, one that takes 3 s, and a PDU; at 10 Hz and at
// 100 Hz. Time in the kernel and inside the GPU library are apart. Prints a table in Markdown;
// exits 1 where our own share of a core is above a goal.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <mutex>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include "fake_gpus.hpp"
#include "io/library.hpp"
#include "node_peers.hpp"
#include "sensors/sampler.hpp"
#include "sensors/sensor.hpp"
#include "sim/fake_nvml/shared_state.hpp"
#include "timed_nvml.hpp"

namespace tokenjoule::bench {
namespace {

/// A rate of polling and the most of one core that our own code may take at it.
struct Goal {
  int hertz;
  double most_percent;
};
constexpr Goal kGoals[] = {{10, 0.5}, {100, 3.0}};

/// A little shorter than the rate's: polls in step with the kernel's ticks would be counted by all
/// of them or by none.
Nanoseconds period_of(Goal goal) { return to_nanoseconds(Seconds(0.9929 / goal.hertz)); }

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// CPU time, and the part of it that was spent in the kernel. The kernel knows the part from its
/// ticks: over a minute it is good to some per cent of itself.
struct Cpu {
  double all_s = 0;
  double kernel_s = 0;

  static Cpu of(int who, clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    rusage usage{};
    getrusage(who, &usage);
    return {static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec),
            seconds_of(usage.ru_stime)};
  }
  static Cpu of_thread() { return of(RUSAGE_THREAD, CLOCK_THREAD_CPUTIME_ID); }
  /// Of all threads but this one, which sleeps while the others work.
  static Cpu of_others() { return of(RUSAGE_SELF, CLOCK_PROCESS_CPUTIME_ID) - of_thread(); }
  friend Cpu operator-(Cpu a, Cpu b) { return {a.all_s - b.all_s, a.kernel_s - b.kernel_s}; }
};

/// Where a sensor's polls went. Written by the sensor's thread, read once that has ended.
struct Spent {
  std::string name;
  std::size_t signals = 0;
  std::int64_t polls = 0;
  std::int64_t readings = 0;
  Cpu cpu;
  Nanoseconds longest_pause;  ///< between the begins of two polls
  std::optional<MonoTime> last_begin;
};

/// Hands each poll on and adds up what it took.
class TimedSensor final : public Sensor {
 public:
  TimedSensor(std::unique_ptr<Sensor> sensor, Spent& spent)
      : sensor_(std::move(sensor)), spent_(spent) {}
  const SensorContents& contents() const override { return sensor_->contents(); }
  bool has_more() const override { return sensor_->has_more(); }
  bool keeps_own_pace() const override { return sensor_->keeps_own_pace(); }
  std::vector<Loss> take_losses() override { return sensor_->take_losses(); }

  Result<Sample> poll(Clock& clock) override {
    const MonoTime begin = clock.now();
    if (spent_.last_begin)
      spent_.longest_pause = std::max(spent_.longest_pause, begin - *spent_.last_begin);
    spent_.last_begin = begin;
    const Cpu before = Cpu::of_thread();
    auto sample = sensor_->poll(clock);
    const Cpu took = Cpu::of_thread() - before;
    spent_.cpu.all_s += took.all_s;
    spent_.cpu.kernel_s += took.kernel_s;
    ++spent_.polls;
    if (sample) spent_.readings += static_cast<std::int64_t>(sample->readings.size());
    return sample;
  }

 private:
  std::unique_ptr<Sensor> sensor_;
  Spent& spent_;
};

struct Row {
  Goal goal{};
  double seconds = 0;
  std::vector<std::unique_ptr<Spent>> sensors;
  Cpu cpu;  ///< of all threads
  double library_s = 0;
  std::int64_t lost = 0;

  double percent(double cpu_s) const { return 100 * cpu_s / seconds; }
  double own_percent() const { return percent(cpu.all_s - cpu.kernel_s - library_s); }
};

std::vector<std::pair<std::string, SensorSpec>> node_sensors(const NodePeers& peers,
                                                             const CpuTree& cpus) {
  return {{"nvml, 8 GPUs", {"nvml", {{"library", TIMED_NVML_LIBRARY}}}},
          {"rapl", {"rapl", {{"root", cpus.root().string()}}}},
          {"redfish", {"redfish", {{"url", peers.controller()}, {"device", "node"}}}},
          {"redfish, 3 s an answer",
           {"redfish", {{"url", peers.slow_controller()}, {"device", "slow-node"}}}},
          {"snmp", {"snmp", {{"host", peers.pdu()}, {"community", "public"}, {"profile", "apc"}}}}};
}

Result<Row> polled(Goal goal, double seconds, const NodePeers& peers, const CpuTree& cpus,
                   SystemClock& clock) {
  TRY(const SharedLibrary timed, SharedLibrary::open(TIMED_NVML_LIBRARY));
  const auto library_s = [&] {
    LibraryTotals totals;
    timed.function<ReadTotals>(kReadTotals)(&totals);
    return 1e-9 * static_cast<double>(totals.cpu_ns);
  };
  Row row{.goal = goal};
  std::vector<std::unique_ptr<Sensor>> sensors;
  for (const auto& [name, spec] : node_sensors(peers, cpus)) {
    TRY(auto sensor, open_sensor(spec, clock));
    row.sensors.push_back(std::make_unique<Spent>());
    row.sensors.back()->name = name;
    row.sensors.back()->signals = sensor->contents().signals.size();
    sensors.push_back(std::make_unique<TimedSensor>(std::move(sensor), *row.sensors.back()));
  }
  std::atomic<std::int64_t> lost = 0;
  Sampler sampler(std::move(sensors), clock,
                  [&](const Event& event) {
                    if (const auto* loss = std::get_if<Loss>(&event)) lost += loss->count;
                  },
                  {.period = period_of(goal)});
  const double library_before = library_s();
  const Cpu before = Cpu::of_others();
  const MonoTime begin = clock.now();
  sampler.start(sampler.devices());
  clock.sleep_until(begin + to_nanoseconds(Seconds(seconds)), {});
  row.cpu = Cpu::of_others() - before;
  row.seconds = to_seconds(clock.now() - begin).value();
  row.library_s = library_s() - library_before;
  sampler.stop();
  row.lost = lost;
  return row;
}

void print_row(const Row& row) {
  fmt::print("\n{} Hz for {:.1f} s, {} lost polls; CPU as shares of one core\n\n", row.goal.hertz,
             row.seconds, row.lost);
  fmt::print(
      "| | signals | polls | readings | CPU | of it in the kernel | inside the library | ours | "
      "longest pause between polls ms |\n|---|---|---|---|---|---|---|---|---|\n");
  Cpu rest = row.cpu;
  for (const auto& spent : row.sensors) {
    const bool gpus = spent == row.sensors.front();
    const double library_s = gpus ? row.library_s : 0;
    fmt::print("| {} | {} | {} | {} | {:.3f} % | {:.3f} % | {:.3f} % | {:.3f} % | {:.1f} |\n",
               spent->name, spent->signals, spent->polls, spent->readings,
               row.percent(spent->cpu.all_s), row.percent(spent->cpu.kernel_s),
               row.percent(library_s),
               row.percent(spent->cpu.all_s - spent->cpu.kernel_s - library_s),
               1e3 * to_seconds(spent->longest_pause).value());
    rest = rest - spent->cpu;
  }
  fmt::print("| calendar and hand-over | | | | {:.3f} % | {:.3f} % | | {:.3f} % | |\n",
             row.percent(rest.all_s), row.percent(rest.kernel_s),
             row.percent(rest.all_s - rest.kernel_s));
  fmt::print("| all | | | | {:.3f} % | {:.3f} % | {:.3f} % | **{:.3f} %** (goal {} %) | |\n",
             row.percent(row.cpu.all_s), row.percent(row.cpu.kernel_s), row.percent(row.library_s),
             row.own_percent(), row.goal.most_percent);
}

int run(double seconds) {
  const NodePeers peers;  // first: it forks
  const CpuTree cpus;
  write_fake_gpus(cpus.root() / "script", 8);
  setenv(kFakeScriptVariable, (cpus.root() / "script").c_str(), 1);
  setenv(kTimedLibraryVariable, FAKE_NVML_LIBRARY, 1);
  SystemClock clock;
  bool reached = true;
  for (const Goal goal : kGoals) {
    const auto row = polled(goal, seconds, peers, cpus, clock);
    if (!row) {
      fmt::print(stderr, "{}; {}\n", row.error().message, row.error().hint);
      return 3;
    }
    print_row(*row);
    reached = reached && row->own_percent() <= goal.most_percent;
  }
  return reached ? 0 : 1;
}

}  // namespace
}  // namespace tokenjoule::bench

int main(int argc, char** argv) {
  double seconds = 30;
  CLI::App app("CPU cost of polling all sensors of an eight-GPU node, at 10 Hz and at 100 Hz");
  app.add_option("--seconds", seconds, "of each rate")->check(CLI::Range(5.0, 3600.0));
  CLI11_PARSE(app, argc, argv);
  return tokenjoule::bench::run(seconds);
}
