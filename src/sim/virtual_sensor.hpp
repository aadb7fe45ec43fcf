#pragma once

#include <vector>

#include "model/event.hpp"
#include "sim/simulation.hpp"

namespace tokenjoule {

/// The simulated GPUs as a sensor that reads the exporter's page declares them, without the page.
/// Signal ids count from 0 by GPU. Idle GPUs of the simulation are not chosen for the figures.
std::vector<Device> virtual_devices(const Simulation& simulation);
std::vector<Signal> virtual_signals(const Simulation& simulation, Nanoseconds period);

/// All signals at `at`, which is the middle of `read`; what the sensors do not show is left out.
/// An error where the exporter is down.
Result<Sample> virtual_sample(const Simulation& simulation, MonoTime at, TimeSpan read);

}  // namespace tokenjoule
