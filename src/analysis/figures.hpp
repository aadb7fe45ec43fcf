#pragma once

#include <optional>
#include <string>

#include "analysis/goodput.hpp"
#include "base/quantity.hpp"
#include "model/report.hpp"

namespace tokenjoule {

/// What the figures of one boundary are made from. Absent parts come with their reason.
struct FigureInputs {
  const BoundaryEnergy* energy = nullptr;  ///< nullptr: nothing was measured
  std::string no_energy_reason;  ///< why energy figures are null although joules may stand
  const TokenCounts* tokens = nullptr;
  double token_start_bound = 0, token_end_bound = 0;
  double queries = 0;  ///< completed requests' shares in the window
  /// Requests that the engine counts as completed in the window, where no client recorded its own.
  std::optional<double> queries_by_engine;
  std::optional<double> in_flight;  ///< mean
  std::optional<Seconds> duration;
  std::optional<Goodput> goodput;  ///< absent: no service level was set
};

/// The figures that are one number each, by the keys of docs/metrics.md. `systematic_bound` is the
/// worst case: relative bounds of numerator and denominator, added.
Figures figures_of(const FigureInputs& inputs);

}  // namespace tokenjoule
