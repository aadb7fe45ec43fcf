#pragma once

#include <string_view>

namespace tokenjoule {

/// The program's version: "0.1.0".
std::string_view version();

}  // namespace tokenjoule
