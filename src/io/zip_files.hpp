#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/data_files.hpp"

namespace tokenjoule {

/// A file of a .zip archive. `problem` says why it could not be unpacked; then it has no bytes.
struct ZippedFile {
  std::string name;
  std::string bytes;
  std::string problem;
};

/// Unpacks an archive that lies in memory, file by file; folders in it are left out. An error where
/// the archive itself cannot be read.
Status for_each_zipped(const std::string& archive, const DataFileBounds& bounds,
                       const std::function<void(ZippedFile&&)>& on_file);

/// "" while `unpacked` bytes out of `packed` are within the bounds; else why not.
std::string beyond_bounds(std::uint64_t packed, std::uint64_t unpacked,
                          const DataFileBounds& bounds);

}  // namespace tokenjoule
