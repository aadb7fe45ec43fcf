#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "sensors/cpu_model/cpu_model_sensor.hpp"
#include "sensors/dcgm/dcgm_sensor.hpp"
#include "sensors/exec/exec_sensor.hpp"
#include "sensors/ipmi/ipmi_sensor.hpp"
#include "sensors/nvml/nvml_sensor.hpp"
#include "sensors/plug/plug_sensor.hpp"
#include "sensors/ptd/ptd_sensor.hpp"
#include "sensors/redfish/redfish_sensor.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

const std::vector<SensorType>& sensor_types() {
  static const std::vector<SensorType> table = {
      {.name = "nvml",
       .what = "NVIDIA GPU energy and power, from the driver of this machine",
       .rights = "access to /dev/nvidia*, which all users have as a rule",
       .settings = {"library", "group"},
       .must_set = "",
       .automatic = true,
       .open = open_nvml},
      {.name = "dcgm",
       .what = "NVIDIA GPU energy and power, from the page of a dcgm-exporter",
       .rights = "none here: the exporter's port must be reachable",
       .settings = {"url", "group", "timeout", "energy_unit", "cacert", "insecure", "pod",
                    "namespace", "container", "hostname"},
       .must_set = "",
       .automatic = true,
       .open = open_dcgm},
      {.name = "exec",
       .what = "any program that prints one JSON reading a line",
       .rights = "those of the program, which runs as you",
       .settings = {"command", "group"},
       .must_set = "command",
       .automatic = false,
       .open = open_exec},
      {.name = "cpu-model",
       .what = "CPU energy by a model, not a measurement: CPU time times the watts that you state",
       .rights = "none: CPU times in /proc are readable by all",
       .settings = {"watts_per_core", "idle_watts", "pid", "group"},
       .must_set = "watts_per_core",
       .automatic = false,
       .open = open_cpu_model},
      {.name = "redfish",
       .what = "node power and energy, from its management controller over https (Redfish)",
       .rights = "a user of the controller who may log in and read",
       .settings = {"url", "user", "password_env", "password_file", "auth", "cacert", "fingerprint",
                    "insecure", "chassis", "source", "boundary", "device", "period", "timeout",
                    "group"},
       .must_set = "url",
       .automatic = false,
       .open = open_redfish},
      {.name = "ipmi",
       .what = "node power, from its management controller (DCMI): here or over the network",
       .rights = "access to /dev/ipmi0, or a user of the controller",
       .settings = {"host", "port", "user", "password_env", "password_file", "privilege", "cipher",
                    "file", "value", "accept_inactive", "boundary", "device", "period", "timeout",
                    "group"},
       .must_set = "",
       .automatic = false,
       .open = open_ipmi},
      {.name = "plug",
       .what = "what hangs on a smart plug: power and energy of a Shelly or a Tasmota",
       .rights = "none, or the plug's own user",
       .settings = {"url", "outlet", "user", "password_env", "password_file", "boundary", "device",
                    "period", "timeout", "group"},
       .must_set = "url",
       .automatic = false,
       .open = open_plug},
      {.name = "ptd",
       .what = "a power analyser, through SPEC's PTDaemon as MLPerf uses it",
       .rights = "none: PTDaemon's port must be reachable",
       .settings = {"host", "port", "channel", "start", "interval", "boundary", "device", "timeout",
                    "group"},
       .must_set = "host",
       .automatic = false,
       .open = open_ptd},
  };
  return table;
}

namespace {

std::vector<std::string> as_strings(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const SensorType& type : sensor_types()) names.emplace_back(type.name);
  return names;
}

Result<const SensorType*> type_named(const std::string& name) {
  for (const SensorType& type : sensor_types()) {
    if (type.name == name) return &type;
  }
  return failure(
      ErrorKind::usage,
      fmt::format("there is no sensor \"{}\"{}", quoted(name), did_you_mean(name, type_names())),
      "see the list: tokenjoule sensors");
}

Status check_settings(const SensorType& type, const SensorSpec& spec) {
  const auto known = as_strings(type.settings);
  for (const auto& [key, value] : spec.settings) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return failure(ErrorKind::usage,
                     fmt::format("the sensor {} has no setting \"{}\"{}", type.name, quoted(key),
                                 did_you_mean(key, known)),
                     fmt::format("it takes: {}", fmt::join(known, ", ")));
    }
  }
  if (!type.must_set.empty() && !spec.settings.count(std::string(type.must_set))) {
    return failure(ErrorKind::usage,
                   fmt::format("the sensor {} needs {}", type.name, type.must_set),
                   fmt::format("write it as --sensor {}:{}=...", type.name, type.must_set));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_sensor(const SensorSpec& spec, Clock& clock) {
  TRY(const SensorType* type, type_named(spec.name));
  TRY_DO(check_settings(*type, spec));
  return type->open(spec, clock);
}

Result<OpenedSensors> open_sensors(const std::vector<SensorSpec>& specs, Clock& clock) {
  OpenedSensors opened;
  for (const SensorSpec& spec : specs) {
    TRY(auto sensor, open_sensor(spec, clock));
    opened.sensors.push_back(std::move(sensor));
  }
  if (!specs.empty()) return opened;
  for (const SensorType& type : sensor_types()) {
    if (!type.automatic) continue;
    auto sensor = open_sensor({.name = std::string(type.name), .settings = {}}, clock);
    if (sensor) {
      opened.sensors.push_back(std::move(*sensor));
    } else {
      opened.left_out.emplace_back(type.name, std::move(sensor).error());
    }
  }
  return opened;
}

std::vector<SensorListing> sensor_listings(const std::vector<SensorSpec>& specs, Clock& clock) {
  std::vector<SensorListing> listings;
  for (const SensorType& type : sensor_types()) {
    const auto asked = std::find_if(specs.begin(), specs.end(),
                                    [&](const SensorSpec& spec) { return spec.name == type.name; });
    const SensorSpec spec = asked != specs.end() ? *asked : SensorSpec{std::string(type.name), {}};
    SensorListing listing{.type = &type, .contents = {}, .absent = {}};
    if (auto sensor = open_sensor(spec, clock)) {
      listing.contents = (*sensor)->contents();
    } else {
      listing.absent = std::move(sensor).error();
    }
    listings.push_back(std::move(listing));
  }
  return listings;
}

}  // namespace tokenjoule
