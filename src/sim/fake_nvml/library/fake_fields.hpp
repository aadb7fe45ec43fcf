#pragma once

#include <string_view>

#include "devices/nvml_abi.hpp"
#include "sim/fake_nvml/fake_gpu.hpp"

namespace tokenjoule {

/// Answers one field as a driver of that version would: value and type, or kNotSupported.
void answer_field(const FakeGpu& gpu, std::string_view driver_version, nvml::FieldValue& field);

}  // namespace tokenjoule
