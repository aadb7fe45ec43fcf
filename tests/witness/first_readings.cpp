// Opens a sensor and prints the first readings that it gives as "DEVICE MEASURAND BOUNDARY SOURCE
// SI-VALUE" lines, tab-separated, for comparison with another program. Usage: first_readings SPEC
// [COUNT] Exits 3 where it cannot be opened, 4 where a poll fails; the reason is on standard error.
#include <cstdio>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/clock.hpp"
#include "sensors/sensor.hpp"

using namespace tokenjoule;

namespace {

int told(const Error& error, int code) {
  fmt::print(stderr, "{}; {}\n", error.message, error.hint);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) return 2;
  const auto count = argc == 3 ? integer_in(argv[2]) : 1;
  const auto spec = sensor_spec_in(argv[1]);
  if (!count || !spec) return 2;
  SystemClock clock;
  const auto sensor = open_sensor(*spec, clock);
  if (!sensor) return told(sensor.error(), 3);
  const SensorContents& contents = (*sensor)->contents();
  for (std::int64_t printed = 0; printed < *count;) {
    const auto sample = (*sensor)->poll(clock);
    if (!sample) return told(sample.error(), 4);
    for (const Reading& reading : sample->readings) {
      const Signal& signal = contents.signals[reading.signal];
      fmt::print("{}\t{}\t{}\t{}\t{:.12g}\n", signal.device, name_of(signal.measurand),
                 name_of(signal.boundary), signal.source, reading.raw * signal.to_si);
      ++printed;
    }
    std::fflush(stdout);
  }
  return 0;
}
