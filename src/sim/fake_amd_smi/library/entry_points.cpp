// A libamd_smi.so of our own: the functions that the sensor amd and PyPI's amdsmi call, over GPUs
// of a script. Built once for each version, since structs differ from one to the next.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "devices/amd_smi_abi.hpp"
#include "sim/fake_amd_smi/library/fake_state.hpp"

namespace tokenjoule {
namespace {

using amd_smi::Processor;
using amd_smi::Return;
using amd_smi::Socket;

constexpr std::uint32_t kMajor = TOKENJOULE_FAKE_AMD_SMI_MAJOR;
std::atomic<int> users = 0;
std::atomic<int> calls_at_once = 0;

/// A call on a GPU; before 26.2 two of them at once give each other's values.
class Call {
 public:
  Call() : alone_(++calls_at_once == 1) {}
  ~Call() { --calls_at_once; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  bool is_alone() const { return alone_; }

 private:
  bool alone_;
};

/// A handle is the address of one of these, whose place is the GPU's in the script.
char handles[64];

void* handle_of(std::size_t place) { return &handles[place % std::size(handles)]; }

/// Of the GPU that a handle stands for; past all of them where it is not one of ours.
std::size_t place_of(const void* handle) {
  std::size_t place = 0;
  while (place < std::size(handles) && &handles[place] != handle) ++place;
  return place;
}

std::uint64_t board_of(const FakeAmdGpu& gpu) { return gpu.bdf >> 3; }

Return with_gpu(Processor handle, const void* out,
                const std::function<Return(const FakeAmdGpu&)>& answer) {
  if (users == 0) return amd_smi::kNotInit;
  if (handle == nullptr || out == nullptr) return amd_smi::kInvalid;
  const Call call;
  if (!call.is_alone()) return amd_smi::kInternalException;
  const FakeAmdSmi smi = fake_amd_smi();
  const std::size_t place = place_of(handle);
  if (place >= smi.gpus.size()) return amd_smi::kNotFound;
  const FakeAmdGpu& gpu = smi.gpus[place];
  return gpu.result != 0 ? gpu.result : answer(gpu);
}

/// Answers one number, or "not supported" where the script has none.
template <typename Number, typename Scripted>
Return give(Processor handle, Number* out, std::optional<Scripted> FakeAmdGpu::*member) {
  return with_gpu(handle, out, [=](const FakeAmdGpu& gpu) -> Return {
    if (!(gpu.*member)) return amd_smi::kNotSupported;
    *out = static_cast<Number>(*(gpu.*member));
    return amd_smi::kSuccess;
  });
}

Return give_list(std::uint32_t* count, void** list, const std::vector<void*>& items) {
  if (users == 0) return amd_smi::kNotInit;
  if (count == nullptr) return amd_smi::kInvalid;
  const auto length = static_cast<std::uint32_t>(items.size());
  if (list != nullptr) std::copy_n(items.begin(), std::min(*count, length), list);
  *count = list == nullptr ? length : std::min(*count, length);
  return amd_smi::kSuccess;
}

template <typename T>
void put(std::byte* at, std::size_t place, T value) {
  std::memcpy(at + place, &value, sizeof value);
}

/// The layout of the version that this library is built as; a later one is longer.
amd_smi::PowerLayout power_layout() {
  for (const amd_smi::PowerLayout& layout : amd_smi::kPowerLayouts) {
    if (layout.major == kMajor) return layout;
  }
  return {kMajor, 256, 16, 20, 40};
}

}  // namespace
}  // namespace tokenjoule

using namespace tokenjoule;  // the entry points are AMD SMI's, outside any namespace

extern "C" {

Return amdsmi_init(std::uint64_t) {
  const int result = fake_amd_smi().init_result;
  if (result == 0) ++users;
  return result;
}

Return amdsmi_shut_down() {
  if (users == 0) return amd_smi::kNotInit;
  --users;
  return amd_smi::kSuccess;
}

Return amdsmi_get_lib_version(void* version) {
  if (users == 0) return amd_smi::kNotInit;
  if (version == nullptr) return amd_smi::kInvalid;
  amd_smi::Version out{{fake_amd_smi().stated_version.value_or(kMajor), 4, 1, 0}, "fake"};
  std::memcpy(version, &out, sizeof out);
  return amd_smi::kSuccess;
}

Return amdsmi_status_code_to_string(int, const char** words) {
  *words = "a code of the fake library";
  return amd_smi::kSuccess;
}

/// One socket a board; partitions of a board share it.
Return amdsmi_get_socket_handles(std::uint32_t* count, Socket* sockets) {
  std::vector<void*> first_of_board;
  const auto gpus = fake_amd_smi().gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto same = [&](const FakeAmdGpu& other) { return board_of(other) == board_of(gpus[i]); };
    if (std::find_if(gpus.begin(), gpus.end(), same) - gpus.begin() ==
        static_cast<std::ptrdiff_t>(i)) {
      first_of_board.push_back(handle_of(i));
    }
  }
  return give_list(count, sockets, first_of_board);
}

Return amdsmi_get_processor_handles(Socket socket, std::uint32_t* count, Processor* processors) {
  std::vector<void*> of_board;
  const auto gpus = fake_amd_smi().gpus;
  const std::size_t first = place_of(socket);
  if (socket == nullptr || first >= gpus.size()) return amd_smi::kInvalid;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (board_of(gpus[i]) == board_of(gpus[first])) of_board.push_back(handle_of(i));
  }
  return give_list(count, processors, of_board);
}

