#include "io/file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tokenjoule {

namespace {

std::string hint_for(int code) {
  switch (code) {
    case EACCES:
    case EPERM: return "choose a place that you may write to and read from, or change its rights";
    case EEXIST:
      return "nothing is ever overwritten: choose another name, or move the old one away";
    case ENOENT: return "check the path";
    case ENOSPC: return "the disk is full: free some space";
    case EROFS: return "the file system is read-only: choose another place";
    case ENOTDIR: return "a part of the path is a file: choose another place";
    case EISDIR: return "that is a folder: name a file in it";
    default: return "check the path and the disk";
  }
}

tl::unexpected<Error> failed(std::string_view what, const std::filesystem::path& path, int code) {
  return failure(ErrorKind::missing,
                 fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(code)),
                 hint_for(code));
}

}  // namespace

Status for_each_piece(const std::filesystem::path& path,
                      const std::function<void(std::string_view)>& take) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed("read", path, errno);
  std::string buffer(kPiece, '\0');
  ssize_t count = 0;
  while ((count = read(descriptor, buffer.data(), buffer.size())) != 0) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    take(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
  }
  const int code = errno;
  close(descriptor);
  if (count < 0) return failed("read", path, code);
  return {};
}

Result<std::string> file_bytes(const std::filesystem::path& path) {
  std::string bytes;
  struct stat facts {};
  if (stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    bytes.reserve(static_cast<std::size_t>(facts.st_size));
  }
  TRY_DO(for_each_piece(path, [&](std::string_view piece) { bytes += piece; }));
  return bytes;
}

Status write_new_file(const std::filesystem::path& path, std::string_view bytes) {
  TRY(AppendFile file, AppendFile::create(path));
  return file.append(bytes);
}

Status make_new_folder(const std::filesystem::path& path) {
  std::error_code error;
  // A trailing slash would make the last component empty.
  const std::filesystem::path folder = path.has_filename() ? path : path.parent_path();
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (error) return failed("make the folder", folder, error.value());
  const bool made = std::filesystem::create_directory(folder, error);
  if (error) return failed("make the folder", folder, error.value());
  if (!made) return failed("make the folder", folder, EEXIST);
  return {};
}

AppendFile::AppendFile(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor), path_(std::move(path)) {}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<AppendFile> AppendFile::create(const std::filesystem::path& path) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return failed("create", path, errno);
  return AppendFile(descriptor, path);
}

Status AppendFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("write to", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status AppendFile::sync() {
  if (fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS)
    return failed("write to", path_, errno);
  return {};
}

}  // namespace tokenjoule
