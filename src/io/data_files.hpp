#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tokenjoule {

/// Bounds on files that come from anywhere. Beyond them a file is refused with one line; nothing of
/// its size is ever allocated first.
struct DataFileBounds {
  std::uint64_t largest_file = std::uint64_t{1} << 30;  ///< bytes, unpacked: 1 GiB
  std::uint64_t ratio = 200;  ///< unpacked / packed beyond `ratio_from` bytes: more is a zip bomb
  std::uint64_t ratio_from = std::uint64_t{16} << 20;
  std::size_t files = 100'000;  ///< in folders and archives together
  int folder_depth = 16;
};

/// A file as it was found.
struct DataFile {
  std::string name;   ///< path; the name inside an archive behind '!'
  std::string bytes;  ///< unpacked
  bool named = true;  ///< given by name; false: met in a folder or an archive
};

using OnDataFile = std::function<void(DataFile&&)>;
/// A file that could not be read, and why, in one line.
using OnDataProblem = std::function<void(const std::string& name, const std::string& why)>;

/// Gives what is at `path`, one file at a time: a file, what a .gz holds, what is in a .zip, all
/// files below a folder in the order of their names. Packing is recognised by content. Archives
/// inside archives are not opened, but a .gz inside a .zip is.
/// An error only where `path` itself is not there.
Status for_each_data_file(const std::filesystem::path& path, const DataFileBounds& bounds,
                          const OnDataFile& on_file, const OnDataProblem& on_problem);

/// The bytes are a gzip stream, by their first two.
bool is_gzip(std::string_view bytes);
/// What a gzip stream holds (several members are joined).
Result<std::string> unpacked_gzip(std::string_view packed, const DataFileBounds& bounds);

}  // namespace tokenjoule
