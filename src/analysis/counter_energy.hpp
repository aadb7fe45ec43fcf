#pragma once

#include <optional>
#include <vector>

#include "analysis/series.hpp"
#include "base/quantity.hpp"
#include "base/time.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

/// One value of an energy counter, for as long as it was seen unchanged.
struct CounterLevel {
  Joules energy;        ///< since the first reading; wraps added up
  MonoTime first_seen;  ///< end of the first read that gave it: from then on it surely stood
  /// Begin of the last read that gave it, so that a slow read proves nothing; never before
  /// first_seen.
  MonoTime last_seen;
  /// When the counter stepped to this level: the middle between the reads around the change. Absent
  /// for the first level and for one after a decrease: when those began is not known.
  std::optional<MonoTime> step_at;
  Nanoseconds
      step_uncertainty;  ///< half the time from the begin of the one read to the end of the other
  /// It fell, or may have started again at 0 unseen: what passed before this level is not known.
  bool after_decrease = false;
};

/// An energy counter as a list of its levels, in time order.
struct CounterCurve {
  std::vector<CounterLevel> levels;
  bool may_have_restarted = false;  ///< one of its levels is marked without a fall: see below
};

/// A counter with a modulus that reads less than before has wrapped (once: it is polled faster than
/// it can wrap). Without one a decrease is a reset: what passed meanwhile is unknown, and marked.
/// So is a rise over a time in which it was not read (more than 3 s and 3 periods) to a value that
/// a counter started again at 0 meanwhile could have reached, at twice the highest power between
/// its steps: nothing tells that it is still the same.
CounterCurve counter_curve(const Series& series, const Signal& signal);

/// Median time between the steps in the span, or in the whole record; nullopt with fewer than two.
std::optional<Seconds> median_step(const CounterCurve& curve, std::optional<TimeSpan> span);

/// Energy up to an instant, with how far it may be off.
struct EdgeEnergy {
  Joules energy;
  Joules bound;                  ///< local power x uncertainty of the steps' times
  std::size_t level_before = 0;  ///< last level stepped to at or before the instant
  std::size_t level_after = 0;   ///< first level stepped to at or after it
};
/// Linear between the steps on both sides; nullopt where a side has none, or a decrease lies
/// between.
std::optional<EdgeEnergy> energy_at(const CounterCurve& curve, MonoTime at);

/// What one counter says about one span.
struct CounterEnergy {
  std::optional<Joules> joules;  ///< absent: an edge is not covered, or a decrease lies inside
  Joules start_bound, end_bound;
  std::optional<Seconds> step;  ///< median time between steps in the span, else of the whole record
  int steps = 0;                ///< in the span
  bool covers_start = false, covers_end = false;  ///< a step on the far side of that edge
  bool decreased_in_span = false;                 ///< between the steps that enclose the span
  bool decreased = false;                         ///< anywhere in the record
  bool may_have_restarted = false;                ///< marked as a decrease without a fall
  std::vector<TimeSpan> flat;  ///< longer than 3 steps without a step, touching the span
  Watts highest_power;         ///< between two steps, the least that it must have been
};
CounterEnergy counter_energy(const CounterCurve& curve, TimeSpan span);

}  // namespace tokenjoule
