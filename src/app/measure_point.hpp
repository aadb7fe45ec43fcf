#pragma once

#include <filesystem>
#include <stop_token>

#include "app/measure_options.hpp"
#include "app/measure_setup.hpp"
#include "io/clock.hpp"
#include "load/engine_probe.hpp"

namespace tokenjoule {

/// One operating point: what is needed to measure it.
struct PointQuestion {
  const MeasureOptions& options;
  const ProbeQuestion& probe;
  const ProbedEngine& engine;
  LoadPoint point;
  const RequestPool* pool = nullptr;  ///< the data set; null without one
  std::filesystem::path record;       ///< the run file to write; must not exist
};

/// Idle, warm-up, window, cool-down, drain: writes the record and ends. Judging it is analysis'
/// task. A stop request ends it in order, with what was measured saved. Errors: what kept it from
/// being measured at all; the record so far stays, but of a run that could not begin there is none.
Status measure_point(const PointQuestion& question, OpenSensors sensors, SystemClock& clock,
                     const std::stop_token& stop);

}  // namespace tokenjoule
