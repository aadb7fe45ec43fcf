#include "io/zip_files.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>
#include <minizip/unzip.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kLongestName = 4096;

/// An archive in memory as minizip reads it.
struct Memory {
  const std::string* bytes;
  std::uint64_t at = 0;
};

voidpf open_memory(voidpf opaque, const void*, int) { return opaque; }

uLong read_memory(voidpf, voidpf stream, void* into, uLong size) {
  auto& memory = *static_cast<Memory*>(stream);
  const std::uint64_t left = memory.bytes->size() - memory.at;
  const std::uint64_t count = std::min<std::uint64_t>(size, left);
  std::memcpy(into, memory.bytes->data() + memory.at, count);
  memory.at += count;
  return count;
}

uLong write_memory(voidpf, voidpf, const void*, uLong) { return 0; }

ZPOS64_T tell_memory(voidpf, voidpf stream) { return static_cast<Memory*>(stream)->at; }

long seek_memory(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  auto& memory = *static_cast<Memory*>(stream);
  std::uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) base = memory.at;
  if (origin == ZLIB_FILEFUNC_SEEK_END) base = memory.bytes->size();
  const std::uint64_t to = base + offset;
  if (to > memory.bytes->size()) return -1;
  memory.at = to;
  return 0;
}

int close_memory(voidpf, voidpf) { return 0; }
int no_error(voidpf, voidpf) { return 0; }

struct Archive {
  unzFile file = nullptr;
  explicit Archive(Memory& memory) {
    zlib_filefunc64_def functions{open_memory, read_memory,  write_memory, tell_memory,
                                  seek_memory, close_memory, no_error,     &memory};
    file = unzOpen2_64("memory", &functions);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() {
    if (file != nullptr) unzClose(file);
  }
};

/// Unpacks the file that the archive stands at; bounded while it grows, since sizes in an archive
/// may lie.
std::string unpack_into(unzFile file, std::uint64_t packed, const DataFileBounds& bounds,
                        std::string& bytes) {
  if (unzOpenCurrentFile(file) != UNZ_OK) return "it cannot be unpacked (encrypted or damaged)";
  std::string chunk(kChunk, '\0');
  std::string problem;
  while (problem.empty()) {
    const int count = unzReadCurrentFile(file, chunk.data(), static_cast<unsigned>(chunk.size()));
    if (count < 0) problem = "it is damaged";
    if (count <= 0) break;
    bytes.append(chunk, 0, static_cast<std::size_t>(count));
    problem = beyond_bounds(packed, bytes.size(), bounds);
  }
  if (unzCloseCurrentFile(file) != UNZ_OK && problem.empty()) problem = "its checksum is wrong";
  if (!problem.empty()) bytes.clear();
  return problem;
}

}  // namespace

Status for_each_zipped(const std::string& archive, const DataFileBounds& bounds,
                       const std::function<void(ZippedFile&&)>& on_file) {
  Memory memory{&archive};
  const Archive open(memory);
  if (open.file == nullptr)
    return failure(ErrorKind::missing, "its zip directory is damaged or cut off");
  int state = unzGoToFirstFile(open.file);
  for (; state == UNZ_OK; state = unzGoToNextFile(open.file)) {
    unz_file_info64 info{};
    std::string name(kLongestName, '\0');
    if (unzGetCurrentFileInfo64(open.file, &info, name.data(), name.size() - 1, nullptr, 0, nullptr,
                                0) != UNZ_OK)
      return failure(ErrorKind::missing, "its zip directory is damaged");
    name.resize(std::strlen(name.c_str()));
    if (ends_with(name, "/")) continue;
    ZippedFile file{name, "", ""};
    file.problem = unpack_into(open.file, info.compressed_size, bounds, file.bytes);
    on_file(std::move(file));
  }
  if (state != UNZ_END_OF_LIST_OF_FILE)
    return failure(ErrorKind::missing, "its zip directory is damaged");
  return {};
}

}  // namespace tokenjoule
