#pragma once

#include <optional>
#include <vector>

#include "analysis/series.hpp"
#include "base/quantity.hpp"
#include "base/time.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

/// Power at an instant.
struct PowerPoint {
  MonoTime at;
  Watts power;
  Nanoseconds uncertainty;  ///< half the width of the read
};
using PowerCurve = std::vector<PowerPoint>;  ///< in time order

/// Readings at the middle of their reads; one that is a mean over tau stands for tau/2 earlier.
PowerCurve power_curve(const Series& series, const Signal& signal);

/// Linear between the points on both sides; nullopt beyond the first or last point.
std::optional<Watts> power_at(const PowerCurve& curve, MonoTime at);

/// Energy by the trapezoid rule over [span.begin, span.end], with interpolated edges; exact where
/// power changes linearly between readings. (Atkinson, An Introduction to Numerical Analysis, 2nd
/// ed., section 5.1.)
struct IntegratedEnergy {
  std::optional<Joules> joules;  ///< absent: no reading at or beyond an edge
  bool covers_start = false, covers_end = false;
  int readings = 0;               ///< in the span
  Joules start_bound, end_bound;  ///< power at the edge x half width of the reads beside it
  Joules gap_bound;  ///< what power between lowest and highest could have done in the gaps
  Watts mean;        ///< of the span; 0 without joules
};
/// `period`: usual time between readings; a longer pause than 1.5 of it is a gap for the bound.
IntegratedEnergy integrated_energy(const PowerCurve& curve, TimeSpan span,
                                   std::optional<Seconds> period);

}  // namespace tokenjoule
