#pragma once

#include <optional>
#include <string>

#include "analysis/series.hpp"
#include "base/time.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// The span over which energy, tokens and time are counted.
struct WindowChoice {
  std::optional<TimeSpan> span;
  std::string chosen_by = "design";
  std::string reason;      ///< why there is none
  bool cut_short = false;  ///< the record has no mark for its end
};

/// The one asked for, else [mark measure, the next mark of cool-down, drain or end). A record
/// without that mark was interrupted: the window then ends with its last evidence, or a little
/// before it, where its sensors still cover the edge.
WindowChoice chosen_window(const Run& run, const SeriesTable& series,
                           std::optional<TimeSpan> asked_for);

/// The latest instant that anything in the record speaks of.
MonoTime last_evidence(const Run& run);

/// Whether the record says that it ran to its planned end.
bool ran_to_its_end(const Run& run);

}  // namespace tokenjoule
