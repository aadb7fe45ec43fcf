#pragma once

#include <string>

#include "analysis/counter_energy.hpp"
#include "analysis/integrated_energy.hpp"
#include "analysis/refresh.hpp"
#include "analysis/series.hpp"
#include "analysis/signal_choice.hpp"
#include "model/report.hpp"

namespace tokenjoule {

/// Why a device has no energy over a span.
enum class NoEnergy {
  has_it,
  no_signal,         ///< nothing reads this device at this boundary
  not_covered,       ///< no reading beyond an edge
  counter_backward,  ///< its counter fell, and no power is read
  counter_frozen,    ///< its counter stood still, and no power is read
  sensor_lost,       ///< its sensor stopped in the span
  device_lost,       ///< its readings stop in the span while others go on
};

/// One device at one boundary over one span: what its sensors say and which of them is believed.
struct DeviceMeasure {
  const Device* device = nullptr;
  Boundary boundary = Boundary::gpu_board;
  const Signal* counter = nullptr;  ///< the one compared, nullptr if there is none
  const Signal* power = nullptr;    ///< likewise
  const Signal* used = nullptr;     ///< one of the two; nullptr: neither
  CounterEnergy by_counter;
  IntegratedEnergy by_power;
  std::optional<Refresh> refresh;  ///< of `power`, where it repeats itself between refreshes
  bool counter_frozen = false;
  bool power_stood_still = false;  ///< with the frozen counter: it is not used either
  NoEnergy missing = NoEnergy::has_it;
  std::string reason;             ///< why there is no energy, in words
  std::vector<BoundItem> bounds;  ///< of the energy used, in joules
  DeviceEnergy line;              ///< as the report shows it; idle not yet filled in
};

/// A sound counter is believed before integrated power: it misses nothing between the reads.
DeviceMeasure measured_device(const Run& run, const SeriesTable& series,
                              const DeviceSources& sources, TimeSpan span);

/// The readings of power without repeats.
const Series& power_readings(const DeviceMeasure& measure, const SeriesTable& series);

/// Integrated power / counter of a device; nullopt where one of them is absent or the counter is 0.
std::optional<double> sensor_ratio(const DeviceMeasure& measure);

}  // namespace tokenjoule
