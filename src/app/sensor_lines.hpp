#pragma once

#include <string>

#include "sensors/sensor.hpp"

namespace tokenjoule {

/// What `tokenjoule sensors` says of one sensor: its rights; its devices, which way they are read
/// where there are several, what of them is left out and why, and their signals; or why it is not
/// here.
std::string lines_of(const SensorListing& listing);

}  // namespace tokenjoule
