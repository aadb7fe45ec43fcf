#include "io/data_files.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/file.hpp"
#include "io/zip_files.hpp"

namespace tokenjoule {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZip = "PK\x03\x04";

std::string size_words(std::uint64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

class Walk {
 public:
  Walk(const DataFileBounds& bounds, const OnDataFile& on_file, const OnDataProblem& on_problem)
      : bounds_(bounds), on_file_(on_file), on_problem_(on_problem) {}

  void file(const fs::path& path, bool named) {
    if (!counted(path.string())) return;
    std::error_code error;
    if (!fs::is_regular_file(path, error))
      return on_problem_(path.string(), "it is no regular file: save what it gives to one");
    const auto size = fs::file_size(path, error);
    if (!error && size > bounds_.largest_file) {
      on_problem_(path.string(), fmt::format("it has {}, more than the {} that are read at once",
                                             size_words(size), size_words(bounds_.largest_file)));
      return;
    }
    auto bytes = file_bytes(path);
    if (!bytes) return on_problem_(path.string(), bytes.error().message);
    unpack({path.string(), std::move(*bytes), named});
  }

  void folder(const fs::path& path, int depth) {
    if (depth > bounds_.folder_depth)
      return on_problem_(path.string(), "its folders are nested too deep");
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      entries.push_back(at->path());
    if (error) on_problem_(path.string(), error.message());
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      if (starts_with(entry.filename().string(), ".")) continue;
      // A link may lead back up: those to folders are not followed.
      const auto link = fs::is_symlink(entry, error);
      if (fs::is_directory(entry, error)) {
        if (!link) folder(entry, depth + 1);
      } else if (fs::is_regular_file(entry, error)) {
        file(entry, false);
      }
    }
  }

 private:
  bool counted(const std::string& name) {
    if (++files_ <= bounds_.files) return true;
    if (files_ == bounds_.files + 1)
      on_problem_(name, fmt::format("it and those behind it are left out: more than {} files",
                                    bounds_.files));
    return false;
  }

  void unpack(DataFile&& data) {
    if (starts_with(data.bytes, kZip)) return unzip(data);
    if (starts_with(data.bytes, kGzip)) return gunzip(std::move(data));
    on_file_(std::move(data));
  }

  void gunzip(DataFile&& data) {
    auto plain = unpacked_gzip(data.bytes, bounds_);
    if (!plain) return on_problem_(data.name, plain.error().message);
    data.bytes = std::move(*plain);
    if (starts_with(data.bytes, kZip) || starts_with(data.bytes, kGzip))
      return on_problem_(data.name, "an archive inside an archive is not opened: unpack it first");
    on_file_(std::move(data));
  }

  void unzip(const DataFile& archive) {
    const auto status = for_each_zipped(archive.bytes, bounds_, [&](ZippedFile&& inside) {
      DataFile data{archive.name + "!" + inside.name, std::move(inside.bytes), false};
      if (!counted(data.name)) return;
      if (!inside.problem.empty()) return on_problem_(data.name, inside.problem);
      if (starts_with(data.bytes, kZip))
        return on_problem_(data.name,
                           "an archive inside an archive is not opened: unpack it first");
      if (starts_with(data.bytes, kGzip)) return gunzip(std::move(data));
      on_file_(std::move(data));
    });
    if (!status) on_problem_(archive.name, status.error().message);
  }

  const DataFileBounds& bounds_;
  const OnDataFile& on_file_;
  const OnDataProblem& on_problem_;
  std::size_t files_ = 0;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return starts_with(bytes, kGzip); }

Status for_each_data_file(const fs::path& path, const DataFileBounds& bounds,
                          const OnDataFile& on_file, const OnDataProblem& on_problem) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) {
    return failure(ErrorKind::missing, fmt::format("{} is not there", quoted(path.string(), 300)),
                   "check the path");
  }
  Walk walk(bounds, on_file, on_problem);
  if (fs::is_directory(status)) {
    walk.folder(path, 0);
  } else {
    walk.file(path, true);
  }
  return {};
}

}  // namespace tokenjoule
