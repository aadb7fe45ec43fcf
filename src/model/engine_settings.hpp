#pragma once

#include <optional>
#include <string>

#include "model/engine.hpp"

namespace tokenjoule {

/// A setting of the engine as a number; nullopt where it is not known, or is no number.
std::optional<double> engine_number(const EngineInfo& engine, const std::string& key);
/// Whether a setting is known and on: true, a number above 0, a list, an object, or a text that is
/// none of "", "false", "none" and "0".
bool engine_has(const EngineInfo& engine, const std::string& key);

}  // namespace tokenjoule
