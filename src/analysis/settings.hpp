#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "model/engine.hpp"
#include "model/event.hpp"
#include "model/report.hpp"
#include "model/slo.hpp"

namespace tokenjoule {

/// What the analysis wants to know of the header's configuration. A configuration that lacks a
/// member, or is no JSON at all, leaves it at what stands here.
struct LoadSettings {
  bool open_loop = false;                     ///< "mode": "open", or a "request_rate_per_s"
  bool drives_load = false;                   ///< the recorder sent requests itself
  bool random_prompts = true;                 ///< "dataset" absent, random, or of lengths only
  bool unique_prompts = true;                 ///< no shared prefix asked for: cache hits surprise
  ServiceLevel service_level;                 ///< "slo"
  std::string harness;                        ///< "preset": whose load this was; "" for none
  std::optional<Watts> expected_power_limit;  ///< "expect_power_limit_w"
  std::vector<std::string> unverified;        ///< "tls_not_verified": URLs of servers
  bool is_import = false;                     ///< "import": other tools' logs, not a run of ours
  std::vector<CheckFinding> imported;         ///< what the importer had to say
  /// "sensors_absent": those that would be read by themselves and could not, by name.
  struct AbsentSensor {
    std::string reason;
    std::vector<Boundary> reads;  ///< what is not measured for want of it
  };
  std::map<std::string, AbsentSensor> absent_sensors;
};
LoadSettings settings_of(const RunHeader& header);

}  // namespace tokenjoule
