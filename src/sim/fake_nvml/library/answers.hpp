#pragma once

#include "devices/nvml_abi.hpp"
#include "sim/fake_nvml/library/fake_state.hpp"

namespace tokenjoule {

using nvml::Device;
using nvml::Return;

constexpr unsigned kMostMigInstances = 7;

/// What a handle points to: a GPU, or one of its MIG instances.
struct Handle {
  unsigned gpu = 0;
  unsigned instance = 0;  ///< 0: the whole GPU, else number + 1
};

/// Callers get a pointer that stays good and that they never look behind.
Device handle_of(unsigned gpu, unsigned instance);

/// Whom a call is about, and whether it can be answered at all.
struct Target {
  FakeGpu gpu;
  Handle handle;
  Return code = nvml::kSuccess;
};
Target target_of(Device device);

/// Whether a MIG instance answers, too.
enum class Scope { gpu_only, also_instance };

/// Puts what `read` gives to `out`, where the GPU answers at all.
template <typename Out, typename Read>
Return answer(Device device, Out* out, Scope scope, Read read) {
  if (out == nullptr) return nvml::kInvalidArgument;
  const Target target = target_of(device);
  if (target.code != nvml::kSuccess) return target.code;
  if (target.handle.instance != 0 && scope == Scope::gpu_only) return nvml::kNotSupported;
  return read(target, *out);
}

/// The common case: one member, always there.
template <typename Out, typename Member>
Return answer_member(Device device, Out* out, Member FakeGpu::*member) {
  return answer(device, out, Scope::gpu_only, [=](const Target& target, Out& value) -> Return {
    value = static_cast<Out>(target.gpu.*member);
    return nvml::kSuccess;
  });
}

/// The same, for what only GPUs with a flag have.
template <typename Out, typename Member>
Return answer_member_with(std::uint64_t flag, Device device, Out* out, Member FakeGpu::*member) {
  return answer(device, out, Scope::gpu_only, [=](const Target& target, Out& value) -> Return {
    if (!target.gpu.offers(flag)) return nvml::kNotSupported;
    value = static_cast<Out>(target.gpu.*member);
    return nvml::kSuccess;
  });
}

}  // namespace tokenjoule
