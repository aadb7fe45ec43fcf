// Runs a fuzz target over every file of its corpus, as a unit test where there is no libFuzzer.
// Usage: PROGRAM FOLDER

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "io/file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int main(int count, char** arguments) {
  if (count != 2) return 2;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    const auto bytes = tokenjoule::file_bytes(entry.path());
    if (!bytes) return 1;
    // Cut at every length as well, or at a thousand: what comes over a wire may end anywhere.
    const auto* start = reinterpret_cast<const std::uint8_t*>(bytes->data());
    const std::size_t step = 1 + bytes->size() / 1000;
    for (std::size_t length = 0; length < bytes->size(); length += step)
      LLVMFuzzerTestOneInput(start, length);
    LLVMFuzzerTestOneInput(start, bytes->size());
    ++files;
  }
  std::printf("%d inputs\n", files);
  return files == 0 ? 1 : 0;
}
