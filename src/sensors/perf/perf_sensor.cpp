#include "sensors/perf/perf_sensor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "devices/sysfs.hpp"
#include "sensors/cpu_energy.hpp"

namespace tokenjoule {

namespace {

class PerfValue final : public ValueSource {
 public:
  explicit PerfValue(std::unique_ptr<PerfCounter> counter) : counter_(std::move(counter)) {}

  Result<double> read(MonoTime) override {
    // Exact up to 2^53 counts, 2 MJ; beyond that it is off by a billionth of a joule.
    TRY(const std::uint64_t count, counter_->count());
    return static_cast<double>(count);
  }

 private:
  std::unique_ptr<PerfCounter> counter_;
};

std::optional<CpuPartKind> kind_named(std::string_view event) {
  if (event == "energy-pkg") return CpuPartKind::package;
  if (event == "energy-cores") return CpuPartKind::core;
  if (event == "energy-ram") return CpuPartKind::dram;
  if (event == "energy-psys") return CpuPartKind::psys;
  return std::nullopt;
}

/// Where each of the unit's CPUs sits.
std::vector<std::pair<int, CpuPart>> parts_of(const PerfEnergyUnit& unit, CpuCounters& found) {
  std::vector<std::pair<int, CpuPart>> parts;
  for (const int cpu : unit.cpus) {
    const auto at = std::find_if(found.places.begin(), found.places.end(),
                                 [&](const CpuPlace& place) { return place.cpu == cpu; });
    if (at == found.places.end()) {
      found.left_out.push_back(fmt::format("CPU {}: its package is not known", cpu));
    } else {
      parts.push_back({cpu, {CpuPartKind::package, at->package, at->die}});
    }
  }
  std::vector<CpuPart*> named;
  for (auto& [cpu, part] : parts) named.push_back(&part);
  name_dies_only_where_several(named);
  return parts;
}

Result<std::unique_ptr<ValueSource>> value_of(const PerfEnergyUnit& unit,
                                              const PerfEnergyEvent& event, int cpu,
                                              const OpenPerfCounter& open) {
  TRY(auto counter, open(unit.type, event.config, cpu));
  return std::make_unique<PerfValue>(std::move(counter));
}

/// Why an event is not read; "" where it is.
std::string why_not(const PerfEnergyEvent& event, const PerfEnergyUnit& unit) {
  const auto kind = kind_named(event.name);
  if (event.name == "energy-gpu") return "energy-gpu: part of its package";
  if (!kind) return fmt::format("{}: not known", event.name);
  if (*kind != CpuPartKind::psys || unit.cpus.size() < 2) return "";
  return "energy-psys: several, which of them covers the platform is not known";
}

void add_counters(CpuCounters& found, const PerfEnergyUnit& unit, const OpenPerfCounter& open) {
  const auto parts = parts_of(unit, found);
  for (const PerfEnergyEvent& event : unit.events) {
    const std::string reason = why_not(event, unit);
    if (!reason.empty()) {
      found.left_out.push_back(reason);
      continue;
    }
    for (const auto& [cpu, package] : parts) {
      CpuPart part = package;
      part.kind = *kind_named(event.name);
      CpuCounter counter{part, {}, value_of(unit, event, cpu, open)};
      counter.signal.source = fmt::format("power/{}/ on CPU {}", event.name, cpu);
      counter.signal.raw_unit = fmt::format("{:.10g} J", event.joules_per_count);
      counter.signal.to_si = event.joules_per_count;
      found.counters.push_back(std::move(counter));
    }
  }
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_perf_with(const SensorSpec& spec, Clock& clock,
                                               const OpenPerfCounter& open) {
  const std::filesystem::path root = root_of(spec);
  CpuCounters found;
  found.sensor = "perf";
  found.model = cpu_model_in(root / "proc");
  const PerfEnergyUnit unit = perf_energy_unit(root);
  if (!unit.present) {
    return unexpected(
        no_cpu_counters("the kernel has no performance-monitoring unit \"power\"", found.model,
                        "on x86: sudo modprobe rapl; elsewhere there is none: measure the node"));
  }
  found.places = cpu_places(root);
  found.left_out = unit.left_out;
  found.driver = kernel_release(root);
  add_counters(found, unit, open);
  auto sensor = cpu_energy_sensor(std::move(found), setting_of(spec, "group"), clock);
  const auto paranoid = sysfs_text(root / "proc/sys/kernel/perf_event_paranoid");
  if (!sensor && paranoid) {
    sensor.error().message += fmt::format(" (kernel.perf_event_paranoid is {})", quoted(*paranoid));
  }
  return sensor;
}

Result<std::unique_ptr<Sensor>> open_perf(const SensorSpec& spec, Clock& clock) {
  return open_perf_with(spec, clock, open_perf_counter);
}

}  // namespace tokenjoule
