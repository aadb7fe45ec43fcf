#pragma once

#include <vector>

#include "model/event.hpp"

namespace tokenjoule {

/// Each kind of event twice: with all that it can hold, and with only what it must.
std::vector<Event> sample_events();

}  // namespace tokenjoule
