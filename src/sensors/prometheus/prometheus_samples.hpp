#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sensors/prometheus/prometheus_settings.hpp"
#include "sensors/prometheus/promql_answer.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// Prometheus's clock and ours, read together.
struct ServerClock {
  TimeSpan asked;     ///< on ours: its answer was made in between
  double unix_s = 0;  ///< on its own

  /// When something of that stamp was, on our clock; half the exchange wide on both sides.
  TimeSpan span_of(double stamp_unix_s) const;
};

/// The device that a series is of: the values of the labels asked for, "n7+0"; without any, all
/// labels. Nullopt where the series lacks one of them.
std::optional<std::string> device_of(const PromqlLabels& labels,
                                     const std::vector<std::string>& device_labels,
                                     const std::string& by_default);

/// Turns answers into devices, signals and samples. Pure; the sensor asks.
class PrometheusSamples {
 public:
  explicit PrometheusSamples(const PrometheusSettings& settings) : settings_(settings) {}

  /// Devices and signals are those of this answer, what it holds is known from now on.
  /// @param stamped whether samples have stamps of their own, rather than the query's.
  /// Errors, `missing`: no series, a series without the label, two series of one device.
  Status learn(const PromqlAnswer& answer, bool stamped);
  /// Adds all samples whose stamp is newer than the last one of their series. False: none of the
  /// series is in the answer any more.
  bool take(const PromqlAnswer& answer, const ServerClock& clock, MonoTime now);

  const SensorContents& contents() const { return contents_; }
  bool has_samples() const { return !samples_.empty(); }
  Sample take_sample();
  std::vector<Loss> take_losses() { return std::exchange(losses_, {}); }

 private:
  Status announce(const PromqlSeries& series, bool stamped);
  void note_warnings(const PromqlAnswer& answer, TimeSpan at);

  const PrometheusSettings& settings_;
  SensorContents contents_;
  std::map<PromqlLabels, std::uint32_t> ids_;
  std::vector<double> newest_;  ///< stamp by signal
  std::deque<Sample> samples_;  ///< in time order
  std::vector<Loss> losses_;
  std::vector<std::string> warned_;
};

}  // namespace tokenjoule
