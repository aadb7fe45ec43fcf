#include "analysis/provenance.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace tokenjoule {

namespace {

/// What one device at a boundary is, in words.
std::string_view words_for(Boundary boundary) {
  switch (boundary) {
    case Boundary::chip: return "GPU chip";
    case Boundary::gpu_board: return "GPU board incl. memory";
    case Boundary::gpu_module: return "GPU module incl. all on it";
    case Boundary::cpu_core: return "CPU cores";
    case Boundary::cpu_package: return "CPU package";
    case Boundary::dram: return "memory";
    case Boundary::psys: return "platform";
    case Boundary::node_dc: return "node behind its power supplies";
    case Boundary::node_ac: return "node at its AC inlets";
    case Boundary::rack: return "rack";
    case Boundary::facility: return "facility";
  }
  return "";
}

/// Parts of a machine whose absence a reader wants to know of.
constexpr Boundary kAskedFor[] = {Boundary::gpu_board, Boundary::cpu_package, Boundary::dram,
                                  Boundary::node_ac};

DeviceKind kind_at(Boundary part) {
  if (part == Boundary::cpu_package) return DeviceKind::cpu;
  return part == Boundary::dram ? DeviceKind::memory : DeviceKind::gpu;
}

/// By its kind, or since every device that counts there says that it holds such parts.
bool is_covered(const Facts& facts, Boundary headline, Boundary part) {
  if (part == headline || contains(headline, part)) return true;
  const BoundaryMeasure* measure = facts.at(headline);
  if (measure == nullptr || measure->devices.empty()) return false;
  return std::all_of(measure->devices.begin(), measure->devices.end(),
                     [part, headline](const DeviceMeasure& device) {
                       return states_that_it_contains(*device.device, headline, kind_at(part));
                     });
}

/// "not measured", with what the sensors that could have said when they were opened.
std::string why_not_measured(const Facts& facts, Boundary part) {
  std::string why;
  for (const auto& [sensor, absent] : facts.settings.absent_sensors) {
    if (std::find(absent.reads.begin(), absent.reads.end(), part) == absent.reads.end()) continue;
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", sensor, absent.reason);
  }
  return why.empty() ? "not measured" : "not measured; " + why;
}

}  // namespace

std::vector<std::string> included_in(const Facts& facts) {
  if (!facts.headline) return {};
  const BoundaryMeasure* measure = facts.at(*facts.headline);
  if (measure == nullptr || measure->devices.empty()) return {};
  std::string words = fmt::format("{} x {}", measure->devices.size(), words_for(*facts.headline));
  for (const Boundary part : {Boundary::cpu_package, Boundary::dram}) {
    const bool by_kind = contains(*facts.headline, part) || part == *facts.headline;
    if (by_kind || !is_covered(facts, *facts.headline, part)) continue;
    words += fmt::format(", with the {} on it", words_for(part));
  }
  return {words};
}

std::vector<Excluded> excluded_from(const Facts& facts) {
  std::vector<Excluded> parts;
  if (!facts.headline) return parts;
  for (const Boundary part : kAskedFor) {
    if (is_covered(facts, *facts.headline, part)) continue;
    const bool measured = facts.at(part) != nullptr;
    parts.push_back({std::string(name_of(part)),
                     measured ? "measured, shown apart" : why_not_measured(facts, part)});
  }
  if (const BoundaryMeasure* measure = facts.at(*facts.headline)) {
    const auto& not_added = measure->counted.not_added;
    parts.insert(parts.end(), not_added.begin(), not_added.end());
  }
  for (const Device* device : distinct_devices(facts.run)) {
    if (device->chosen) continue;
    parts.push_back({device->id, device->chosen_by.empty() ? "not chosen" : device->chosen_by});
  }
  if (*facts.headline != Boundary::facility) parts.push_back({"cooling", "outside"});
  return parts;
}

std::vector<Instrument> instruments_of(const Facts& facts) {
  std::vector<Instrument> instruments;
  for (const Signal& signal : facts.run.signals) {
    const bool energy = signal.measurand == Measurand::energy;
    if (!energy && signal.measurand != Measurand::power) continue;
    const Device* device = device_of(facts.run, signal.device);
    Instrument instrument;
    instrument.id = instrument_of(signal);
    instrument.kind = signal.modelled ? "modelled power" : energy ? "energy counter" : "power";
    instrument.model = device == nullptr ? "" : device->name;
    instrument.driver = signal.driver;
    instrument.quantity = energy ? "energy" : "power";
    instrument.source = signal.source;
    instrument.averaging = signal.averaging;
    instrument.accuracy = accuracy_of(signal);
    instrument.calibration = signal.calibration;
    instrument.step = signal.period;
    if (energy && facts.window.span) {
      const CounterCurve curve = counter_curve(facts.series.of(signal.id), signal);
      instrument.step = counter_energy(curve, *facts.window.span).step;
    }
    instruments.push_back(std::move(instrument));
  }
  return instruments;
}

}  // namespace tokenjoule
