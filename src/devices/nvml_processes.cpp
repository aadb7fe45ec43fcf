#include "devices/nvml_processes.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "devices/nvml_abi.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kEntryLengths[] = {sizeof(nvml::ProcessInfoV1), sizeof(nvml::ProcessInfoV2),
                                         sizeof(nvml::ProcessInfoLong)};
static_assert(sizeof(nvml::ProcessInfoLong) == kLongestProcessEntry);

/// Bytes up to and including the last one that the driver changed.
std::size_t written_length(std::span<const std::byte> buffer) {
  std::size_t length = buffer.size();
  while (length > 0 && buffer[length - 1] == kProcessFill) --length;
  return length;
}

/// All layouts begin with the pid and the memory.
NvmlProcess process_at(const std::byte* entry) {
  nvml::ProcessInfoV1 info{};
  std::memcpy(&info, entry, sizeof info);
  NvmlProcess process{.pid = info.pid, .memory_bytes = info.memory_used};
  if (info.memory_used == nvml::kMemoryNotAvailable) process.memory_bytes.reset();
  return process;
}

}  // namespace

Result<std::vector<NvmlProcess>> nvml_processes_in(std::span<const std::byte> buffer,
                                                   std::size_t count) {
  std::vector<NvmlProcess> processes;
  if (count == 0) return processes;
  const std::size_t written = written_length(buffer);
  const auto length =
      std::find_if(std::begin(kEntryLengths), std::end(kEntryLengths),
                   [&](std::size_t candidate) { return count * candidate >= written; });
  if (length == std::end(kEntryLengths) || count * *length > buffer.size()) {
    return failure(
        ErrorKind::missing,
        fmt::format("the driver wrote {} bytes for {} processes: their layout is not known",
                    written, count),
        "install another NVIDIA driver");
  }
  for (std::size_t i = 0; i < count; ++i) {
    processes.push_back(process_at(buffer.data() + i * *length));
  }
  return processes;
}

}  // namespace tokenjoule
