#include "analysis/signal_choice.hpp"

#include <algorithm>

namespace tokenjoule {

namespace {

bool is_energy_counter(const Signal& signal) {
  return signal.measurand == Measurand::energy && signal.kind == SignalKind::counter;
}

bool is_power_gauge(const Signal& signal) {
  return signal.measurand == Measurand::power && signal.kind == SignalKind::gauge;
}

bool tells_energy(const Signal& signal) {
  return is_energy_counter(signal) || is_power_gauge(signal);
}

}  // namespace

std::vector<const Device*> distinct_devices(const Run& run) {
  std::vector<const Device*> devices;
  for (const Device& device : run.devices) {
    const bool listed = std::any_of(devices.begin(), devices.end(),
                                    [&](const Device* other) { return other->id == device.id; });
    if (!listed) devices.push_back(&device);
  }
  return devices;
}

std::vector<Boundary> boundaries_read(const Run& run) {
  std::vector<Boundary> boundaries;
  for (const Signal& signal : run.signals) {
    const Device* device = device_of(run, signal.device);
    if (!tells_energy(signal) || device == nullptr || !device->chosen) continue;
    boundaries.push_back(signal.boundary);
  }
  std::sort(boundaries.begin(), boundaries.end(),
            [](Boundary a, Boundary b) { return width_of(a) < width_of(b); });
  boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
  return boundaries;
}

DeviceSources sources_of(const Run& run, const Device& device, Boundary boundary) {
  const auto fits = [&](const Signal& signal) {
    return signal.device == device.id && signal.boundary == boundary && tells_energy(signal);
  };
  DeviceSources sources{&device, boundary, true, {}, {}};
  for (const Signal& signal : run.signals) {
    if (fits(signal) && !signal.modelled) sources.modelled = false;
  }
  for (const Signal& signal : run.signals) {
    if (!fits(signal) || signal.modelled != sources.modelled) continue;
    (is_energy_counter(signal) ? sources.counters : sources.powers).push_back(&signal);
  }
  if (sources.counters.empty() && sources.powers.empty()) sources.modelled = false;
  return sources;
}

bool is_gpu_boundary(Boundary boundary) {
  return boundary == Boundary::chip || boundary == Boundary::gpu_board ||
         boundary == Boundary::gpu_module;
}

const Signal* signal_with(const Run& run, const Device& device, Measurand measurand) {
  const auto at = std::find_if(run.signals.begin(), run.signals.end(), [&](const Signal& signal) {
    return signal.device == device.id && signal.measurand == measurand;
  });
  return at == run.signals.end() ? nullptr : &*at;
}

}  // namespace tokenjoule
