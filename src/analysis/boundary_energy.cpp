#include "analysis/boundary_energy.hpp"

#include <algorithm>

namespace tokenjoule {

namespace {

/// Sums of thousands of readings agree to this, relatively, whatever their order.
constexpr double kRounding = 1e-9;

void add_bound(std::vector<BoundItem>& items, const BoundItem& item) {
  const auto at = std::find_if(items.begin(), items.end(),
                               [&](const BoundItem& other) { return other.name == item.name; });
  if (at == items.end()) {
    items.push_back(item);
  } else {
    at->half_width += item.half_width;
  }
}

void add_device(BoundaryEnergy& energy, const DeviceMeasure& measure) {
  const DeviceEnergy& line = measure.line;
  if (!line.joules) {
    if (energy.reason.empty()) energy.reason = measure.reason;
    return;
  }
  energy.joules = energy.joules.value_or(Joules()) + *line.joules;
  for (const BoundItem& item : measure.bounds) add_bound(energy.components, item);
  if (energy.method.empty()) energy.method = line.method;
  if (energy.method != line.method) energy.method = "mixed";
  if (!line.group.empty()) energy.groups[line.group] += *line.joules;
}

void show_devices(BoundaryMeasure& measure) {
  measure.energy.devices.clear();
  for (const DeviceMeasure& device : measure.devices) {
    measure.energy.devices.push_back(device.line);
  }
}

struct IdleSum {
  Joules idle, bound;
  bool flat = true;
  bool all_known = true;
};

/// Fills in each device's idle power and active energy, and adds up.
IdleSum idle_of_devices(BoundaryMeasure& measure, const SeriesTable& series, TimeSpan phase,
                        Seconds length) {
  IdleSum sum;
  for (DeviceMeasure& device : measure.devices) {
    const IdlePower power = idle_power(series, device, phase);
    sum.flat = sum.flat && power.flat;
    sum.all_known = sum.all_known && power.power.has_value();
    if (!power.power) continue;
    device.line.idle_power = power.power;
    device.line.active_joules = *device.line.joules - *power.power * length;
    sum.idle += *power.power * length;
    sum.bound += power.bound * length + device.line.edge_bound.value_or(Joules());
  }
  return sum;
}

}  // namespace

BoundaryMeasure measured_boundary(const Run& run, const SeriesTable& series, Boundary boundary,
                                  TimeSpan span) {
  BoundaryMeasure measure;
  measure.energy.boundary = boundary;
  measure.counted = counted_devices(run, boundary);
  measure.energy.reason = measure.counted.ambiguous;
  measure.energy.not_added = measure.counted.not_added;
  for (const CountedDevice& device : measure.counted.counted) {
    const DeviceSources sources = sources_of(run, device, boundary);
    measure.devices.push_back(measured_device(run, series, sources, span));
    add_device(measure.energy, measure.devices.back());
  }
  show_devices(measure);
  BoundaryEnergy& energy = measure.energy;
  if (!energy.reason.empty()) {
    // A sum that lacks a device is no figure of this boundary.
    energy.joules.reset();
    energy.components.clear();
    energy.groups.clear();
    return measure;
  }
  Joules bound;
  for (const BoundItem& item : energy.components) bound += Joules(item.half_width);
  if (energy.joules) energy.systematic_bound = bound;
  return measure;
}

IdleSplit split_idle(BoundaryMeasure& measure, const SeriesTable& series, const IdlePhase& phase,
                     TimeSpan span) {
  IdleSplit split;
  if (!phase.span || phase.engine_busy || !measure.energy.joules) return split;
  const IdleSum sum = idle_of_devices(measure, series, *phase.span, to_seconds(span.length()));
  split.flat = sum.flat;
  if (sum.all_known && sum.flat) {
    split.active = *measure.energy.joules - sum.idle;
    split.bound = sum.bound;
    split.contradiction = split.active < -(split.bound + kRounding * sum.idle);
    measure.energy.idle_joules = sum.idle;
    if (!split.contradiction) measure.energy.active_joules = split.active;
  }
  for (DeviceMeasure& device : measure.devices) {
    if (!split.flat) device.line.idle_power.reset();
    if (!split.flat || split.contradiction) device.line.active_joules.reset();
  }
  show_devices(measure);
  return split;
}

std::vector<DeviceEnergy> other_gpus(const Run& run, const SeriesTable& series, TimeSpan span) {
  std::vector<DeviceEnergy> lines;
  for (const Device* device : distinct_devices(run)) {
    if (device->chosen || device->kind != DeviceKind::gpu) continue;
    const auto sources = sources_of(run, *device, Boundary::gpu_board);
    lines.push_back(measured_device(run, series, sources, span).line);
  }
  return lines;
}

}  // namespace tokenjoule
