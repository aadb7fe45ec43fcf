#pragma once

#include <string>

#include "sensors/sensor.hpp"

namespace tokenjoule {

/// What `tokenjoule sensors` lists of a sensor: its devices, which way they are read where there
/// are several, what of them is left out and why, and their signals.
std::string contents_lines(const SensorContents& contents);

}  // namespace tokenjoule
