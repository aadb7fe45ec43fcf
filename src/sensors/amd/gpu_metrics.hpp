#pragma once

#include <cstdint>
#include <string_view>

#include "base/quantity.hpp"
#include "base/result.hpp"

namespace tokenjoule {

/// One count of the energy accumulator: 2^-16 J, as the kernel's kgd_pp_interface.h says (15.259
/// uJ). AMD's library multiplies by 15.3 uJ instead, 0.27 % too much.
constexpr double kAmdJoulesPerCount = 1.0 / 65536.0;

/// MI250 and MI250X: two dies, each a PCI device; the first one reports the power of both.
bool is_two_die_module(std::uint32_t pci_device);
/// MI300A: its socket holds CPU cores as well.
bool holds_a_cpu(std::uint32_t pci_device);

/// Whether a table is one of those that integrated graphics write: format 2 and 3.
bool is_of_integrated_graphics(std::string_view gpu_metrics);

/// The energy accumulator in a `gpu_metrics` table of the amdgpu driver, in counts of
/// kAmdJoulesPerCount. Layouts by torvalds/linux, drivers/gpu/drm/amd/include/kgd_pp_interface.h:
/// format 1, content 4 to 8 (MI300 and later), and content 3 for MI200 only: other GPUs put a
/// 32-bit count of unstated unit there. Errors: missing for a table, or a GPU, of which this is not
/// known; retry where the value itself is not known.
Result<std::uint64_t> energy_counts_in(std::string_view gpu_metrics, std::uint32_t pci_device);

/// Whether a counter and the power beside it tell the same: within a factor of 2.
/// @param counted what the counter grew by in `elapsed`
bool agrees(Joules counted, Watts power, Seconds elapsed);

}  // namespace tokenjoule
