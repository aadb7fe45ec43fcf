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
    list += fmt::format("{}{} = {} {}", list.empty() ? "" : ", ",
                        device.label.empty() ? "?" : device.label, device.id, device.name);
  }
  return quoted(list, 1000);
}

bool is_called(const Device& device, const std::string& name) {
  return device.label == name || device.id == name ||
         (name.size() >= 8 && starts_with(device.id, name));
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

/// Those that the engine computes on. False where none of them is read by a sensor.
bool choose_seen(const std::vector<Device*>& gpus, const GpuQuestion& question) {
  bool any = false;
  for (Device* gpu : gpus) {
    const auto& seen = question.of_engine;
    if (std::find(seen.begin(), seen.end(), gpu->id) == seen.end()) continue;
    gpu->chosen = any = true;
    gpu->chosen_by = question.of_engine_how;
  }
  return any;
}

/// Whether nothing speaks against the one GPU that is read.
bool may_be_of_engine(const Device& gpu, const GpuQuestion& question) {
  const auto& others = question.of_others;
  const bool of_others = std::find(others.begin(), others.end(), gpu.id) != others.end();
  return !of_others && gpu.facts.count(kNotOpenedFact) == 0;
}

tl::unexpected<Error> cannot_tell(const std::vector<Device>& devices, const GpuQuestion& question) {
  const std::string why =
      question.of_engine_how.empty() ? "" : fmt::format(" ({})", question.of_engine_how);
  return failure(ErrorKind::missing,
                 fmt::format("cannot tell which GPUs the engine computes on{}; there are: {}", why,
                             list_of(devices)),
                 "say --gpus 0,1 or UUIDs, or --all-gpus, or narrow a sensor to them "
                 "(--sensor dcgm:url=…,pod=…)");
}

}  // namespace

Status choose_gpus(std::vector<Device>& devices, const GpuQuestion& question) {
  std::vector<Device*> gpus;
  for (Device& device : devices) {
    if (device.kind == DeviceKind::gpu) {
      device.chosen = false;
      device.chosen_by = "";
      gpus.push_back(&device);
    } else if (device.chosen) {  // else its sensor says why it is shown apart
      device.chosen_by = "its sensor was asked for";
    }
  }
  if (!question.named.empty()) return choose_named(devices, question.named);
  if (!question.all && choose_seen(gpus, question)) return {};
  const bool only_one = gpus.size() == 1 && (question.sensor_named || question.engine_is_local) &&
                        may_be_of_engine(*gpus.front(), question);
  if (!question.all && !only_one && !gpus.empty()) return cannot_tell(devices, question);
  for (Device* gpu : gpus) {
    gpu->chosen = true;
    gpu->chosen_by = question.all ? "--all-gpus" : "the only GPU there is";
  }
  return {};
}

}  // namespace tokenjoule
