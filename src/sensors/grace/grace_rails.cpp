#include "sensors/grace/grace_rails.hpp"

#include <array>

#include <fmt/core.h>

#include "base/text.hpp"
#include "model/containment.hpp"

namespace tokenjoule {

namespace {

struct RailRow {
  std::string_view name;
  GraceRail rail;
};
// Firmware of GH200 and GB200, then that of other Grace machines.
constexpr RailRow kRails[] = {
    {"module power", GraceRail::module},  {"grace power", GraceRail::total},
    {"cpu power", GraceRail::cores},      {"sysio power", GraceRail::sysio},
    {"total power", GraceRail::total},    {"total input power", GraceRail::total},
    {"cpu rail power", GraceRail::cores}, {"cpu rail input power", GraceRail::cores},
    {"soc rail power", GraceRail::sysio}, {"soc rail input power", GraceRail::sysio},
    {"dram power", GraceRail::dram},      {"dram input power", GraceRail::dram},
};

}  // namespace

std::optional<GraceRailName> grace_rail_in(std::string_view oem_info) {
  const std::string text = lower_case(trimmed(oem_info));
  constexpr std::string_view kSocket = " socket ";
  const auto socket_at = text.rfind(kSocket);
  if (socket_at == std::string::npos) return std::nullopt;
  const auto socket = integer_in(std::string_view(text).substr(socket_at + kSocket.size()));
  std::string_view name = std::string_view(text).substr(0, socket_at);
  constexpr std::string_view kUnit = " in uw";
  if (ends_with(name, kUnit)) name.remove_suffix(kUnit.size());
  if (!socket || *socket < 0 || *socket > 1023) return std::nullopt;
  for (const RailRow& row : kRails) {
    if (row.name == name) return GraceRailName{row.rail, static_cast<int>(*socket)};
  }
  return std::nullopt;
}

Device grace_device(const GraceRailName& name) {
  Device device;
  device.label = fmt::format("package-{}", name.socket);
  device.id = fmt::format("cpu:package-{}", name.socket);
  device.kind = DeviceKind::cpu;
  device.name = "NVIDIA Grace";
  if (name.rail == GraceRail::dram) {
    device.id = fmt::format("memory:package-{}", name.socket);
    device.kind = DeviceKind::memory;
  } else if (name.rail == GraceRail::sysio) {
    device.id += ":sysio";
    device.chosen = false;
    device.chosen_by = "part of its package's power, shown apart";
  } else if (name.rail == GraceRail::module) {
    device.id = fmt::format("module:package-{}", name.socket);
    device.kind = DeviceKind::other;
    device.facts[kContainsFact] = "cpu, memory, gpu";
    device.chosen = false;
    device.chosen_by = "the driver's module power (nvml) is the same: module=yes counts this one";
  }
  return device;
}

Boundary boundary_of(GraceRail rail) {
  switch (rail) {
    case GraceRail::module: return Boundary::gpu_module;
    case GraceRail::cores: return Boundary::cpu_core;
    case GraceRail::dram: return Boundary::dram;
    case GraceRail::total:
    case GraceRail::sysio: break;
  }
  return Boundary::cpu_package;
}

}  // namespace tokenjoule
