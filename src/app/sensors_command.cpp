#include <fmt/core.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "base/text.hpp"
#include "io/clock.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

namespace {

std::string lines_of(const SensorListing& listing) {
  std::string lines = fmt::format("{:<13}{}\n", listing.type->name, listing.type->what);
  lines += fmt::format("{:<13}rights: {}\n", "", listing.type->rights);
  if (!listing.contents) {
    return lines + fmt::format("{:<13}not here: {}{}\n", "", listing.absent.message,
                               listing.absent.hint.empty() ? "" : "; " + listing.absent.hint);
  }
  for (const Device& device : listing.contents->devices) {
    lines +=
        fmt::format("{:<13}{} {} {} {}{}\n", "", name_of(device.kind), quoted(device.label),
                    quoted(device.id), quoted(device.name), device.simulated ? " SIMULATED" : "");
    for (const Signal& signal : listing.contents->signals) {
      if (signal.device != device.id) continue;
      lines += fmt::format("{:<13}{:<22}{:<12}{}{}\n", "", name_of(signal.measurand),
                           name_of(signal.boundary), quoted(signal.source),
                           signal.modelled ? " (MODELLED)" : "");
    }
  }
  return lines;
}

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
