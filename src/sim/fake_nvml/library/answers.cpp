#include "sim/fake_nvml/library/answers.hpp"

#include <array>

#include "sim/fake_nvml/shared_state.hpp"

namespace tokenjoule {

namespace {

using Handles = std::array<std::array<Handle, kMostMigInstances + 1>, kFakeGpus>;

Handles all_handles() {
  Handles handles;
  for (unsigned gpu = 0; gpu < kFakeGpus; ++gpu) {
    for (unsigned instance = 0; instance <= kMostMigInstances; ++instance) {
      handles[gpu][instance] = {gpu, instance};
    }
  }
  return handles;
}

}  // namespace

Device handle_of(unsigned gpu, unsigned instance) {
  static Handles handles = all_handles();
  return &handles[gpu][instance];
}

Target target_of(Device device) {
  Target target;
  if (!fake_nvml_is_started()) {
    target.code = nvml::kUninitialized;
    return target;
  }
  if (device == nullptr) {
    target.code = nvml::kInvalidArgument;
    return target;
  }
  target.handle = *static_cast<const Handle*>(device);
  wait_as_scripted(target.handle.gpu);
  const auto gpu = fake_gpu(target.handle.gpu);
  if (!gpu) {
    target.code = nvml::kInvalidArgument;
  } else {
    target.gpu = *gpu;
    target.code = gpu->result;
  }
  return target;
}

}  // namespace tokenjoule
