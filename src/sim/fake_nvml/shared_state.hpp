#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <unistd.h>

#include "sim/fake_nvml/fake_gpu.hpp"

namespace tokenjoule {

constexpr std::uint32_t kFakeGpus = 16;
/// Environment variable with the path of the region's file, and of a script (see README.md).
constexpr char kFakeStateVariable[] = "TOKENJOULE_FAKE_NVML";
constexpr char kFakeScriptVariable[] = "TOKENJOULE_FAKE_NVML_SCRIPT";

/// Where the fake library looks when neither is set: one place for each user.
inline std::string default_fake_state_path() {
  return "/dev/shm/tokenjoule-fake-nvml." + std::to_string(geteuid());
}

/// One GPU's state, written by one and read by many without locks (a sequence lock): the sequence
/// is odd while it is written, and a reader that saw it move reads again. The words are atomics so
/// that a torn read is no undefined behaviour, only thrown away.
class FakeGpuSlot {
 public:
  void write(const FakeGpu& gpu) {
    std::array<std::uint64_t, kWords> words{};
    std::memcpy(words.data(), &gpu, sizeof gpu);
    const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed);
    sequence_.store(sequence + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_relaxed);
    sequence_.store(sequence + 2, std::memory_order_release);
  }

  /// nullopt where the writer came in between each time.
  std::optional<FakeGpu> read() const {
    std::array<std::uint64_t, kWords> words{};
    for (int tries = 0; tries < 1000; ++tries) {
      const std::uint64_t before = sequence_.load(std::memory_order_acquire);
      if (before % 2 != 0) continue;
      for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (sequence_.load(std::memory_order_relaxed) != before) continue;
      FakeGpu gpu;
      std::memcpy(static_cast<void*>(&gpu), words.data(), sizeof gpu);
      return gpu;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kWords = sizeof(FakeGpu) / 8;
  std::atomic<std::uint64_t> sequence_ = 0;
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// What lies in the shared file. The magic is written last.
struct FakeNvmlRegion {
  static constexpr std::uint64_t kMagic = 0x314c4d564e4a54;  ///< "TJNVML1", little-endian
  static constexpr std::uint32_t kVersion = 1;

  std::atomic<std::uint64_t> magic = 0;
  std::uint32_t version = kVersion;
  std::uint32_t gpu_count = 0;
  std::atomic<std::uint64_t> closed = 0;  ///< 1: the writer has ended, the GPUs are gone
  std::int64_t writer_pid = 0;            ///< for a writer that was killed
  char driver_version[80] = {};
  FakeGpuSlot gpus[kFakeGpus];
};

}  // namespace tokenjoule
