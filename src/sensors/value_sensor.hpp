#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sensors/sensor.hpp"

namespace tokenjoule {

/// Where the raw value of one signal comes from: a file, a counter of the kernel.
class ValueSource {
 public:
  virtual ~ValueSource() = default;
  /// The value now. Errors by kind: retry (not known this time), unavailable (never again).
  virtual Result<double> read(MonoTime now) = 0;
};

enum class Pace { each_poll, each_second };

/// A signal with its source.
struct SensorValue {
  Signal signal;
  std::unique_ptr<ValueSource> source;
  Pace pace = Pace::each_poll;
};

/// A sensor made of values that are read one by one. A round gives one sample a device, so that
/// each is stamped closely, and once a second one more of what changes slowly. A value that cannot
/// be read is left out and noted; the others are not touched by it.
/// @param notes what is wrong from the beginning: lost readings in the record
/// @param group given to every device
std::unique_ptr<Sensor> value_sensor(std::vector<Device> devices, std::vector<SensorValue> values,
                                     std::vector<std::string> notes, const std::string& group,
                                     MonoTime opened_at);

/// The source of a signal that stands in the record so that its absence is seen: each read is the
/// same error, of kind unavailable.
std::unique_ptr<ValueSource> unreadable_value(std::string reason);

/// A setting of a sensor, "" where it is not set.
std::string setting_of(const SensorSpec& spec, const char* key);
/// The setting `root`: the folder that stands in place of "/".
std::string root_of(const SensorSpec& spec);

}  // namespace tokenjoule
