#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// Key of Device::facts: the serial number of a GPU whose id is another name of it.
constexpr char kSerialFact[] = "serial";
/// Key of Device::facts: which of several ways it is read by, and why not by a better one.
constexpr char kReadByFact[] = "read_by";
/// Key of Device::facts: what is there and not used, with the reason.
constexpr char kLeftOutFact[] = "left_out";

/// Something that can be read. Blocking; used from one thread.
class Sensor {
 public:
  virtual ~Sensor() = default;
  virtual const SensorContents& contents() const = 0;
  /// Reads all signals once. An absent value is left out, never 0. Errors by kind: retry (this read
  /// failed), gone (the thing measured ended), unavailable (stop this sensor).
  virtual Result<Sample> poll(Clock& clock) = 0;
  /// Whether another poll would give a sample that has already come: poll again at once.
  virtual bool has_more() const { return false; }
  /// True for a sensor that is told its readings rather than asking for them, or that asks
  /// something slow on a calendar of its own (Pace): its poll waits for the next one, at most 100
  /// ms, and gives a sample without readings where none came.
  virtual bool keeps_own_pace() const { return false; }
  /// What was left out since the last call: lines that did not fit, readings that contradict.
  /// Spans are filled in by the sensor, `source` by the sampler.
  virtual std::vector<Loss> take_losses() { return {}; }
};

/// "--sensor NAME:key=value,…" as given.
struct SensorSpec {
  std::string name;
  std::map<std::string, std::string> settings;
  std::string label = {};  ///< its name in the user's configuration; "" if it has none
};
/// Takes "dcgm", "dcgm:url=http://h:9400/metrics,group=prefill". Commas inside a value are written
/// "\,". exec's command is everything behind "command=", to the end.
Result<SensorSpec> sensor_spec_in(std::string_view text);

struct SensorType {
  std::string_view name;
  std::string_view what;                   ///< one line for the list
  std::string_view rights;                 ///< what it takes to read it
  std::vector<std::string_view> settings;  ///< keys that it takes
  std::string_view must_set;               ///< the one it cannot do without, "" if none
  bool automatic;                          ///< tried when no --sensor is given
  std::vector<Boundary> reads = {};  ///< an automatic one: what is lacking where it is not here
  Result<std::unique_ptr<Sensor>> (*open)(const SensorSpec& spec, Clock& clock);
};

/// One row a sensor, in sensor_types.cpp.
const std::vector<SensorType>& sensor_types();
/// Opens by name; an unknown name or setting is a usage error with a suggestion.
Result<std::unique_ptr<Sensor>> open_sensor(const SensorSpec& spec, Clock& clock);

/// Whether sensors that are read together would count a GPU twice: a sum of GPUs beside other GPUs,
/// or one GPU under two names. A usage error.
Status check_gpus_once(const std::vector<std::unique_ptr<Sensor>>& sensors);

}  // namespace tokenjoule
