#pragma once

#include <string>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/url.hpp"
#include "io/tls.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// What all sensors that read one page over HTTP take.
struct PageSettings {
  Url url;
  std::string group;
  Seconds timeout{1.0};
  TlsOptions tls;
};

/// The settings url, group, timeout (up to 30 s), cacert, insecure. A URL without a path gets that
/// of `default_url`, which also stands in where none is given.
Result<PageSettings> page_settings_in(const SensorSpec& spec, const std::string& default_url);

}  // namespace tokenjoule
