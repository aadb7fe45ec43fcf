#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analysis/boundary_energy.hpp"
#include "analysis/idle.hpp"
#include "analysis/series.hpp"
#include "analysis/settings.hpp"
#include "analysis/tokens.hpp"
#include "analysis/window.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// All that the checks look at: the run, and what the analysis made of it. Lives within analyse().
struct Facts {
  const Run& run;
  SeriesTable series;
  LoadSettings settings;
  WindowChoice window;
  std::vector<BoundaryMeasure> boundaries = {};     ///< from the inside out
  std::optional<Boundary> headline = std::nullopt;  ///< measured, or asked for
  IdlePhase idle = {};
  std::map<Boundary, IdleSplit> idle_splits = {};
  TokenFacts tokens = {};
  RequestCounts requests = {};
  ClientQuality client = {};

  /// nullptr where nothing is read at that boundary.
  const BoundaryMeasure* at(Boundary boundary) const {
    for (const BoundaryMeasure& measure : boundaries) {
      if (measure.energy.boundary == boundary) return &measure;
    }
    return nullptr;
  }
};

}  // namespace tokenjoule
