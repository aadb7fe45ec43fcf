#include "sensors/rapl/rapl_sensor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sensors/file_values.hpp"
#include "sensors/rapl/rapl_zones.hpp"

namespace tokenjoule {

namespace {

constexpr double kMicro = 1e-6;

CpuCounter counter_of(const RaplZone& found) {
  const PowercapZone& zone = found.zone;
  CpuCounter counter{found.part, {}, {}};
  counter.signal.source = fmt::format("{}/energy_uj ({})", zone.id, zone.name);
  counter.signal.raw_unit = "uJ";
  counter.signal.to_si = kMicro;
  counter.signal.modulus = zone.range_uj;
  std::optional<WrappingRange> range;
  if (zone.range_uj) range = {Joules(*zone.range_uj * kMicro), most_of(found.part.kind)};
  counter.source = file_counter(zone.energy_file, kMicro, range);
  return counter;
}

Error no_zones(const PowercapTree& tree, const CpuModel& model) {
  if (!tree.masked.empty()) {
    return {.kind = ErrorKind::missing,
            .message = "the container runtime hides /sys/devices/virtual/powercap",
            .hint =
                "show the host's /sys to the container (docker run -v /sys:/host/sys:ro) and say "
                "--sensor rapl:root=/host"};
  }
  return no_cpu_counters(
      tree.present ? "no zones found in /sys/class/powercap" : "there is no /sys/class/powercap",
      model,
      "on x86: sudo modprobe intel_rapl_msr (it serves AMD as well); ARM servers "
      "have none: see grace, or measure the node");
}

/// Since Linux 5.10 the counters are root's alone: they tell other users too much (CVE-2020-8694).
Error may_not_read(const std::filesystem::path& root, const RaplZone& zone) {
  const std::string files = (root / "sys/class/powercap/*/energy_uj").lexically_normal().string();
  return {
      .kind = ErrorKind::missing,
      .message = fmt::format("{} (\"{}\") is there, but only root may read {}", zone.zone.id,
                             zone.zone.name, zone.zone.energy_file.string()),
      .hint = fmt::format(
          "until the next boot: sudo chmod a+r {}; for good, in /etc/udev/rules.d/70-rapl.rules: "
          "SUBSYSTEM==\"powercap\", ACTION==\"add\", RUN+=\"/bin/chmod a+r /sys%p/energy_uj\"; "
          "or run as root",
          files)};
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_rapl(const SensorSpec& spec, Clock& clock) {
  const std::filesystem::path root = root_of(spec);
  CpuCounters found;
  found.sensor = "rapl";
  found.model = cpu_model_in(root / "proc");
  const PowercapTree tree = powercap_tree(root);
  if (tree.zones.empty()) return unexpected(no_zones(tree, found.model));
  RaplZones chosen = zones_to_read(tree.zones, found.model.vendor);
  for (const RaplZone& zone : chosen.zones) found.counters.push_back(counter_of(zone));
  const bool none_opens =
      std::none_of(found.counters.begin(), found.counters.end(),
                   [](const CpuCounter& counter) { return counter.source.has_value(); });
  const auto denied =
      std::find_if(chosen.zones.begin(), chosen.zones.end(),
                   [](const RaplZone& zone) { return is_denied(zone.zone.energy_file); });
  if (none_opens && denied != chosen.zones.end()) return unexpected(may_not_read(root, *denied));
  found.left_out = std::move(chosen.left_out);
  found.places = cpu_places(root);
  found.driver = kernel_release(root);
  return cpu_energy_sensor(std::move(found), setting_of(spec, "group"), clock);
}

}  // namespace tokenjoule
