#include "analysis/provenance.hpp"

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

bool is_covered(Boundary headline, Boundary part) {
  return part == headline || contains(headline, part);
}

}  // namespace

std::vector<std::string> included_in(const Facts& facts) {
  if (!facts.headline) return {};
  const BoundaryMeasure* measure = facts.at(*facts.headline);
  if (measure == nullptr || measure->devices.empty()) return {};
  return {fmt::format("{} x {}", measure->devices.size(), words_for(*facts.headline))};
}

std::vector<Excluded> excluded_from(const Facts& facts) {
  std::vector<Excluded> parts;
  if (!facts.headline) return parts;
  for (const Boundary part : kAskedFor) {
    if (is_covered(*facts.headline, part)) continue;
    const bool measured = facts.at(part) != nullptr;
    parts.push_back(
        {std::string(name_of(part)), measured ? "measured, shown apart" : "not measured"});
  }
  for (const Device* device : distinct_devices(facts.run)) {
    if (!device->chosen) parts.push_back({device->id, "not chosen"});
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
    instrument.accuracy = signal.accuracy;
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
