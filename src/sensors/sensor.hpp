#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "io/clock.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// What a sensor offers, found out when it is opened. Signal ids are 0..n-1 within the sensor; the
/// sampler makes them unique in the run.
struct SensorContents {
  std::vector<Device> devices;
  std::vector<Signal> signals;
};

/// Something that can be read. Blocking; used from one thread.
class Sensor {
 public:
  virtual ~Sensor() = default;
  virtual const SensorContents& contents() const = 0;
  /// Reads all signals once. An absent value is left out, never 0. Errors by kind: retry (this read
  /// failed), gone (the thing measured ended), unavailable (stop this sensor).
  virtual Result<Sample> poll(Clock& clock) = 0;
};

/// "--sensor NAME:key=value,…" as given.
struct SensorSpec {
  std::string name;
  std::map<std::string, std::string> settings;
};
/// Takes "dcgm", "dcgm:url=http://h:9400/metrics,group=prefill". Commas inside a value are written "\,".
/// exec's command is everything behind "command=", to the end.
Result<SensorSpec> sensor_spec_in(std::string_view text);

struct SensorType {
  std::string_view name;
  std::string_view what;                           ///< one line for the list
  std::vector<std::string_view> settings;          ///< keys that it takes
  bool automatic;                                  ///< tried when no --sensor is given
  Result<std::unique_ptr<Sensor>> (*open)(const SensorSpec& spec, Clock& clock);
};

/// One row a sensor, in sensor_types.cpp.
const std::vector<SensorType>& sensor_types();
/// Opens by name; an unknown name or setting is a usage error with a suggestion.
Result<std::unique_ptr<Sensor>> open_sensor(const SensorSpec& spec, Clock& clock);

}  // namespace tokenjoule
