#pragma once

#include <string_view>

#include "base/result.hpp"
#include "devices/nvml_abi.hpp"

namespace tokenjoule {

/// What an NVML return code means: "not supported by this GPU or driver".
std::string_view nvml_words_for(nvml::Return code);

/// The error for a code other than kSuccess. Kinds: retry (time-out, not ready, unknown: the next
/// read may succeed), unavailable (GPU lost or in need of a reset, NVML not initialised), else
/// missing (not supported, no rights, no usable driver).
Error nvml_error(nvml::Return code, std::string_view function);
/// The error for a function that this driver's library does not export.
Error nvml_lacks(std::string_view function);

}  // namespace tokenjoule
