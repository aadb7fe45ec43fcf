#pragma once

#include <string>

#include "selftest/turn.hpp"

namespace tokenjoule {

/// What the check client_limited of a measurement would say of this turn's window; "" for nothing.
std::string why_client_limited(const TurnReading& reading, Seconds window);

}  // namespace tokenjoule
