#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sensors/sensor.hpp"
#include "sensors/snmp/snmp_profile.hpp"
#include "sensors/snmp/snmp_session.hpp"

namespace tokenjoule {

/// A device and what is read of it.
struct SnmpMeter {
  std::string device;  ///< "pdu-1/outlet-3": address and outlet
  std::vector<SnmpPoint> points;
  std::string outlet;  ///< its number, where it is an outlet
};

struct SnmpSettings {
  SnmpAccess access;
  std::vector<SnmpMeter> meters;
  Boundary boundary = Boundary::node_ac;
  std::string group;
  Nanoseconds period = whole_seconds(1);
};

/// The settings of README.md. Secrets are read here, from where they are referred to.
Result<SnmpSettings> snmp_settings_in(const SensorSpec& spec);

}  // namespace tokenjoule
