#pragma once

#include <optional>
#include <string>

#include "devices/nvml_abi.hpp"
#include "sim/fake_nvml/fake_gpu.hpp"

namespace tokenjoule {

/// What the fake library knows: the shared state of a simulator, or a script. Thread-safe.
/// Counts its users, as NVML does; the first one reads the environment.
nvml::Return start_fake_nvml();
/// kUninitialized where nobody uses it.
nvml::Return stop_fake_nvml();

bool fake_nvml_is_started();
std::string fake_driver_version();
unsigned fake_gpu_count();
/// The GPU as it is now. Its `result` is kGpuIsLost where the simulator has ended. nullopt: there
/// is no such GPU, or the library is not initialised.
std::optional<FakeGpu> fake_gpu(unsigned index);
/// Returns once a call on that GPU may be answered: at once, but where its script blocks calls.
/// Calls on other GPUs go on meanwhile.
void wait_as_scripted(unsigned index);

}  // namespace tokenjoule
