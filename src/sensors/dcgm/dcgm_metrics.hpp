#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "engines/prometheus_text.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

/// A metric of an exporter's page, chosen for one measurand, with the unit it is in.
struct DcgmMetric {
  Measurand measurand = Measurand::power;
  SignalKind kind = SignalKind::gauge;
  std::string name;  ///< as on the page
  std::string raw_unit;
  double to_si = 1.0;
  bool is_average = false;      ///< power that NVML averages over 1 s on most boards
  bool zero_is_absent = false;  ///< DCGM 4.6 gives 0 W where instantaneous power is not supported
  /// The unit was told by the ending of a name that is not known, or by its HELP text.
  bool unit_is_inferred = false;
};

/// The metrics that we know and the page has, each measurand under one name only: old and new names
/// of the same field are never both read. Power may be there twice, averaged and instantaneous.
/// The unit of energy is told by the name, else by its ending, else by its HELP text. If none of
/// these tells it, that is an error that quotes the line; DCGM 4.7 changed units together with
/// names.
/// @param energy_unit "mJ" or "J" as stated by the user, "" if not: decides over all that.
Result<std::vector<DcgmMetric>> dcgm_metrics_on(const PrometheusPage& page,
                                                const std::string& energy_unit);

/// The value, unless it is blank: one of DCGM's sentinels, no number, infinite or negative.
std::optional<double> dcgm_value(const DcgmMetric& metric, double value);

/// The UUID of the GPU that a sample is about; nullopt for CPUs, switches and links.
std::optional<std::string> gpu_uuid_of(const PrometheusSample& sample);

}  // namespace tokenjoule
