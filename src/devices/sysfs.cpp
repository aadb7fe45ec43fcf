#include "devices/sysfs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/text.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kPage = 4096;

bool is_gone(int code) { return code == ENODEV || code == ENXIO || code == ENOENT; }

/// "card10" as {"card", 10}, so that it sorts behind "card2".
std::pair<std::string, std::int64_t> by_number(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), integer_in(name.substr(digits)).value_or(-1)};
}

}  // namespace

Result<SysfsFile> SysfsFile::open(std::filesystem::path path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) return SysfsFile(descriptor, std::move(path));
  const int code = errno;
  return failure(ErrorKind::missing,
                 fmt::format("cannot read {}: {}", path.string(), std::strerror(code)),
                 code == EACCES || code == EPERM ? fmt::format("sudo chmod a+r {}", path.string())
                                                 : "check that its driver is loaded");
}

SysfsFile::SysfsFile(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor), path_(std::move(path)), buffer_(kPage, '\0') {}

SysfsFile::SysfsFile(SysfsFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)) {}

SysfsFile& SysfsFile::operator=(SysfsFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

SysfsFile::~SysfsFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<std::string_view> SysfsFile::bytes() {
  ssize_t count = 0;
  do {
    count = pread(descriptor_, buffer_.data(), buffer_.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count >= 0) return std::string_view(buffer_.data(), static_cast<std::size_t>(count));
  const int code = errno;
  return failure(is_gone(code) ? ErrorKind::unavailable : ErrorKind::retry,
                 fmt::format("cannot read {}: {}", path_.string(), std::strerror(code)),
                 "see what dmesg says of its driver");
}

Result<double> SysfsFile::number() {
  TRY(const std::string_view text, bytes());
  const auto number = number_in(trimmed(text));
  if (number) return *number;
  return failure(ErrorKind::retry,
                 fmt::format("{} holds no number: \"{}\"", path_.string(), quoted(text)),
                 "see what dmesg says of its driver");
}

bool is_denied(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES || errno == EPERM;
  close(descriptor);
  return false;
}

std::optional<std::string> sysfs_text(const std::filesystem::path& file) {
  const auto bytes = file_bytes(file);
  if (!bytes) return std::nullopt;
  return std::string(trimmed(*bytes));
}

std::optional<double> sysfs_number(const std::filesystem::path& file) {
  const auto text = sysfs_text(file);
  return text ? number_in(*text) : std::nullopt;
}

std::vector<std::string> names_in(const std::filesystem::path& folder, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (starts_with(name, prefix)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return by_number(a) < by_number(b); });
  return names;
}

std::string kernel_release(const std::filesystem::path& root) {
  return sysfs_text(root / "proc/sys/kernel/osrelease").value_or("");
}

}  // namespace tokenjoule
