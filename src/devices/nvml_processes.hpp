#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// A process on a GPU, as the driver names it: by its number in the host's first pid namespace.
struct NvmlProcess {
  std::uint32_t pid = 0;
  std::optional<std::uint64_t> memory_bytes;  ///< absent: the driver does not say
};

/// With what a buffer is filled before the driver writes into it.
constexpr std::byte kProcessFill{0xA5};
/// The longest entry that any driver is known to write.
constexpr std::size_t kLongestProcessEntry = 32;

/// The entries that a driver wrote to the start of a buffer filled with kProcessFill. How long they
/// are (16, 24 or 32 bytes) depends on the driver, not on the function's version: 535 before 535.98
/// wrote 32 bytes where 24 were agreed. The last byte written tells. An error where no length fits.
Result<std::vector<NvmlProcess>> nvml_processes_in(std::span<const std::byte> buffer,
                                                   std::size_t count);

}  // namespace tokenjoule
