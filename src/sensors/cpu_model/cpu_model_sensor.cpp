#include "sensors/cpu_model/cpu_model_sensor.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <unistd.h>

#include "base/text.hpp"
#include "devices/cpu_topology.hpp"
#include "io/file.hpp"
#include "sensors/cpu_model/cpu_time.hpp"

namespace tokenjoule {

namespace {

struct CpuModelSettings {
  Watts per_core;
  Watts idle;
  std::optional<int> pid;  ///< absent: the whole machine
  std::string group;
};

Result<Watts> watts_in(const std::string& key, const std::string& text) {
  const auto watts = number_in(text);
  if (!watts || *watts < 0) {
    return failure(ErrorKind::usage, fmt::format("{}={} is no power in watts", key, quoted(text)),
                   fmt::format("write for example {}=4.5", key));
  }
  return Watts(*watts);
}

Result<CpuModelSettings> settings_in(const SensorSpec& spec) {
  CpuModelSettings settings;
  for (const auto& [key, value] : spec.settings) {
    if (key == "watts_per_core") {
      TRY(settings.per_core, watts_in(key, value));
      if (settings.per_core <= Watts(0)) {
        return failure(ErrorKind::usage, "watts_per_core is 0: a core that draws nothing",
                       "write for example watts_per_core=4.5");
      }
    } else if (key == "idle_watts") {
      TRY(settings.idle, watts_in(key, value));
    } else if (key == "group") {
      settings.group = value;
    } else if (key == "pid") {
      const auto pid = integer_in(value);
      if (!pid || *pid < 1 || *pid > 4'194'304) {
        return failure(ErrorKind::usage, fmt::format("pid={} is no process number", quoted(value)),
                       "write for example pid=1234");
      }
      settings.pid = static_cast<int>(*pid);
    }
  }
  return settings;
}

class CpuModelSensor final : public Sensor {
 public:
  CpuModelSensor(std::filesystem::path proc, CpuModelSettings settings, MonoTime opened)
      : proc_(std::move(proc)), settings_(std::move(settings)), opened_(opened) {
    contents_.devices.push_back(
        {.id = device_id(),
         .name = cpu_model_in(proc_).name,
         .kind = DeviceKind::cpu,
         .label = settings_.pid ? fmt::format("process {}", *settings_.pid) : "all processes",
         .group = settings_.group});
    Signal signal{.sensor = "cpu-model",
                  .device = device_id(),
                  .measurand = Measurand::energy,
                  .kind = SignalKind::counter,
                  .boundary = Boundary::cpu_package,
                  .source = source_text(),
                  .raw_unit = "J",
                  .to_si = 1.0,
                  .modelled = true};
    // A model of this kind is off by as much as the work differs from that by which the watts were
    // found; half the value is a bound for want of a better one, and it is said to be one.
    signal.accuracy = {
        .half_width_relative = 0.5,
        .distribution = "rectangular",
        .basis = "stated",
        .source =
            "computed from CPU time and watts stated by the user, not measured: 50 % assumed"};
    contents_.signals.push_back(std::move(signal));
  }

  const SensorContents& contents() const override { return contents_; }

  Result<Sample> poll(Clock& clock) override {
    const MonoTime before = clock.now();
    TRY(const Seconds busy, cpu_time());
    const TimeSpan read{before, clock.now()};
    if (!first_) first_ = busy;
    // Time of a process that nobody waited for leaves the tree with it: the counter stands still
    // then.
    newest_ = std::max(newest_, busy - *first_);
    const Joules energy =
        settings_.idle * to_seconds(read.middle() - opened_) + settings_.per_core * newest_;
    return Sample{.read = read, .readings = {{0, energy.value()}}};
  }

 private:
  Result<Seconds> cpu_time() const {
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    if (settings_.pid) return tree_time(proc_, *settings_.pid, ticks);
    TRY(const std::string stat, file_bytes(proc_ / "stat"));
    return busy_time_in(stat, ticks);
  }

  /// Two process trees are two things, though they run on one CPU.
  std::string device_id() const {
    return settings_.pid ? fmt::format("cpu:process-{}", *settings_.pid) : "cpu";
  }

  std::string source_text() const {
    return fmt::format("{} W a busy core ({}) + {} W at idle", settings_.per_core.value(),
                       settings_.pid ? fmt::format("/proc/{}/stat and its children", *settings_.pid)
                                     : "/proc/stat",
                       settings_.idle.value());
  }

  std::filesystem::path proc_;
  CpuModelSettings settings_;
  MonoTime opened_;
  SensorContents contents_;
  std::optional<Seconds> first_;
  Seconds newest_;
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_cpu_model_at(const std::filesystem::path& proc,
                                                  const SensorSpec& spec, Clock& clock) {
  TRY(CpuModelSettings settings, settings_in(spec));
  auto sensor = std::make_unique<CpuModelSensor>(proc, std::move(settings), clock.now());
  auto first = sensor->poll(clock);
  if (!first) {
    Error error = std::move(first).error();
    error.kind = ErrorKind::missing;
    return unexpected(std::move(error));
  }
  return std::unique_ptr<Sensor>(std::move(sensor));
}

Result<std::unique_ptr<Sensor>> open_cpu_model(const SensorSpec& spec, Clock& clock) {
  return open_cpu_model_at("/proc", spec, clock);
}

}  // namespace tokenjoule
