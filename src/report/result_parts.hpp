#pragma once

#include "model/report.hpp"

/// The parts of result.json that are too long for one file. They exist for the JSON library's type
/// alone, which only .cpp files name.
namespace tokenjoule {

/// Adds "energy", "other_gpus", "idle", "instruments" and "factors".
template <typename Json>
void put_energy(Json& json, const Report& report);

/// Adds "figures", with the latency summaries among them, "figures_by_boundary" and "full_run".
template <typename Json>
void put_figures(Json& json, const Report& report);

/// The lines of an uncertainty budget.
template <typename Json>
Json components_json(const std::vector<BoundItem>& items);

}  // namespace tokenjoule
