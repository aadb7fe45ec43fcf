#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sensors/named_sensor.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// A node and what reads it: "SENSOR", or "SENSOR:DEVICE" for one of its devices.
struct ConfiguredNode {
  std::string name;
  std::vector<std::string> feeds;   ///< which together are all that it draws
  std::vector<std::string> meters;  ///< each of which reads the whole of it
};

struct ConfiguredCalibration {
  std::string sensor;
  DeviceCalibration of;
};

/// A configuration file, tokenjoule.toml: docs/configuration.md.
struct Configuration {
  std::string file;                 ///< its name, for messages; "" where there is none
  std::string sha256;               ///< of its bytes
  std::vector<SensorSpec> sensors;  ///< each with its label
  std::vector<ConfiguredNode> nodes;
  std::vector<ConfiguredCalibration> calibrations;
};

/// Reads one. Whatever is unknown, of another type or a secret written out is a usage error with
/// its line.
Result<Configuration> configuration_in(std::string_view toml, const std::string& file);

/// The file of --config; without it ./tokenjoule.toml if that is there, which is said on standard
/// error; else an empty configuration.
Result<Configuration> configuration_for(const std::optional<std::string>& path);

/// Sensors by name: one of the configuration, whose settings those of `asked` replace, or a type.
/// With none asked for, all of the configuration.
std::vector<SensorSpec> resolved(const Configuration& configuration,
                                 const std::vector<SensorSpec>& asked);

/// What the configuration says of a sensor.
SensorRole role_of(const Configuration& configuration, const SensorSpec& spec);

}  // namespace tokenjoule
