#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// That a sensor, or one of its devices, reads a node or a feed of it.
struct NodeRole {
  std::string node;
  std::string feed;    ///< the feed's name; "": it reads the node as a whole
  std::string feeds;   ///< all feeds of the node, separated by commas
  std::string device;  ///< id or label; "": all that the sensor reads at a node's boundary
};

struct DeviceCalibration {
  std::string device;  ///< id or label; "": all of the sensor
  Calibration calibration;
};

/// What the user's configuration says of a sensor.
struct SensorRole {
  std::string name;  ///< its name in the record; "": that of its type
  std::vector<NodeRole> nodes;
  std::vector<DeviceCalibration> calibrations;
};

/// The sensor under its name, with facts and calibrations at the devices and signals that they are
/// for; its readings stay as they are. A device that it does not read is a usage error.
Result<std::unique_ptr<Sensor>> with_role(std::unique_ptr<Sensor> sensor, const SensorRole& role);

}  // namespace tokenjoule
