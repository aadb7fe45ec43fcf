#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "record/import/load_step.hpp"

namespace tokenjoule {

/// Two clocks that are to be joined: the load's and the power log's.
struct ClockQuestion {
  std::vector<TotalPoint> points;        ///< of the power log, on its clock
  bool points_absolute = true;           ///< false: seconds of its own
  bool zones_known = true;               ///< both write Unix time or their zone
  std::optional<std::int64_t> begin_ns;  ///< of the load, on its clock
  Seconds slack;                         ///< how far begin_ns may be off
  Nanoseconds length;                    ///< of the load
  /// The last time at which half as many requests as at most were in flight, from the begin;
  /// absent where single requests are not known.
  std::optional<Nanoseconds> half_load;
  std::optional<Seconds> stated_offset;  ///< the user's: add to the power log's times
  Seconds stated_bound;
};

/// How the power log's times become the load's.
struct ClockJoin {
  std::int64_t zone_ns = 0;      ///< part of shift_ns that is a difference of time zones
  std::int64_t shift_ns = 0;     ///< to be added to the power log's stamps
  std::optional<Seconds> bound;  ///< worst case; absent: nothing tells
  bool estimated = false;        ///< by the step of power, not by the stamps
  bool zone_found = false;       ///< zone_ns was not stated by anybody
  std::string how;               ///< a sentence
};

/// Joins them. Stamps of both sides in Unix time (or with their zones) are believed where the step
/// of power at the end (or begin) of the load does not contradict them; the bound is how far the
/// step would let them be off. Where it does contradict them, or one side has no such stamps, the
/// offset is the middle of what the step allows, its bound half of that. A time zone that is not
/// known is the one (in quarters of an hour) in which the log covers the load;
/// one that is not UTC is only taken where the step of power fits.
///
/// What a step allows: the load ended between the last high reading (less 2 s, since a reading may
/// be a mean over the past) and the first low one; and it began between the last low reading (less
/// 2 s) and the first high one. A rise that contradicts the fall is taken for a warm-up and left
/// out. Errors (missing): no overlap, several ways to join, or no step where one is needed.
Result<ClockJoin> joined_clock(const ClockQuestion& question);

}  // namespace tokenjoule
