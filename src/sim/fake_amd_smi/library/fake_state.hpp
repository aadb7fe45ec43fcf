#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tokenjoule {

/// The script of the fake AMD SMI library: a file that is read anew for each call, so that a test
/// changes what the GPUs do by writing it. README.md describes it.
constexpr char kFakeAmdSmiVariable[] = "TOKENJOULE_FAKE_AMD_SMI_SCRIPT";

/// What a fake GPU, or a partition of one, answers. A number that is absent is "not available" to
/// those who ask.
struct FakeAmdGpu {
  std::uint64_t bdf = 0;
  std::string name = "Simulated MI300X";
  std::uint16_t pci_device = 0x74a1;
  int result = 0;  ///< the code that every call on it gives
  std::optional<std::uint64_t> energy_counts;
  float resolution_uj = 15.3F;
  std::optional<std::uint32_t> current_w;
  std::optional<std::uint32_t> average_w;
  std::optional<std::uint64_t> cap_w;
  std::optional<std::uint64_t> default_cap_w;
  std::optional<std::uint64_t> max_cap_w;
  std::optional<std::int64_t> junction_c;
  std::optional<std::int64_t> edge_c;
  std::optional<std::uint32_t> graphics_mhz;
  std::optional<std::uint32_t> memory_mhz;
  std::optional<std::uint32_t> utilisation_percent;
  std::optional<std::uint64_t> memory_used_bytes;
};

struct FakeAmdSmi {
  int init_result = 0;
  std::optional<std::uint32_t> stated_version;  ///< absent: what the library is built as
  std::uint32_t extra_bytes = 0;                ///< so many more are written than the struct has
  std::optional<std::uint32_t> written_bytes;   ///< of it; absent: all
  std::vector<FakeAmdGpu> gpus;
};

/// The script as it stands now; lines that are not understood are left out, with a word about it on
/// standard error.
FakeAmdSmi fake_amd_smi();

}  // namespace tokenjoule
