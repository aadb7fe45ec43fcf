#include "sim/fake_nvml/state_writer.hpp"

#include <cerrno>
#include <new>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

tl::unexpected<Error> cannot(std::string_view what, const std::string& path, int code) {
  return failure(ErrorKind::missing,
                 fmt::format("cannot {} the shared file of the simulated GPUs {}: {}", what,
                             quoted(path), std::strerror(code)),
                 "choose a place that you may write to");
}

/// 0: there is no file.
ino_t inode_at(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

Result<void*> mapped_new_file(const std::string& path) {
  // A name of our own first, then renamed: readers of an old file keep the old one.
  const std::string unfinished = fmt::format("{}.{}", path, getpid());
  const int descriptor =
      open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor < 0) return cannot("make", unfinished, errno);
  void* place = MAP_FAILED;
  if (ftruncate(descriptor, sizeof(FakeNvmlRegion)) == 0) {
    place =
        mmap(nullptr, sizeof(FakeNvmlRegion), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  const int map_error = errno;
  close(descriptor);
  if (place == MAP_FAILED) {
    unlink(unfinished.c_str());
    return cannot("map", unfinished, map_error);
  }
  if (rename(unfinished.c_str(), path.c_str()) != 0) {
    const int rename_error = errno;
    munmap(place, sizeof(FakeNvmlRegion));
    unlink(unfinished.c_str());
    return cannot("name", path, rename_error);
  }
  return place;
}

}  // namespace

void FakeNvmlWriter::Unmap::operator()(FakeNvmlRegion* region) const {
  munmap(region, sizeof(FakeNvmlRegion));
}

FakeNvmlWriter::FakeNvmlWriter(FakeNvmlRegion* region, std::string path, ino_t inode)
    : region_(region), path_(std::move(path)), inode_(inode) {}

FakeNvmlWriter::FakeNvmlWriter(FakeNvmlWriter&&) noexcept = default;

FakeNvmlWriter& FakeNvmlWriter::operator=(FakeNvmlWriter&& other) noexcept {
  if (this != &other) {
    end();
    region_ = std::move(other.region_);
    path_ = std::move(other.path_);
    inode_ = other.inode_;
  }
  return *this;
}

FakeNvmlWriter::~FakeNvmlWriter() { end(); }

void FakeNvmlWriter::end() {
  if (!region_) return;
  region_->closed.store(1, std::memory_order_release);
  if (inode_at(path_) == inode_) unlink(path_.c_str());
  region_.reset();
}

Result<FakeNvmlWriter> FakeNvmlWriter::create(const std::string& path,
                                              const std::string& driver_version,
                                              std::span<const FakeGpu> gpus) {
  if (gpus.size() > kFakeGpus) {
    return failure(ErrorKind::usage,
                   fmt::format("{} GPUs are too many for the fake NVML library", gpus.size()),
                   fmt::format("simulate at most {}", kFakeGpus));
  }
  TRY(void* const place, mapped_new_file(path));
  auto* const region = new (place) FakeNvmlRegion;
  FakeNvmlWriter writer(region, path, inode_at(path));
  put_text(region->driver_version, driver_version);
  region->writer_pid = getpid();
  region->gpu_count = static_cast<std::uint32_t>(gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) writer.publish(i, gpus[i]);
  region->magic.store(FakeNvmlRegion::kMagic, std::memory_order_release);
  return writer;
}

void FakeNvmlWriter::publish(std::size_t index, const FakeGpu& gpu) {
  TJ_ASSERT(index < region_->gpu_count);
  region_->gpus[index].write(gpu);
}

}  // namespace tokenjoule
