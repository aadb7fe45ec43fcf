#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/url.hpp"
#include "io/http_client.hpp"
#include "sensors/sensor.hpp"
#include "sensors/stated_unit.hpp"

namespace tokenjoule {

struct PrometheusSettings {
  Url url;  ///< of the server, without /api
  std::string query;
  StatedUnit unit;
  SignalKind kind = SignalKind::gauge;
  Boundary boundary = Boundary::node_ac;
  std::vector<std::string> device_labels;  ///< whose values name the device; none: all but "job"
  std::string group;
  Nanoseconds period = whole_seconds(1);
  HttpOptions http;  ///< with the headers that say who asks
};

/// The settings of README.md. Secrets are read here, from where they are referred to.
Result<PrometheusSettings> prometheus_settings_in(const SensorSpec& spec);

}  // namespace tokenjoule
