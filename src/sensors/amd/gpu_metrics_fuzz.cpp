#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sensors/amd/gpu_metrics.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  constexpr std::uint32_t kMi210 = 0x740f, kMi300x = 0x74a1;
  const std::string_view table(reinterpret_cast<const char*>(bytes), size);
  (void)is_of_integrated_graphics(table);
  for (const std::uint32_t device : {kMi210, kMi300x}) {
    const auto counts = energy_counts_in(table, device);
    // All ones is "not known", never an energy.
    if (counts && (*counts == UINT64_MAX || *counts == UINT32_MAX)) __builtin_trap();
  }
  return 0;
}
