#include "sensors/amd/gpu_metrics.hpp"

#include <cstring>

#include <fmt/core.h>

namespace tokenjoule {

namespace {

struct Header {
  std::uint16_t size;
  std::uint8_t format;
  std::uint8_t content;
};
static_assert(sizeof(Header) == 4);

struct Layout {
  std::uint8_t content;
  std::uint16_t size;
  std::size_t energy_at;
};
constexpr Layout kLayouts[] = {
    {3, 120, 24}, {4, 288, 24}, {5, 328, 56}, {6, 1664, 16}, {7, 2208, 24}, {8, 3360, 24},
};

/// PCI numbers of the MI200 family: MI250X, MI250, MI210.
bool is_mi200(std::uint32_t pci_device) {
  return is_two_die_module(pci_device) || pci_device == 0x740f;
}

template <typename T>
T value_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

tl::unexpected<Error> not_known(std::string message) {
  return failure(ErrorKind::missing, std::move(message), "its power is read instead");
}

}  // namespace

bool is_two_die_module(std::uint32_t pci_device) {
  return pci_device == 0x7408 || pci_device == 0x740c;
}

bool holds_a_cpu(std::uint32_t pci_device) { return pci_device == 0x74a0; }

bool is_of_integrated_graphics(std::string_view gpu_metrics) {
  if (gpu_metrics.size() < sizeof(Header)) return false;
  return value_at<Header>(gpu_metrics, 0).format >= 2;
}

Result<std::uint64_t> energy_counts_in(std::string_view gpu_metrics, std::uint32_t pci_device) {
  if (gpu_metrics.size() < sizeof(Header)) return not_known("gpu_metrics is empty");
  const auto header = value_at<Header>(gpu_metrics, 0);
  if (header.format == 1 && header.content == 3 && !is_mi200(pci_device)) {
    return not_known("the energy in gpu_metrics of this GPU has no stated unit");
  }
  for (const Layout& layout : kLayouts) {
    if (header.format != 1 || header.content != layout.content) continue;
    if (header.size != layout.size || gpu_metrics.size() < layout.size) break;
    const auto counts = value_at<std::uint64_t>(gpu_metrics, layout.energy_at);
    if (counts != UINT64_MAX && counts != UINT32_MAX) return counts;
    return failure(ErrorKind::retry, "the energy in gpu_metrics is not known to the driver");
  }
  return not_known(fmt::format("gpu_metrics of version {}.{} with {} bytes has no known energy",
                               header.format, header.content, header.size));
}

bool agrees(Joules counted, Watts power, Seconds elapsed) {
  const Joules integrated = power * elapsed;
  return counted > Joules(0) && counted >= 0.5 * integrated && counted <= 2 * integrated;
}

}  // namespace tokenjoule
