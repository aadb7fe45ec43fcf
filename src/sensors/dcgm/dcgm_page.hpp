#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "engines/prometheus_text.hpp"
#include "sensors/dcgm/dcgm_metrics.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// Labels that a sample must carry with these values: {"pod", "llama-0"}.
using DcgmFilter = std::map<std::string, std::string>;

/// A GPU (UUID) and a metric (place in the list of metrics).
using DcgmKey = std::pair<std::string, std::size_t>;

struct DcgmReadings {
  std::map<DcgmKey, double> values;
  /// The first line that gives a GPU another value than one before: neither is in `values`.
  std::map<DcgmKey, std::string> contradictions;
};

/// Every GPU's values once. A GPU stands on several rows when it is split (MIG: each instance
/// repeats the whole board's power and energy) or shared by containers. Values that differ by more
/// than a step of the counter, or 5 % of a gauge, contradict.
DcgmReadings dcgm_readings(const PrometheusPage& page, const std::vector<DcgmMetric>& metrics,
                           const DcgmFilter& filter);

/// The devices and signals of those readings; signal i is the i-th of readings.values.
/// A board whose name says GH200 has an energy counter of the whole module (CPU and memory
/// included).
SensorContents dcgm_contents(const PrometheusPage& page, const std::vector<DcgmMetric>& metrics,
                             const DcgmFilter& filter, const DcgmReadings& readings);

/// Whether NVML's power reading of that board is a mean over 1 s: all but GA100 and older boards.
bool averages_power(std::string_view model_name);

}  // namespace tokenjoule
