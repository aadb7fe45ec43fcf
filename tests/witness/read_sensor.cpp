// Reads a sensor as `measure` would, for tests that compare it with a program of others.
// Usage: read_sensor SPEC SECONDS
// Prints "signal ID DEVICE MEASURAND KIND BOUNDARY RAW_UNIT TO_SI", then for that long
// "reading ID RAW BEGIN END" (Unix seconds), separated by tabs. Exit code 3 with the error where
// the sensor does not open.
#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>

#include "sensors/sensor.hpp"

namespace tokenjoule {
namespace {

void print_error(const Error& error) {
  fmt::print(stderr, "error: {}\nhint: {}\n", error.message, error.hint);
}

void print_contents(const SensorContents& contents) {
  for (const Signal& signal : contents.signals) {
    fmt::print("signal\t{}\t{}\t{}\t{}\t{}\t{}\t{:.17g}\n", signal.id, signal.device,
               name_of(signal.measurand), signal.kind == SignalKind::counter ? "counter" : "gauge",
               name_of(signal.boundary), signal.raw_unit, signal.to_si);
  }
}

void print_sample(const Sample& sample, WallTime origin) {
  const auto unix_s = [&](MonoTime at) {
    return static_cast<double>(origin.unix_ns + at.ns) * 1e-9;
  };
  for (const Reading& reading : sample.readings) {
    fmt::print("reading\t{}\t{:.17g}\t{:.6f}\t{:.6f}\n", reading.signal, reading.raw,
               unix_s(sample.read.begin), unix_s(sample.read.end));
  }
}

int read_sensor(const std::string& spec, double seconds) {
  SystemClock clock;
  const auto parsed = sensor_spec_in(spec);
  auto sensor = parsed ? open_sensor(*parsed, clock) : unexpected(Error(parsed.error()));
  if (!sensor) {
    print_error(sensor.error());
    return 3;
  }
  print_contents((*sensor)->contents());
  const ClockAnchor anchor = anchor_now(clock);
  const WallTime origin{anchor.wall.unix_ns - anchor.steady.middle().ns};
  const std::stop_token never;
  for (MonoTime now = clock.now(); since_origin(now) < Seconds(seconds); now = clock.now()) {
    const auto sample = (*sensor)->poll(clock);
    if (!sample) print_error(sample.error());
    if (sample) print_sample(*sample, origin);
    if (!(*sensor)->has_more()) clock.sleep_until(now + milliseconds(100), never);
  }
  for (const Loss& loss : (*sensor)->take_losses()) fmt::print("loss\t{}\n", loss.reason);
  return 0;
}

}  // namespace
}  // namespace tokenjoule

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: read_sensor SPEC SECONDS\n", stderr);
    return 2;
  }
  return tokenjoule::read_sensor(arguments[1], std::atof(arguments[2]));
}
