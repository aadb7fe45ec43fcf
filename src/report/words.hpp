#pragma once

#include <string_view>

#include "model/report.hpp"

namespace tokenjoule {

/// "usable", "usable with care", "not usable".
std::string_view words_for(VerdictStatus status);
/// What the boundary takes in: "GPU board with its memory".
std::string_view words_for(Boundary boundary);

/// What people call the figure of that key; the key itself where no metric has it.
std::string_view label_of(std::string_view key);

constexpr std::string_view kSimulatedWords =
    "SIMULATED: the engine or a GPU is a simulation; these figures describe no real hardware.";
constexpr std::string_view kModelledWords =
    "MODELLED: the energy was computed from a model; no power sensor was read for it.";

}  // namespace tokenjoule
