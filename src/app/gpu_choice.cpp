#include "app/gpu_choice.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::string list_of(const std::vector<Device>& devices) {
  std::string list;
  for (const Device& device : devices) {
    if (device.kind != DeviceKind::gpu) continue;
    list += fmt::format("{}{} = {} {}", list.empty() ? "" : ", ", device.label.empty() ? "?" : device.label, device.id,
                        device.name);
  }
  return quoted(list, 1000);
}

bool is_called(const Device& device, const std::string& name) {
  return device.label == name || device.id == name || (name.size() >= 8 && starts_with(device.id, name));
}

Status choose_named(std::vector<Device>& devices, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::vector<Device*> called;
    for (Device& device : devices) {
      if (device.kind == DeviceKind::gpu && is_called(device, name)) called.push_back(&device);
    }
    if (called.size() == 1) {
      called.front()->chosen = true;
      called.front()->chosen_by = "--gpus";
      continue;
    }
    return failure(ErrorKind::missing,
                   fmt::format("--gpus {}: {} GPU is called so (there are: {})", quoted(name),
                               called.empty() ? "no" : "more than one", list_of(devices)),
                   "name them by their number or UUID");
  }
  return {};
}

}  // namespace

Status choose_gpus(std::vector<Device>& devices, const GpuQuestion& question) {
  std::vector<Device*> gpus;
  for (Device& device : devices) {
    device.chosen = device.kind != DeviceKind::gpu;
    device.chosen_by = device.chosen ? "its sensor was asked for" : "";
    if (device.kind == DeviceKind::gpu) gpus.push_back(&device);
  }
  if (!question.named.empty()) return choose_named(devices, question.named);
  const bool only_one = gpus.size() == 1 && (question.sensor_named || question.engine_is_local);
  if (!question.all && !only_one && !gpus.empty()) {
    return failure(ErrorKind::missing,
                   fmt::format("cannot tell which GPUs the engine computes on; there are: {}", list_of(devices)),
                   "say --gpus 0,1 or UUIDs, or --all-gpus, or narrow a sensor to them "
                   "(--sensor dcgm:url=…,pod=…)");
  }
  for (Device* gpu : gpus) {
    gpu->chosen = true;
    gpu->chosen_by = question.all ? "--all-gpus" : "the only GPU there is";
  }
  return {};
}

}  // namespace tokenjoule
