#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "record/import/foreign_log.hpp"

namespace tokenjoule {

/// Power of several devices together at one time of the log's clock.
struct TotalPoint {
  std::int64_t at_ns = 0;
  double watts = 0;
};

/// The sum over the devices given (indexes; empty: all), one point each time that every one of them
/// has been read again. From power where it is logged, else from differences of the energy counter.
std::vector<TotalPoint> total_power(const PowerLog& log, const std::set<std::size_t>& devices);

/// A change between low and high power: it lies between two readings.
struct PowerStep {
  std::int64_t from_ns = 0;  ///< last reading on the old side
  std::int64_t to_ns = 0;    ///< first reading on the new side
};
struct PowerSteps {
  std::vector<PowerStep> rises, falls;
};

/// Steps between `low` and `high`, in time order: low is up to a quarter of the way from `low` to
/// `high`, high from three quarters on. None where high < 1.3 × low: no load can be told from that.
PowerSteps steps_in(const std::vector<TotalPoint>& points, double low, double high);

}  // namespace tokenjoule
