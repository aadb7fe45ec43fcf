#include "sensors/nvml/visible_devices.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::optional<VisibleDevice> device_in(std::string_view entry) {
  using Kind = VisibleDevice::Kind;
  if (starts_with(entry, "GPU-")) return VisibleDevice{Kind::gpu_uuid, std::string(entry)};
  if (starts_with(entry, "MIG-")) return VisibleDevice{Kind::mig_instance, std::string(entry)};
  const auto number = integer_in(entry);
  if (!number || *number < 0) return std::nullopt;
  return VisibleDevice{Kind::number, std::string(entry)};
}

}  // namespace

std::vector<VisibleDevice> visible_devices_in(std::string_view value) {
  std::vector<VisibleDevice> devices;
  for (const std::string_view entry : split(value, ',')) {
    auto device = device_in(trimmed(entry));
    if (!device) break;
    devices.push_back(std::move(*device));
  }
  return devices;
}

std::string words_for_visible_devices(std::string_view value) {
  const auto devices = visible_devices_in(value);
  const bool numbers = std::any_of(devices.begin(), devices.end(), [](const auto& device) {
    return device.kind == VisibleDevice::Kind::number;
  });
  const std::string text = fmt::format("CUDA_VISIBLE_DEVICES={}", quoted(value));
  if (devices.empty()) return text + " (no GPU)";
  return numbers ? text + " (CUDA's numbers, which may differ from the driver's)" : text;
}

}  // namespace tokenjoule
