#pragma once

#include <vector>

#include "model/run.hpp"

namespace tokenjoule {

/// The energy counters and power gauges of one device at one boundary. Modelled ones only where
/// nothing measures the same.
struct DeviceSources {
  const Device* device = nullptr;
  Boundary boundary = Boundary::gpu_board;
  bool modelled = false;
  std::vector<const Signal*> counters;
  std::vector<const Signal*> powers;
};

/// Each device once, in the order first listed, whatever number of sensors lists it.
std::vector<const Device*> distinct_devices(const Run& run);

/// Boundaries at which energy or power of a chosen device is read, from the inside out.
std::vector<Boundary> boundaries_read(const Run& run);

/// What there is of that device at that boundary; nothing: both lists empty.
DeviceSources sources_of(const Run& run, const Device& device, Boundary boundary);

/// chip, gpu_board or gpu_module: a figure there speaks of all chosen GPUs or of none.
bool is_gpu_boundary(Boundary boundary);

/// The signal of a device with that measurand, the first listed; nullptr if none.
const Signal* signal_with(const Run& run, const Device& device, Measurand measurand);

}  // namespace tokenjoule
