#include "app/sensor_lines.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::string fact_line(const Device& device, const char* fact, const char* words) {
  const auto found = device.facts.find(fact);
  if (found == device.facts.end()) return "";
  return fmt::format("{:<13}{}: {}\n", "", words, quoted(found->second, 400));
}

std::string device_lines(const Device& device) {
  return fmt::format("{:<13}{} {} {} {}{}\n", "", name_of(device.kind), quoted(device.label),
                     quoted(device.id), quoted(device.name), device.simulated ? " SIMULATED" : "") +
         fact_line(device, kReadByFact, "read by") + fact_line(device, kLeftOutFact, "left out");
}

}  // namespace

std::string contents_lines(const SensorContents& contents) {
  std::string lines;
  for (const Device& device : contents.devices) {
    lines += device_lines(device);
    for (const Signal& signal : contents.signals) {
      if (signal.device != device.id) continue;
      lines += fmt::format("{:<13}{:<22}{:<12}{}{}\n", "", name_of(signal.measurand),
                           name_of(signal.boundary), quoted(signal.source),
                           signal.modelled ? " (MODELLED)" : "");
    }
  }
  return lines;
}

}  // namespace tokenjoule
