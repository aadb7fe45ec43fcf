#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "app/sensor_lines.hpp"
#include "io/clock.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

namespace {

Result<int> run_sensors(const ParsedOptions& parsed) {
  std::vector<SensorSpec> specs;
  for (const auto& text : parsed.texts("sensor")) {
    TRY(auto spec, sensor_spec_in(text));
    specs.push_back(std::move(spec));
  }
  SystemClock clock;
  for (const SensorListing& listing : sensor_listings(specs, clock)) put_out(lines_of(listing));
  return kExitUsable;
}

}  // namespace

CommandSpec sensors_command() {
  return {
      "sensors",
      "what can be measured here, with what rights, and why the rest cannot",
      "tokenjoule sensors [--sensor NAME:key=value,…]",
      {{"--sensor", "NAME[:key=value,…]",
        "settings for a sensor, as measure takes them; repeatable", OptionKind::values, "",
        "Options"}},
      {"tokenjoule sensors", "tokenjoule sensors --sensor dcgm:url=http://127.0.0.1:9400/metrics"},
      0,
      run_sensors};
}

}  // namespace tokenjoule
