#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tokenjoule {

/// Hands a file's bytes over in order, in pieces of at most 1 MiB.
Status for_each_piece(const std::filesystem::path& path,
                      const std::function<void(std::string_view)>& take);
/// All bytes of a file.
Result<std::string> file_bytes(const std::filesystem::path& path);
/// Writes a new file; one that exists is an error, never overwritten.
Status write_new_file(const std::filesystem::path& path, std::string_view bytes);
/// Makes a folder that must not exist yet (parents may), and that can be written to.
Status make_new_folder(const std::filesystem::path& path);

/// A file that is only ever appended to. Each `append` reaches the kernel before it returns.
class AppendFile {
 public:
  /// Creates `path`, which must not exist.
  static Result<AppendFile> create(const std::filesystem::path& path);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  Status append(std::string_view bytes);
  /// Forces what was appended to the disk.
  Status sync();

 private:
  AppendFile(int descriptor, std::filesystem::path path);
  int descriptor_ = -1;
  std::filesystem::path path_;
};

}  // namespace tokenjoule
