// Prints one round of readings of the nvml sensor as "DEVICE MEASURAND BOUNDARY SOURCE SI-VALUE"
// lines, tab-separated, for comparison with another program. Usage: read_nvml LIBRARY
#include <cstdio>

#include <fmt/core.h>

#include "io/clock.hpp"
#include "sensors/nvml/nvml_sensor.hpp"

using namespace tokenjoule;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  SystemClock clock;
  const auto sensor = open_nvml({"nvml", {{"library", argv[1]}}}, clock);
  if (!sensor) {
    fmt::print(stderr, "{}; {}\n", sensor.error().message, sensor.error().hint);
    return 3;
  }
  const SensorContents& contents = (*sensor)->contents();
  for (const Device& device : contents.devices) {
    fmt::print("{}\tname\t\t\t{}\n", device.id, device.name);
    for (const auto& [name, value] : device.facts) {
      fmt::print("{}\t{}\t\t\t{}\n", device.id, name, value);
    }
  }
  do {
    const auto sample = (*sensor)->poll(clock);
    if (!sample) return 4;
    for (const Reading& reading : sample->readings) {
      const Signal& signal = contents.signals[reading.signal];
      fmt::print("{}\t{}\t{}\t{}\t{:.9g}\n", signal.device, name_of(signal.measurand),
                 name_of(signal.boundary), signal.source, reading.raw * signal.to_si);
    }
  } while ((*sensor)->has_more());
  return 0;
}
