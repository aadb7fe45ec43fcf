#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "model/containment.hpp"
#include "sensors/amd/amd_sensor.hpp"
#include "sensors/amd_exporter/amd_exporter_sensor.hpp"
#include "sensors/cpu_model/cpu_model_sensor.hpp"
#include "sensors/dcgm/dcgm_sensor.hpp"
#include "sensors/exec/exec_sensor.hpp"
#include "sensors/grace/grace_sensor.hpp"
#include "sensors/intel/intel_sensor.hpp"
#include "sensors/ipmi/ipmi_sensor.hpp"
#include "sensors/jetson/jetson_sensor.hpp"
#include "sensors/nvml/nvml_sensor.hpp"
#include "sensors/perf/perf_sensor.hpp"
#include "sensors/plug/plug_sensor.hpp"
#include "sensors/prometheus/prometheus_sensor.hpp"
#include "sensors/ptd/ptd_sensor.hpp"
#include "sensors/rapl/rapl_sensor.hpp"
#include "sensors/redfish/redfish_sensor.hpp"
#include "sensors/sensor.hpp"
#include "sensors/snmp/snmp_sensor.hpp"
#include "sensors/triton/triton_sensor.hpp"
#include "sensors/trtllm/trtllm_sensor.hpp"

namespace tokenjoule {

const std::vector<SensorType>& sensor_types() {
  static const std::vector<SensorType> table = {
      {.name = "nvml",
       .what = "NVIDIA GPU energy and power, from the driver of this machine",
       .rights = "access to /dev/nvidia*, which all users have as a rule",
       .settings = {"library", "group"},
       .must_set = "",
       .automatic = true,
       .reads = {Boundary::gpu_board},
       .open = open_nvml},
      {.name = "dcgm",
       .what = "NVIDIA GPU energy and power, from the page of a dcgm-exporter",
       .rights = "none here: the exporter's port must be reachable",
       .settings = {"url", "group", "timeout", "energy_unit", "cacert", "insecure", "pod",
                    "namespace", "container", "hostname"},
       .must_set = "",
       .automatic = true,
       .reads = {Boundary::gpu_board},
       .open = open_dcgm},
      {.name = "amd",
       .what = "AMD GPU energy and power, from AMD's library or the amdgpu driver's files",
       .rights = "none for the files; the groups render and video for the library",
       .settings = {"library", "root", "group"},
       .must_set = "",
       .automatic = true,
       .reads = {Boundary::gpu_board},
       .open = open_amd},
      {.name = "intel",
       .what = "Intel GPU energy, from the files of the i915 and xe drivers",
       .rights = "none: the files are readable by all",
       .settings = {"root", "group"},
       .must_set = "",
       .automatic = true,
       .reads = {Boundary::gpu_board},
       .open = open_intel},
      {.name = "jetson",
       .what = "power of an NVIDIA Jetson module, from its INA3221 monitors",
       .rights = "none on most releases; else root",
       .settings = {"rails", "root", "group"},
       .must_set = "",
       .automatic = true,
       .reads = {Boundary::gpu_module},
       .open = open_jetson},
      {.name = "grace",
       .what = "power of NVIDIA Grace CPUs, from the ACPI power meters",
       .rights = "none: the files are readable by all",
       .settings = {"module", "root", "group"},
       .must_set = "",
       .automatic = true,
       .reads = {Boundary::cpu_package, Boundary::dram},
       .open = open_grace},
      {.name = "rapl",
       .what = "CPU and memory energy of this machine, from Linux powercap (Intel and AMD)",
       .rights = "root, or read access to /sys/class/powercap/*/energy_uj",
       .settings = {"root", "group"},
       .must_set = "",
       .automatic = true,
       .reads = {Boundary::cpu_package, Boundary::dram},
       .open = open_rapl},
      {.name = "perf",
       .what = "CPU and memory energy of this machine, from the kernel's performance events",
       .rights = "kernel.perf_event_paranoid at 0 or below, or CAP_PERFMON, or root",
       .settings = {"root", "group"},
       .must_set = "",
       .automatic = true,
       .reads = {Boundary::cpu_package, Boundary::dram},
       .open = open_perf},
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
      {.name = "snmp",
       .what = "power and energy of a PDU by SNMP: any OID, or the tables of four makers",
       .rights = "an SNMP community or user that may read",
       .settings = {"host",
                    "version",
                    "community",
                    "community_env",
                    "community_file",
                    "user",
                    "auth",
                    "auth_password_env",
                    "auth_password_file",
                    "priv",
                    "priv_password_env",
                    "priv_password_file",
                    "profile",
                    "outlet",
                    "phase",
                    "inlet",
                    "pdu",
                    "oid",
                    "unit",
                    "boundary",
                    "device",
                    "group",
                    "period",
                    "timeout",
                    "retries"},
       .must_set = "host",
       .automatic = false,
       .open = open_snmp},
      {.name = "prometheus",
       .what = "power or energy that a Prometheus has, by any PromQL expression",
       .rights = "those of its HTTP API",
       .settings = {"url", "query", "unit", "kind", "boundary", "device_label", "group",
                    "bearer_env", "bearer_file", "user", "password_env", "password_file", "cacert",
                    "insecure", "period", "timeout"},
       .must_set = "url",
       .automatic = false,
       .open = open_prometheus},
      {.name = "amd-exporter",
       .what = "AMD GPU energy and power, from the page of AMD's device-metrics-exporter",
       .rights = "none here: the exporter's port must be reachable",
       .settings = {"url", "group", "timeout", "cacert", "insecure"},
       .must_set = "",
       .automatic = false,
       .open = open_amd_exporter},
      {.name = "triton",
       .what = "NVIDIA GPU energy and power, from the metrics page of Triton Inference Server",
       .rights = "none here: the metrics port must be reachable",
       .settings = {"url", "group", "timeout", "cacert", "insecure"},
       .must_set = "",
       .automatic = false,
       .open = open_triton},
      {.name = "trtllm",
       .what = "energy of the GPUs of trtllm-serve, as it counts them itself",
       .rights = "none here: the server must measure",
       .settings = {"url", "group", "timeout", "cacert", "insecure"},
       .must_set = "",
       .automatic = false,
       .open = open_trtllm},
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

/// Whether a device that stands for several GPUs is read beside others: nothing would tell that
/// they are the same.
Status check_no_sum_beside_gpus(const std::vector<std::unique_ptr<Sensor>>& sensors) {
  std::vector<const Device*> gpus;
  for (const auto& sensor : sensors) {
    for (const Device& device : sensor->contents().devices) {
      if (device.kind == DeviceKind::gpu) gpus.push_back(&device);
    }
  }
  for (const Device* sum : gpus) {
    if (!is_sum_of_gpus(*sum)) continue;
    const auto other = std::find_if(gpus.begin(), gpus.end(),
                                    [&](const Device* gpu) { return gpu->id != sum->id; });
    if (other == gpus.end()) continue;
    return failure(ErrorKind::usage,
                   fmt::format("\"{}\" is a sum of GPUs that may hold {}, which would count twice",
                               quoted(sum->id), quoted((*other)->id)),
                   "read the GPUs with one sensor; to compare two, measure twice");
  }
  return {};
}

/// The GPU's serial number, which may be its id; "" where it is not known.
std::string serial_of(const Device& device) {
  const auto fact = device.facts.find(kSerialFact);
  return fact == device.facts.end() ? std::string() : fact->second;
}

/// Whether one GPU is read under two names. AMD's exporter knows GPUs by serial number only, the
/// others by where they are plugged in.
Status check_one_name_each(const std::vector<std::unique_ptr<Sensor>>& sensors) {
  std::vector<const Device*> gpus;
  for (const auto& sensor : sensors) {
    for (const Device& device : sensor->contents().devices) gpus.push_back(&device);
  }
  for (const Device* gpu : gpus) {
    const std::string serial = serial_of(*gpu);
    if (serial.empty()) continue;
    const auto other = std::find_if(gpus.begin(), gpus.end(), [&](const Device* candidate) {
      return candidate->id != gpu->id && serial_of(*candidate) == serial;
    });
    if (other == gpus.end()) continue;
    return failure(ErrorKind::usage,
                   fmt::format("\"{}\" and \"{}\" are one GPU, by its serial number {}: it would "
                               "count twice",
                               quoted(gpu->id), quoted((*other)->id), quoted(serial)),
                   "read the GPUs with one sensor; to compare two, measure twice");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_sensor(const SensorSpec& spec, Clock& clock) {
  TRY(const SensorType* type, type_named(spec.name));
  TRY_DO(check_settings(*type, spec));
  return type->open(spec, clock);
}

Status check_gpus_once(const std::vector<std::unique_ptr<Sensor>>& sensors) {
  TRY_DO(check_no_sum_beside_gpus(sensors));
  return check_one_name_each(sensors);
}

}  // namespace tokenjoule
