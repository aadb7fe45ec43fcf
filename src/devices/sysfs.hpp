#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// A small file of sysfs, kept open and read anew from its start each time, which costs one system
/// call. Closed with the object.
class SysfsFile {
 public:
  /// An error of kind missing says why it cannot be opened.
  static Result<SysfsFile> open(std::filesystem::path path);
  SysfsFile(SysfsFile&& other) noexcept;
  SysfsFile& operator=(SysfsFile&& other) noexcept;
  SysfsFile(const SysfsFile&) = delete;
  SysfsFile& operator=(const SysfsFile&) = delete;
  ~SysfsFile();

  /// What it holds now, at most 4096 bytes (a page, sysfs's own limit); good until the next read.
  /// Errors by kind: unavailable (the device behind it is gone), else retry.
  Result<std::string_view> bytes();
  /// The decimal number that it holds now; other text is an error of kind retry.
  Result<double> number();
  const std::filesystem::path& path() const { return path_; }

 private:
  SysfsFile(int descriptor, std::filesystem::path path);
  int descriptor_ = -1;
  std::filesystem::path path_;
  std::string buffer_;
};

/// Whether the file is there and this process may not read it.
bool is_denied(const std::filesystem::path& file);
/// What a file holds, without blanks around it; nullopt where it cannot be read.
std::optional<std::string> sysfs_text(const std::filesystem::path& file);
/// The same as a number; nullopt for other text.
std::optional<double> sysfs_number(const std::filesystem::path& file);
/// Names in a folder that begin with `prefix`, sorted as numbers where they end in one (card2
/// before card10). Empty where there is no such folder.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::string_view prefix);
/// /proc/sys/kernel/osrelease under `root`; "" if unknown.
std::string kernel_release(const std::filesystem::path& root);

}  // namespace tokenjoule
