#include "sensors/nvml/nvml_gpus.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "base/text.hpp"
#include "model/containment.hpp"
#include "sensors/nvml/nvml_reader.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kSimulatedPrefix = "GPU-51d0";

void put_watts(Device& device, const char* name, const NvmlValues& values, const NvmlKey& key) {
  const auto at = values.find(key);
  if (at != values.end() && at->second > 0) {
    device.facts[name] = fmt::format("{:g} W", at->second / 1000);
  }
}

void put_facts(const Nvml& nvml, nvml::Device handle, Device& device) {
  if (const auto pci = nvml.pci_info(handle)) {
    device.facts["pci_address"] =
        pci_address_in({pci->bus_id, strnlen(pci->bus_id, sizeof pci->bus_id)});
  }
  if (const auto on = nvml.persistence_mode(handle)) {
    device.facts["persistence_mode"] = *on ? "on" : "off";
  }
  if (const auto on = nvml.mig_mode(handle)) device.facts["mig_mode"] = *on ? "on" : "off";
  if (const auto version = nvml.library_version()) device.facts["nvml_version"] = *version;
  if (const auto mode = nvml.virtualization_mode(handle); mode && *mode != nvml::kBareMetal) {
    device.facts["virtualization"] = *mode == nvml::kPassThrough  ? "pass-through"
                                     : *mode == nvml::kVirtualGpu ? "virtual GPU"
                                                                  : "virtual GPU host";
  }
}

std::string why_no_power(const Nvml& nvml, nvml::Device handle, const NvmlRead& read) {
  const auto mode = nvml.virtualization_mode(handle);
  if (mode && *mode == nvml::kVirtualGpu) {
    return "a virtual GPU: its host alone sees energy and power";
  }
  if (read.error) return read.error->message;
  const auto power = nvml.power_usage_mw(handle);
  return power ? "its power reads 0" : power.error().message;
}

/// What the GPU offers. A driver that is busy is asked again: a signal that is missing here would
/// be missing for the whole run.
NvmlRead probe(const Nvml& nvml, nvml::Device handle, const std::string& driver) {
  constexpr int kTries = 3;
  NvmlRead read;
  for (int i = 0; i < kTries; ++i) {
    read = read_nvml(nvml, handle, keys_to_probe(driver));
    if (!read.error || read.error->kind != ErrorKind::retry) break;
  }
  return read;
}

Result<OpenedGpu> opened_gpu(const Nvml& nvml, unsigned index, const std::string& driver) {
  OpenedGpu gpu;
  TRY(gpu.handle, nvml.device(index));
  TRY(const std::string uuid, nvml.uuid(gpu.handle));
  NvmlGpu facts{.uuid = uuid, .name = nvml.name(gpu.handle).value_or(""), .driver = driver};
  if (const auto architecture = nvml.architecture(gpu.handle)) facts.architecture = *architecture;
  gpu.device = {.id = uuid,
                .name = facts.name,
                .kind = DeviceKind::gpu,
                .label = std::to_string(index),
                .simulated = is_simulated_gpu(uuid)};
  put_facts(nvml, gpu.handle, gpu.device);
  if (facts.architecture && !nvml_architecture_name(*facts.architecture).empty()) {
    gpu.device.facts["architecture"] = nvml_architecture_name(*facts.architecture);
  }
  const NvmlRead probed = probe(nvml, gpu.handle, driver);
  gpu.signals = signals_of(facts, probed.values);
  const bool reads_module = std::any_of(
      gpu.signals.fast.begin(), gpu.signals.fast.end(),
      [](const NvmlSignal& made) { return made.signal.boundary == Boundary::gpu_module; });
  if (reads_module) gpu.device.facts[kContainsFact] = kCpuAndMemory;
  put_watts(gpu.device, "module_power_limit", probed.values,
            nvml_field(nvml::kEnforcedLimit, nvml::kScopeModule));
  if (!gpu.signals.left_out.empty()) gpu.device.facts[kLeftOutFact] = gpu.signals.left_out;
  if (gpu.signals.fast.empty()) {
    gpu.no_power = why_no_power(nvml, gpu.handle, probed);
    gpu.device.facts["no_power"] = gpu.no_power;
  }
  return gpu;
}

Status check_usable(const OpenedGpus& found, const Error& last_error) {
  if (found.listed == 0) {
    return failure(ErrorKind::missing, "the NVIDIA driver finds no GPU",
                   "in a container, start it with the GPUs (--gpus all)");
  }
  if (found.gpus.empty()) {
    return failure(
        ErrorKind::missing,
        fmt::format("none of {} GPUs can be opened: {}", found.listed, last_error.message),
        last_error.hint);
  }
  const auto unreadable = [](const OpenedGpu& gpu) { return !gpu.no_power.empty(); };
  if (!std::all_of(found.gpus.begin(), found.gpus.end(), unreadable)) return {};
  const OpenedGpu& first = found.gpus.front();
  return failure(ErrorKind::missing,
                 fmt::format("no GPU gives energy or power; {} {}: {}", first.device.label,
                             quoted(first.device.name), first.no_power),
                 "measure at the node or at the wall, or where the GPU's host runs");
}

}  // namespace

Result<OpenedGpus> open_nvml_gpus(const Nvml& nvml) {
  OpenedGpus found;
  const std::string driver = nvml.driver_version().value_or("");
  TRY(found.listed, nvml.device_count());
  Error last_error;
  for (unsigned index = 0; index < found.listed; ++index) {
    auto gpu = opened_gpu(nvml, index, driver);
    if (!gpu) {
      last_error = std::move(gpu).error();
      found.not_opened = last_error.message;
      continue;
    }
    const auto repeated = std::any_of(found.gpus.begin(), found.gpus.end(), [&](auto& known) {
      return known.device.id == gpu->device.id;
    });
    if (!repeated) found.gpus.push_back(std::move(*gpu));
  }
  TRY_DO(check_usable(found, last_error));
  if (!found.not_opened.empty()) {
    for (OpenedGpu& gpu : found.gpus) gpu.device.facts[kNotOpenedFact] = found.not_opened;
  }
  return found;
}

bool is_simulated_gpu(std::string_view uuid) { return starts_with(uuid, kSimulatedPrefix); }

std::string pci_address_in(std::string_view bus_id) {
  std::string address = lower_case(bus_id);
  const auto colon = address.find(':');
  const bool long_domain = colon == 8 && address.compare(0, 4, "0000") == 0;
  return long_domain ? address.substr(4) : address;
}

}  // namespace tokenjoule
