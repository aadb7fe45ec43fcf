#pragma once

#include <vector>

#include "analysis/counted_devices.hpp"
#include "analysis/device_energy.hpp"
#include "analysis/idle.hpp"
#include "model/report.hpp"

namespace tokenjoule {

/// A boundary over a span, with what its checks need to know of its devices.
struct BoundaryMeasure {
  BoundaryEnergy energy;               ///< idle parts empty until idle_split()
  std::vector<DeviceMeasure> devices;  ///< those that count, in the order listed
  CountedDevices counted;
};

/// The sum over the chosen devices, each power once; absent, with the reason, where one of them has
/// no energy, or two may share some. At a GPU boundary every chosen GPU must have a reading.
BoundaryMeasure measured_boundary(const Run& run, const SeriesTable& series, Boundary boundary,
                                  TimeSpan span);

/// How the energy divides into what the idle engine would have drawn as well, and the rest.
struct IdleSplit {
  bool flat = true;            ///< of all devices
  bool contradiction = false;  ///< active energy below 0 by more than its bound
  Joules active, bound;        ///< of a contradiction
};
/// Fills in idle power, idle and active joules of each device and of the boundary, unless the phase
/// was not idle or a device's idle power is unknown.
IdleSplit split_idle(BoundaryMeasure& measure, const SeriesTable& series, const IdlePhase& phase,
                     TimeSpan span);

/// GPUs that were not chosen, each with its own energy over the span.
std::vector<DeviceEnergy> other_gpus(const Run& run, const SeriesTable& series, TimeSpan span);

}  // namespace tokenjoule
