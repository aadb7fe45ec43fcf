#include "sensors/grace/grace_sensor.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "devices/hwmon.hpp"
#include "sensors/file_values.hpp"
#include "sensors/grace/grace_rails.hpp"

namespace tokenjoule {

namespace {

/// 2^32 - 1 milliwatts: the firmware's word for "not known".
constexpr double kUnknownMicrowatts = 4294967295000.0;

struct Rail {
  GraceRailName name;
  std::string oem_info;
  std::filesystem::path average;
  std::optional<Seconds> interval;
};

struct Rails {
  std::vector<Rail> rails;
  std::vector<std::string> others;  ///< power meters with other names, and repeats
};

void add_rail(Rails& found, const std::filesystem::path& folder) {
  const auto oem_info = sysfs_text(folder / "power1_oem_info");
  if (!oem_info) return;
  const auto name = grace_rail_in(*oem_info);
  const bool repeated =
      name && std::any_of(found.rails.begin(), found.rails.end(), [&](const Rail& rail) {
        return rail.name.rail == name->rail && rail.name.socket == name->socket;
      });
  if (!name || repeated) {
    found.others.push_back(
        fmt::format("\"{}\"{}", quoted(*oem_info), repeated ? ": a repeat" : ""));
    return;
  }
  const auto interval_ms = sysfs_number(folder / "power1_average_interval");
  Rail rail{*name, *oem_info, folder / "power1_average", {}};
  if (interval_ms && *interval_ms > 0) rail.interval = Seconds(*interval_ms / 1000.0);
  found.rails.push_back(std::move(rail));
}

/// The driver puts its files beside the chip's folder, newer kernels into it.
Rails rails_at(const std::filesystem::path& root) {
  Rails found;
  for (const HwmonChip& chip : hwmon_chips(root / "sys/class/hwmon")) {
    std::error_code error;
    const bool inside = std::filesystem::exists(chip.folder / "power1_oem_info", error);
    add_rail(found, inside ? chip.folder : chip.folder / "device");
  }
  return found;
}

Signal signal_of(const Rail& rail, const std::string& device, const std::string& driver) {
  Signal signal{.sensor = "grace", .device = device, .measurand = Measurand::power};
  signal.boundary = boundary_of(rail.name.rail);
  signal.source = fmt::format("power1_average of \"{}\"", quoted(rail.oem_info));
  signal.raw_unit = "uW";
  signal.to_si = 1e-6;
  signal.averaging = rail.interval;
  signal.driver = driver;
  return signal;
}

Error no_rails(const Rails& found) {
  if (!found.others.empty()) {
    return {.kind = ErrorKind::missing,
            .message = fmt::format("the ACPI power meters here are not Grace's: {}",
                                   fmt::join(found.others, ", ")),
            .hint = "say what they measure with exec, or measure the node with ipmi or redfish"};
  }
  return {.kind = ErrorKind::missing,
          .message = "no ACPI power meter names a rail of NVIDIA Grace",
          .hint =
              "on Grace: boot with acpi_power_meter.force_cap_on=y and run "
              "sudo modprobe acpi_power_meter; other CPUs: see rapl"};
}

Result<bool> module_counts(const SensorSpec& spec) {
  const std::string text = setting_of(spec, "module");
  if (text == "yes") return true;
  if (text.empty() || text == "no") return false;
  return failure(ErrorKind::usage, fmt::format("module={} is neither yes nor no", quoted(text)),
                 "write module=yes where no other sensor reads the module");
}

Result<SensorValue> value_of(const Rail& rail, const std::string& device,
                             const std::string& driver) {
  TRY(auto source, file_value(rail.average, {.zero = true, .from = kUnknownMicrowatts}));
  return SensorValue{signal_of(rail, device, driver), std::move(source)};
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_grace(const SensorSpec& spec, Clock& clock) {
  TRY(const bool with_module, module_counts(spec));
  const std::filesystem::path root = root_of(spec);
  const Rails found = rails_at(root);
  if (found.rails.empty()) return unexpected(no_rails(found));
  const std::string driver = kernel_release(root);
  std::vector<Device> devices;
  std::vector<SensorValue> values;
  std::vector<std::string> notes;
  for (const std::string& other : found.others) notes.push_back("not read: " + other);
  for (const Rail& rail : found.rails) {
    Device device = grace_device(rail.name);
    if (rail.name.rail == GraceRail::module && with_module) {
      device.chosen = true;
      device.chosen_by = "module=yes";
    }
    TRY(SensorValue value, value_of(rail, device.id, driver));
    values.push_back(std::move(value));
    const bool listed = std::any_of(devices.begin(), devices.end(),
                                    [&](const Device& other) { return other.id == device.id; });
    if (!listed) devices.push_back(std::move(device));
  }
  return value_sensor(std::move(devices), std::move(values), std::move(notes),
                      setting_of(spec, "group"), clock.now());
}

}  // namespace tokenjoule
