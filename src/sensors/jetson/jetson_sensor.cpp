#include "sensors/jetson/jetson_sensor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "devices/sysfs.hpp"
#include "model/containment.hpp"
#include "sensors/jetson/jetson_rails.hpp"

namespace tokenjoule {

namespace {

constexpr char kModule[] = "jetson:module";

std::string names_of(const std::vector<JetsonRail>& rails, const char* between) {
  std::vector<std::string> names;
  for (const JetsonRail& rail : rails) names.push_back(quoted(rail.name));
  return fmt::format("{}", fmt::join(names, between));
}

/// The rails that the user says make up the module: "A+B+C".
Result<std::vector<JetsonRail>> stated_rails(const std::vector<JetsonRail>& all,
                                             const std::string& setting) {
  std::vector<JetsonRail> stated;
  for (const std::string_view name : split(setting, '+')) {
    const auto is_it = [&](const JetsonRail& rail) { return rail.name == trimmed(name); };
    const auto at = std::find_if(all.begin(), all.end(), is_it);
    const bool twice = std::any_of(stated.begin(), stated.end(), is_it);
    if (at == all.end() || twice) {
      return failure(ErrorKind::usage,
                     fmt::format("rails={}: \"{}\" {}", quoted(setting), quoted(trimmed(name)),
                                 twice ? "stands there twice" : "is no rail of this machine"),
                     fmt::format("there are: {}", names_of(all, ", ")));
    }
    stated.push_back(*at);
  }
  const bool holds_all = std::any_of(stated.begin(), stated.end(), [](const JetsonRail& rail) {
    return is_module_input(rail.name);
  });
  if (!holds_all || stated.size() == 1) return stated;
  return failure(
      ErrorKind::usage,
      fmt::format("rails={} adds parts to the input that they come from", quoted(setting)),
      "leave rails out: the module's input is read by itself");
}

Result<std::vector<JetsonRail>> module_rails(const std::vector<JetsonRail>& all,
                                             const std::string& setting) {
  if (!setting.empty()) return stated_rails(all, setting);
  for (const JetsonRail& rail : all) {
    if (is_module_input(rail.name)) return std::vector<JetsonRail>{rail};
  }
  return failure(ErrorKind::missing,
                 fmt::format("none of the rails here is known to be the whole module's input: {}",
                             names_of(all, ", ")),
                 fmt::format("say which of them together are, for example rails={}, or measure at "
                             "the supply",
                             names_of(all, "+")));
}

SensorValue value_of(const std::string& device, Boundary boundary, std::string source,
                     std::unique_ptr<ValueSource> power) {
  Signal signal{.sensor = "jetson", .device = device, .measurand = Measurand::power};
  signal.boundary = boundary;
  signal.source = std::move(source);
  signal.raw_unit = "uW";
  signal.to_si = 1e-6;
  return {std::move(signal), std::move(power)};
}

/// The name that the device tree gives the machine; it ends with a NUL.
std::string model_name(const std::filesystem::path& root) {
  const std::string text = sysfs_text(root / "proc/device-tree/model").value_or("");
  return text.substr(0, text.find('\0'));
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_jetson(const SensorSpec& spec, Clock& clock) {
  const std::filesystem::path root = root_of(spec);
  const std::vector<JetsonRail> all = jetson_rails(root);
  if (all.empty()) {
    return failure(ErrorKind::missing, "no INA3221 power monitor of a Jetson is here",
                   "on a Jetson: check ls /sys/bus/i2c/drivers/ina3221 (not every module has one); "
                   "in a container: show it the host's /sys");
  }
  TRY(const auto of_module, module_rails(all, setting_of(spec, "rails")));
  TRY(auto power, rail_power(of_module));
  std::vector<Device> devices = {
      {.id = kModule, .name = model_name(root), .kind = DeviceKind::gpu, .label = "0"}};
  devices.front().facts[kContainsFact] = kCpuAndMemory;
  std::vector<SensorValue> values;
  values.push_back(value_of(kModule, Boundary::gpu_module,
                            names_of(of_module, " + ") + (of_module.size() > 1 ? " (stated)" : ""),
                            std::move(power)));
  for (const JetsonRail& rail : all) {
    if (is_module_input(rail.name)) continue;
    auto part = rail_power({rail});
    if (!part) continue;
    Device device{.id = "jetson:" + rail.name, .kind = DeviceKind::other, .label = rail.name};
    device.chosen = false;
    device.chosen_by = "a rail of the module, shown apart";
    values.push_back(value_of(device.id, Boundary::chip, rail.name, std::move(*part)));
    devices.push_back(std::move(device));
  }
  return value_sensor(std::move(devices), std::move(values), {}, setting_of(spec, "group"),
                      clock.now());
}

}  // namespace tokenjoule
