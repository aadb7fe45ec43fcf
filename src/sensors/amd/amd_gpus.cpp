#include "sensors/amd/amd_gpus.hpp"

#include <fmt/core.h>

#include "devices/sysfs.hpp"
#include "sensors/amd/gpu_metrics.hpp"

namespace tokenjoule {

void add_amd_facts(Device& device, const std::filesystem::path& folder) {
  const auto add = [&](const char* fact, const char* file) {
    const auto text = sysfs_text(folder / file);
    if (text && !text->empty()) device.facts[fact] = *text;
  };
  add(kSerialFact, "serial_number");
  for (const char* fact : {"unique_id", "current_compute_partition", "current_memory_partition"}) {
    add(fact, fact);
  }
}

std::string why_amd_energy_is_wrong(Joules counted, std::optional<Watts> power, Seconds elapsed) {
  if (power ? agrees(counted, *power, elapsed) : counted > Joules(0)) return "";
  return fmt::format("its counter does not agree with its power: {:.3g} J in {:.3g} s{}",
                     counted.value(), elapsed.value(),
                     power ? fmt::format(" at {:.4g} W", power->value()) : "");
}

}  // namespace tokenjoule
