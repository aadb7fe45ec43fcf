#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/prometheus_text.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// One metric of a page in Prometheus's text format.
struct PageField {
  std::string name;
  Measurand measurand = Measurand::power;
  SignalKind kind = SignalKind::gauge;
  std::string raw_unit;
  double to_si = 1.0;
  /// No device draws nothing, and no counter of a device in use stands at nothing: 0 is what that
  /// exporter writes for what it cannot read.
  bool zero_is_absent = false;
};

/// A page whose metric names and units are its program's own and fixed.
struct PageLayout {
  std::string sensor;       ///< the sensor's name
  std::string default_url;  ///< with its path, which is also put behind a URL without one
  std::string hint;         ///< where there is no page, or no energy on it
  Boundary boundary = Boundary::gpu_board;
  std::vector<PageField> fields;
  /// The device that a sample is about; nullopt: none of ours, or one that is counted elsewhere.
  std::function<std::optional<Device>(const PrometheusSample&)> device_of;
};

/// A sensor that reads such a page: settings url, group, timeout, cacert, insecure. A field of a
/// device on several rows is read from the first; rows that differ by more than 5 % contradict and
/// are left out as a loss.
Result<std::unique_ptr<Sensor>> open_metrics_page(PageLayout layout, const SensorSpec& spec,
                                                  Clock& clock);

}  // namespace tokenjoule
