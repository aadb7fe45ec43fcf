#include "devices/nvml.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/core.h>

#include "base/text.hpp"
#include "devices/nvml_error.hpp"

namespace tokenjoule {

namespace {

constexpr const char* kUsualPlaces[] = {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"};

Result<SharedLibrary> library_at_usual_place() {
  for (const char* place : kUsualPlaces) {
    if (auto library = SharedLibrary::open(place)) return library;
  }
  return failure(ErrorKind::missing,
                 fmt::format("there is no {}: no NVIDIA driver is installed here", kUsualPlaces[0]),
                 "install the NVIDIA driver; in a container, start it with the GPUs (--gpus all); "
                 "or say where the library is: --sensor nvml:library=PATH");
}

template <std::size_t Length>
std::string text_in(const std::array<char, Length>& buffer) {
  return {buffer.data(), strnlen(buffer.data(), Length)};
}

}  // namespace

template <typename... Arguments>
Status Nvml::call(const char* function, Arguments... arguments) const {
  auto* const entry = library_.function<nvml::Return(Arguments...)>(function);
  if (entry == nullptr) return unexpected(nvml_lacks(function));
  const nvml::Return code = entry(arguments...);
  if (code != nvml::kSuccess) return unexpected(nvml_error(code, function));
  return {};
}

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& library) {
  TRY(auto shared, library.empty() ? library_at_usual_place() : SharedLibrary::open(library));
  if (shared.function<nvml::Return()>("nvmlInit_v2") == nullptr) {
    return failure(ErrorKind::missing,
                   fmt::format("{} is not NVIDIA's management library: it has no nvmlInit_v2",
                               library.empty() ? "libnvidia-ml.so.1" : library),
                   "name libnvidia-ml.so.1, or leave the path out");
  }
  TRY_DO(shared.need_function<nvml::Return()>("nvmlShutdown"));
  // Not yet an Nvml, whose end would shut down what was never initialised.
  const nvml::Return code = shared.function<nvml::Return()>("nvmlInit_v2")();
  if (code != nvml::kSuccess) return unexpected(nvml_error(code, "nvmlInit_v2"));
  return std::unique_ptr<Nvml>(new Nvml(std::move(shared)));
}

Nvml::~Nvml() { static_cast<void>(call("nvmlShutdown")); }

Result<std::string> Nvml::system_text_from(const char* function) const {
  std::array<char, nvml::kVersionLength> text{};
  TRY_DO(call(function, text.data(), static_cast<unsigned>(text.size())));
  return text_in(text);
}

Result<std::string> Nvml::text_from(const char* function, nvml::Device device) const {
  std::array<char, nvml::kUuidLength> text{};
  TRY_DO(call(function, device, text.data(), static_cast<unsigned>(text.size())));
  return text_in(text);
}

Result<unsigned> Nvml::number_from(const char* function, nvml::Device device) const {
  unsigned number = 0;
  TRY_DO(call(function, device, &number));
  return number;
}

Result<std::string> Nvml::driver_version() const {
  return system_text_from("nvmlSystemGetDriverVersion");
}
Result<std::string> Nvml::library_version() const {
  return system_text_from("nvmlSystemGetNVMLVersion");
}

Result<unsigned> Nvml::device_count() const {
  unsigned count = 0;
  TRY_DO(call("nvmlDeviceGetCount_v2", &count));
  return count;
}

Result<nvml::Device> Nvml::device(unsigned index) const {
  nvml::Device device = nullptr;
  TRY_DO(call("nvmlDeviceGetHandleByIndex_v2", index, &device));
  return device;
}

Result<std::string> Nvml::uuid(nvml::Device device) const {
  return text_from("nvmlDeviceGetUUID", device);
}
Result<std::string> Nvml::name(nvml::Device device) const {
  return text_from("nvmlDeviceGetName", device);
}

Result<nvml::PciInfo> Nvml::pci_info(nvml::Device device) const {
  nvml::PciInfo info{};
  TRY_DO(call("nvmlDeviceGetPciInfo_v3", device, &info));
  return info;
}

Result<unsigned> Nvml::architecture(nvml::Device device) const {
  return number_from("nvmlDeviceGetArchitecture", device);
}

Result<bool> Nvml::persistence_mode(nvml::Device device) const {
  int mode = 0;
  TRY_DO(call("nvmlDeviceGetPersistenceMode", device, &mode));
  return mode == nvml::kEnabled;
}

Result<bool> Nvml::mig_mode(nvml::Device device) const {
  unsigned current = 0;
  unsigned pending = 0;
  TRY_DO(call("nvmlDeviceGetMigMode", device, &current, &pending));
  return current == nvml::kEnabled;
}

Result<int> Nvml::virtualization_mode(nvml::Device device) const {
  int mode = 0;
  TRY_DO(call("nvmlDeviceGetVirtualizationMode", device, &mode));
  return mode;
}

Status Nvml::field_values(nvml::Device device, std::span<nvml::FieldValue> values) const {
  return call("nvmlDeviceGetFieldValues", device, static_cast<int>(values.size()), values.data());
}

Result<std::uint64_t> Nvml::total_energy_mj(nvml::Device device) const {
  unsigned long long energy = 0;
  TRY_DO(call("nvmlDeviceGetTotalEnergyConsumption", device, &energy));
  return energy;
}

Result<unsigned> Nvml::power_usage_mw(nvml::Device device) const {
  return number_from("nvmlDeviceGetPowerUsage", device);
}
Result<unsigned> Nvml::enforced_limit_mw(nvml::Device device) const {
  return number_from("nvmlDeviceGetEnforcedPowerLimit", device);
}
Result<unsigned> Nvml::requested_limit_mw(nvml::Device device) const {
  return number_from("nvmlDeviceGetPowerManagementLimit", device);
}
Result<unsigned> Nvml::default_limit_mw(nvml::Device device) const {
  return number_from("nvmlDeviceGetPowerManagementDefaultLimit", device);
}

Result<Nvml::LimitRange> Nvml::limit_range(nvml::Device device) const {
  LimitRange range;
  TRY_DO(
      call("nvmlDeviceGetPowerManagementLimitConstraints", device, &range.min_mw, &range.max_mw));
  return range;
}

Result<unsigned> Nvml::temperature_c(nvml::Device device) const {
  unsigned temperature = 0;
  TRY_DO(call("nvmlDeviceGetTemperature", device, static_cast<int>(nvml::kGpuTemperature),
              &temperature));
  return temperature;
}

Result<unsigned> Nvml::clock_mhz(nvml::Device device, nvml::Clock clock) const {
  unsigned frequency = 0;
  TRY_DO(call("nvmlDeviceGetClockInfo", device, static_cast<int>(clock), &frequency));
  return frequency;
}

Result<unsigned> Nvml::utilisation_percent(nvml::Device device) const {
  nvml::Utilization utilization{};
  TRY_DO(call("nvmlDeviceGetUtilizationRates", device, &utilization));
  return utilization.gpu_percent;
}

Result<std::uint64_t> Nvml::memory_used_bytes(nvml::Device device) const {
  nvml::MemoryV2 memory{};
  memory.version = nvml::kMemoryV2;
  if (call("nvmlDeviceGetMemoryInfo_v2", device, &memory)) return memory.used;
  nvml::Memory older{};
  TRY_DO(call("nvmlDeviceGetMemoryInfo", device, &older));
  return older.used;
}

Result<std::vector<NvmlProcess>> Nvml::processes_from(const char* function,
                                                      nvml::Device device) const {
  auto* const entry = library_.function<nvml::Return(nvml::Device, unsigned*, void*)>(function);
  if (entry == nullptr) return unexpected(nvml_lacks(function));
  unsigned capacity = 64;
  // Processes may come while the list is read: ask again with more room, a few times.
  for (int tries = 0; tries < 5; ++tries) {
    std::vector<std::byte> buffer((capacity + 1) * kLongestProcessEntry, kProcessFill);
    unsigned count = capacity;
    const nvml::Return code = entry(device, &count, buffer.data());
    if (code == nvml::kSuccess) return nvml_processes_in(buffer, count);
    if (code != nvml::kInsufficientSize) return unexpected(nvml_error(code, function));
    capacity = std::max(capacity, count) * 2;
  }
  return unexpected(nvml_error(nvml::kInsufficientSize, function));
}

Result<std::vector<NvmlProcess>> Nvml::processes_of_handle(nvml::Device device) const {
  Result<std::vector<NvmlProcess>> processes = unexpected(nvml_lacks("list of processes"));
  for (const char* function :
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
        "nvmlDeviceGetComputeRunningProcesses"}) {
    if (library_.function<void()>(function) == nullptr) continue;
    processes = processes_from(function, device);
    break;
  }
  if (!processes) return processes;
  // Clients of an MPS server stand in a list of their own on some drivers.
  for (const char* function : {"nvmlDeviceGetMPSComputeRunningProcesses_v3",
                               "nvmlDeviceGetMPSComputeRunningProcesses_v2"}) {
    const auto clients = processes_from(function, device);
    if (!clients) continue;
    processes->insert(processes->end(), clients->begin(), clients->end());
    break;
  }
  return processes;
}

std::vector<nvml::Device> Nvml::mig_devices(nvml::Device device) const {
  std::vector<nvml::Device> instances;
  const auto most = number_from("nvmlDeviceGetMaxMigDeviceCount", device);
  for (unsigned i = 0; most && i < *most; ++i) {
    nvml::Device instance = nullptr;
    if (call("nvmlDeviceGetMigDeviceHandleByIndex", device, i, &instance)) {
      instances.push_back(instance);
    }
  }
  return instances;
}

Result<std::vector<NvmlProcess>> Nvml::compute_processes(nvml::Device device) const {
  auto processes = processes_of_handle(device);
  if (!mig_mode(device).value_or(false)) return processes;
  // With MIG on, the whole GPU lists its processes only to some; its instances list their own.
  std::vector<NvmlProcess> all = processes ? *processes : std::vector<NvmlProcess>();
  bool any = processes.has_value();
  for (const nvml::Device instance : mig_devices(device)) {
    const auto own = processes_of_handle(instance);
    if (!own) continue;
    any = true;
    all.insert(all.end(), own->begin(), own->end());
  }
  if (!any) return processes;
  return all;
}

}  // namespace tokenjoule
