#pragma once

#include <optional>
#include <string>

#include "analysis/device_energy.hpp"
#include "analysis/series.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// The phase in which the engine stands loaded and nothing runs: [mark idle, mark warm-up).
struct IdlePhase {
  std::optional<TimeSpan> span;
  std::string reason;        ///< why there is none
  bool engine_busy = false;  ///< its own gauge showed a running request
  int scrapes = 0;           ///< with that gauge, in the phase
};
IdlePhase idle_phase(const Run& run);

/// Mean power of one device over a phase, by the steps or readings inside it.
struct IdlePower {
  std::optional<Watts> power;
  Watts bound;       ///< from the times of the first and last step
  bool flat = true;  ///< its two halves differ by no more than 10 % or 5 W
};
/// By its counter where the measure believes its counter, else by its power readings.
IdlePower idle_power(const SeriesTable& series, const DeviceMeasure& measure, TimeSpan phase);

}  // namespace tokenjoule
