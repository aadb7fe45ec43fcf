#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tokenjoule {

/// One entry of CUDA_VISIBLE_DEVICES.
struct VisibleDevice {
  enum class Kind {
    number,        ///< CUDA's own numbering, which need not be NVML's
    gpu_uuid,      ///< "GPU-…", or the beginning of it
    mig_instance,  ///< "MIG-…": a part of a GPU
  };
  Kind kind = Kind::number;
  std::string text;
};

/// The entries as CUDA takes them: up to the first one that is none ("-1", a word). An empty value
/// hides all GPUs: no entries.
std::vector<VisibleDevice> visible_devices_in(std::string_view value);

/// In words, for a message: "CUDA_VISIBLE_DEVICES=2,3 (CUDA's numbers, which may differ …)".
std::string words_for_visible_devices(std::string_view value);

}  // namespace tokenjoule
