#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// One reading of one signal.
struct SeriesPoint {
  TimeSpan read;
  double raw = 0;  ///< as read, before any conversion
};
using Series = std::vector<SeriesPoint>;  ///< in time order

/// The readings of a run by signal. Readings that are no number, or of no known signal, are left
/// out.
class SeriesTable {
 public:
  explicit SeriesTable(const Run& run);
  const Series& of(std::uint32_t signal) const;

 private:
  std::map<std::uint32_t, Series> series_;
};

/// The readings whose middle lies in the span.
std::span<const SeriesPoint> within(const Series& series, TimeSpan span);

/// Mean of the readings in the span, in SI units; nullopt if there is none.
std::optional<double> mean_within(const Series& series, TimeSpan span, double to_si);

/// Longest time without a reading inside the span: between readings in it, and from its edges to
/// the nearest of them (a reading beyond the edge counts from the edge). nullopt where there is
/// none at all.
std::optional<Seconds> longest_gap(const Series& series, TimeSpan span);

/// Usual time between reads in the span, the median; nullopt with fewer than two reads in it.
std::optional<Seconds> usual_period(const Series& series, TimeSpan span);

}  // namespace tokenjoule