Return amdsmi_get_processor_type(Processor gpu, std::uint32_t* type) {
  return with_gpu(gpu, type, [=](const FakeAmdGpu&) {
    *type = amd_smi::kAmdGpu;
    return amd_smi::kSuccess;
  });
}

Return amdsmi_get_gpu_device_bdf(Processor gpu, amd_smi::Bdf* bdf) {
  return with_gpu(gpu, bdf, [=](const FakeAmdGpu& fake) {
    *bdf = fake.bdf;
    return amd_smi::kSuccess;
  });
}

Return amdsmi_get_gpu_id(Processor gpu, std::uint16_t* device) {
  return with_gpu(gpu, device, [=](const FakeAmdGpu& fake) {
    *device = fake.pci_device;
    return amd_smi::kSuccess;
  });
}

Return amdsmi_get_gpu_asic_info(Processor gpu, void* info) {
  return with_gpu(gpu, info, [=](const FakeAmdGpu& fake) {
    std::memset(info, 0, 256);
    std::memcpy(info, fake.name.data(), std::min<std::size_t>(fake.name.size(), 255));
    return amd_smi::kSuccess;
  });
}

Return amdsmi_get_energy_count(Processor gpu, std::uint64_t* counts, float* resolution,
                               std::uint64_t* at_ns) {
  if (resolution == nullptr || at_ns == nullptr) return amd_smi::kInvalid;
  return with_gpu(gpu, counts, [=](const FakeAmdGpu& fake) -> Return {
    if (!fake.energy_counts) return amd_smi::kNotSupported;
    *counts = *fake.energy_counts;
    *resolution = fake.resolution_uj;
    *at_ns = 0;
    return amd_smi::kSuccess;
  });
}

Return amdsmi_get_power_info(Processor gpu, void* info) {
  return with_gpu(gpu, info, [=](const FakeAmdGpu& fake) {
    const auto layout = power_layout();
    const FakeAmdSmi smi = fake_amd_smi();
    std::vector<std::byte> filled(layout.size + smi.extra_bytes);
    if (layout.current_at > 0)
      put(filled.data(), 0, std::uint64_t{fake.current_w.value_or(0xFFFF)});
    put(filled.data(), layout.current_at, fake.current_w.value_or(0xFFFF));
    put(filled.data(), layout.average_at, fake.average_w.value_or(0xFFFF));
    std::memcpy(info, filled.data(),
                std::min<std::size_t>(filled.size(), smi.written_bytes.value_or(UINT32_MAX)));
    return amd_smi::kSuccess;
  });
}

Return amdsmi_get_power_info_v2(Processor gpu, std::uint32_t, void* info) {
  return amdsmi_get_power_info(gpu, info);
}

Return amdsmi_get_power_cap_info(Processor gpu, std::uint32_t sensor, amd_smi::PowerCap* info) {
  constexpr std::uint64_t kMicro = 1'000'000;
  return with_gpu(gpu, info, [=](const FakeAmdGpu& fake) -> Return {
    if (!fake.cap_w || sensor != 0) return amd_smi::kNotSupported;
    *info = {};
    info->cap = *fake.cap_w * kMicro;
    info->default_cap = fake.default_cap_w.value_or(*fake.cap_w) * kMicro;
    info->highest = fake.max_cap_w.value_or(*fake.cap_w) * kMicro;
    return amd_smi::kSuccess;
  });
}

Return amdsmi_get_temp_metric(Processor gpu, int sensor, int metric, std::int64_t* celsius) {
  if (metric != amd_smi::kCurrentTemperature) return amd_smi::kNotSupported;
  if (sensor == amd_smi::kJunction) return give(gpu, celsius, &FakeAmdGpu::junction_c);
  if (sensor == amd_smi::kEdge) return give(gpu, celsius, &FakeAmdGpu::edge_c);
  return amd_smi::kNotSupported;
}

Return amdsmi_get_clock_info(Processor gpu, int clock, amd_smi::ClockInfo* info) {
  if (info == nullptr) return amd_smi::kInvalid;
  *info = {};
  if (clock == amd_smi::kGraphicsClock) return give(gpu, &info->now, &FakeAmdGpu::graphics_mhz);
  if (clock == amd_smi::kMemoryClock) return give(gpu, &info->now, &FakeAmdGpu::memory_mhz);
  return amd_smi::kNotSupported;
}

Return amdsmi_get_gpu_activity(Processor gpu, amd_smi::EngineUsage* usage) {
  if (usage == nullptr) return amd_smi::kInvalid;
  std::memset(usage, 0xFF, sizeof *usage);
  return give(gpu, &usage->graphics, &FakeAmdGpu::utilisation_percent);
}

Return amdsmi_get_gpu_memory_usage(Processor gpu, int kind, std::uint64_t* bytes) {
  if (kind != amd_smi::kVideoMemory) return amd_smi::kNotSupported;
  return give(gpu, bytes, &FakeAmdGpu::memory_used_bytes);
}

}  // extern "C"
