#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.hpp"
#include "sim/fake_nvml/shared_state.hpp"

namespace tokenjoule {

/// Shows the simulated GPUs to every program that opens the fake library. Readers see the GPUs as
/// lost once it ends. One thread writes.
class FakeNvmlWriter {
 public:
  /// @param path of the shared file; one left behind by an earlier writer is replaced.
  /// @param gpus as they are now, at most kFakeGpus.
  static Result<FakeNvmlWriter> create(const std::string& path, const std::string& driver_version,
                                       std::span<const FakeGpu> gpus);
  FakeNvmlWriter(FakeNvmlWriter&&) noexcept;
  FakeNvmlWriter& operator=(FakeNvmlWriter&&) noexcept;
  /// Takes the file away, unless another writer has replaced it.
  ~FakeNvmlWriter();

  /// @param index below the number of GPUs given to create.
  void publish(std::size_t index, const FakeGpu& gpu);
  const std::string& path() const { return path_; }

 private:
  struct Unmap {
    void operator()(FakeNvmlRegion* region) const;
  };
  FakeNvmlWriter(FakeNvmlRegion* region, std::string path, ino_t inode);
  void end();

  std::unique_ptr<FakeNvmlRegion, Unmap> region_;
  std::string path_;
  ino_t inode_ = 0;  ///< of our file
};

/// Copies a text into a field of FakeGpu, cut to fit.
template <std::size_t Length>
void put_text(char (&field)[Length], std::string_view text) {
  const std::size_t length = std::min(text.size(), Length - 1);
  std::memcpy(field, text.data(), length);
  field[length] = '\0';
}

}  // namespace tokenjoule
