#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "devices/nvml_abi.hpp"
#include "sim/fake_nvml/library/answers.hpp"
#include "sim/fake_nvml/library/fake_fields.hpp"
#include "sim/fake_nvml/library/fake_state.hpp"
#include "sim/fake_nvml/shared_state.hpp"

namespace tokenjoule {

namespace {

Return put(const std::string& text, char* out, unsigned length) {
  if (out == nullptr) return nvml::kInvalidArgument;
  if (length <= text.size()) return nvml::kInsufficientSize;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return nvml::kSuccess;
}

std::string uuid_of(const Target& target) {
  const std::string uuid = target.gpu.uuid;
  if (target.handle.instance == 0) return uuid;
  // MIG-…: the GPU's own UUID with the instance in its last place, so that it stays the same.
  std::string instance = "MIG-" + uuid.substr(std::min<std::size_t>(4, uuid.size()));
  if (!instance.empty()) instance.back() = static_cast<char>('0' + target.handle.instance);
  return instance;
}

Return open_gpu(unsigned index, Device* device) {
  if (!fake_nvml_is_started()) return nvml::kUninitialized;
  if (device == nullptr || index >= std::min(fake_gpu_count(), kFakeGpus)) {
    return nvml::kInvalidArgument;
  }
  const auto gpu = fake_gpu(index);
  if (gpu && gpu->open_result != 0) return gpu->open_result;
  *device = handle_of(index, 0);
  return nvml::kSuccess;
}

template <typename Entry>
void write_entry(const FakeProcess& process, unsigned instance, void* out, std::size_t index) {
  Entry entry{};
  entry.pid = process.pid;
  entry.memory_used = process.memory_bytes;
  if constexpr (sizeof(Entry) > sizeof(nvml::ProcessInfoV1)) {
    entry.gpu_instance = instance == 0 ? 0xFFFF'FFFF : instance - 1;
    entry.compute_instance = instance == 0 ? 0xFFFF'FFFF : 0;
  }
  std::memcpy(static_cast<char*>(out) + index * sizeof entry, &entry, sizeof entry);
}

/// With MIG on, the first instance lists all processes and the whole GPU none to whom it may not.
Return list_processes(Device device, unsigned* count, void* out,
                      void (*write)(const FakeProcess&, unsigned, void*, std::size_t),
                      bool may_be_long) {
  return answer(device, count, Scope::also_instance,
                [=](const Target& target, unsigned& room) -> Return {
                  const bool whole = target.handle.instance == 0;
                  if (whole && target.gpu.mig_instances > 0) return nvml::kNoPermission;
                  const unsigned listed = target.handle.instance > 1 ? 0 : target.gpu.process_count;
                  const unsigned given = room;
                  room = listed;
                  if (listed == 0) return nvml::kSuccess;
                  if (given < listed || out == nullptr) return nvml::kInsufficientSize;
                  const bool long_entries = may_be_long && target.gpu.offers(kFakeLongProcesses);
                  for (unsigned i = 0; i < listed; ++i) {
                    const auto entry = long_entries ? write_entry<nvml::ProcessInfoLong> : write;
                    entry(target.gpu.processes[i], target.handle.instance, out, i);
                  }
                  return nvml::kSuccess;
                });
}

}  // namespace

}  // namespace tokenjoule

using namespace tokenjoule;  // the entry points are NVML's, outside any namespace

// Nothing else can be seen from outside: exports.map.
extern "C" {

Return nvmlInit_v2() { return start_fake_nvml(); }
Return nvmlInitWithFlags(unsigned) { return start_fake_nvml(); }
Return nvmlShutdown() { return stop_fake_nvml(); }

const char* nvmlErrorString(Return code) {
  switch (code) {
    case nvml::kSuccess: return "Success";
    case nvml::kUninitialized: return "Uninitialized";
    case nvml::kInvalidArgument: return "Invalid Argument";
    case nvml::kNotSupported: return "Not Supported";
    case nvml::kNoPermission: return "Insufficient Permissions";
    case nvml::kNotFound: return "Not Found";
    case nvml::kInsufficientSize: return "Insufficient Size";
    case nvml::kDriverNotLoaded: return "Driver Not Loaded";
    case nvml::kTimeout: return "Timeout";
    case nvml::kGpuIsLost: return "GPU is lost";
    default: return "Unknown Error";
  }
}

Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  if (!fake_nvml_is_started()) return nvml::kUninitialized;
  return put(fake_driver_version(), version, length);
}

Return nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  if (!fake_nvml_is_started()) return nvml::kUninitialized;
  return put("12." + fake_driver_version(), version, length);
}

Return nvmlDeviceGetCount_v2(unsigned* count) {
  if (!fake_nvml_is_started()) return nvml::kUninitialized;
  if (count == nullptr) return nvml::kInvalidArgument;
  *count = fake_gpu_count();
  return nvml::kSuccess;
}

Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  return open_gpu(index, device);
}

Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  if (uuid == nullptr) return nvml::kInvalidArgument;
  for (unsigned index = 0; index < fake_gpu_count(); ++index) {
    const auto gpu = fake_gpu(index);
    if (gpu && std::strcmp(gpu->uuid, uuid) == 0) return open_gpu(index, device);
  }
  return nvml::kNotFound;
}

Return nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Device* device) {
  if (bus_id == nullptr) return nvml::kInvalidArgument;
  for (unsigned index = 0; index < fake_gpu_count(); ++index) {
    const auto gpu = fake_gpu(index);
    if (gpu && std::strcmp(gpu->bus_id, bus_id) == 0) return open_gpu(index, device);
  }
  return nvml::kNotFound;
}

Return nvmlDeviceGetIndex(Device device, unsigned* index) {
  return answer(device, index, Scope::gpu_only, [](const Target& target, unsigned& out) -> Return {
    out = target.handle.gpu;
    return nvml::kSuccess;
  });
}

Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned length) {
  return answer(device, uuid, Scope::also_instance,
                [=](const Target& target, char&) { return put(uuid_of(target), uuid, length); });
}

Return nvmlDeviceGetName(Device device, char* name, unsigned length) {
  return answer(device, name, Scope::also_instance,
                [=](const Target& target, char&) { return put(target.gpu.name, name, length); });
}

Return nvmlDeviceGetArchitecture(Device device, unsigned* architecture) {
  return answer_member(device, architecture, &FakeGpu::architecture);
}

Return nvmlDeviceGetPersistenceMode(Device device, int* mode) {
  return answer(device, mode, Scope::gpu_only, [](const Target& target, int& out) -> Return {
    out = target.gpu.offers(kFakePersistence) ? nvml::kEnabled : nvml::kDisabled;
    return nvml::kSuccess;
  });
}

Return nvmlDeviceGetVirtualizationMode(Device device, int* mode) {
  return answer(device, mode, Scope::gpu_only, [](const Target& target, int& out) -> Return {
    out = target.gpu.offers(kFakeVirtualGpu) ? nvml::kVirtualGpu : nvml::kBareMetal;
    return nvml::kSuccess;
  });
}

Return nvmlDeviceGetPowerUsage(Device device, unsigned* power) {
  return answer(device, power, Scope::gpu_only, [](const Target& target, unsigned& out) -> Return {
    if (!target.gpu.offers(kFakePower)) return nvml::kNotSupported;
    out = target.gpu.offers(kFakeAverage) ? target.gpu.average_mw : target.gpu.instant_mw;
    return nvml::kSuccess;
  });
}

Return nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* limit) {
  return answer_member_with(kFakePower, device, limit, &FakeGpu::limit_enforced_mw);
}

Return nvmlDeviceGetPowerManagementLimit(Device device, unsigned* limit) {
  return answer_member_with(kFakePower, device, limit, &FakeGpu::limit_requested_mw);
}

Return nvmlDeviceGetPowerManagementDefaultLimit(Device device, unsigned* limit) {
  return answer_member_with(kFakePower, device, limit, &FakeGpu::limit_default_mw);
}

Return nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned* least,
                                                    unsigned* most) {
  if (most == nullptr) return nvml::kInvalidArgument;
  const Return code = answer_member_with(kFakePower, device, most, &FakeGpu::limit_max_mw);
  if (code != nvml::kSuccess) return code;
  return answer_member_with(kFakePower, device, least, &FakeGpu::limit_min_mw);
}

Return nvmlDeviceGetTemperature(Device device, int, unsigned* temperature) {
  return answer_member(device, temperature, &FakeGpu::temperature_c);
}

Return nvmlDeviceGetClockInfo(Device device, int clock, unsigned* frequency) {
  return answer_member(
      device, frequency,
      clock == nvml::kMemoryClock ? &FakeGpu::memory_clock_mhz : &FakeGpu::sm_clock_mhz);
}

Return nvmlDeviceGetUtilizationRates(Device device, nvml::Utilization* utilization) {
  return answer(device, utilization, Scope::gpu_only,
                [](const Target& target, nvml::Utilization& out) -> Return {
                  out = {target.gpu.utilisation_percent, 0};
                  return nvml::kSuccess;
                });
}

Return nvmlDeviceGetMemoryInfo(Device device, nvml::Memory* memory) {
  return answer(device, memory, Scope::gpu_only,
                [](const Target& target, nvml::Memory& out) -> Return {
                  out = {target.gpu.memory_total_bytes,
                         target.gpu.memory_total_bytes - target.gpu.memory_used_bytes,
                         target.gpu.memory_used_bytes};
                  return nvml::kSuccess;
                });
}

Return nvmlDeviceGetComputeRunningProcesses(Device device, unsigned* count, void* infos) {
  return list_processes(device, count, infos, write_entry<nvml::ProcessInfoV1>, false);
}

#ifndef TOKENJOULE_FAKE_NVML_OLD  // what a driver of 2016 had not yet

Return nvmlDeviceGetPciInfo_v3(Device device, nvml::PciInfo* info) {
  return answer(device, info, Scope::gpu_only,
                [](const Target& target, nvml::PciInfo& out) -> Return {
                  out = {};
                  std::memcpy(out.bus_id, target.gpu.bus_id, sizeof out.bus_id);
                  unsigned domain = 0, bus = 0, number = 0;
                  if (std::sscanf(out.bus_id, "%x:%x:%x", &domain, &bus, &number) == 3) {
                    std::snprintf(out.bus_id_legacy, sizeof out.bus_id_legacy, "%04X:%02X:%02X.0",
                                  domain & 0xFFFFU, bus & 0xFFU, number & 0xFFU);
                    out.domain = domain;
                    out.bus = bus;
                    out.device = number;
                  }
                  out.device_id = target.gpu.pci_device_id;
                  return nvml::kSuccess;
                });
}

Return nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* energy) {
  return answer(device, energy, Scope::gpu_only,
                [](const Target& target, unsigned long long& out) -> Return {
                  if (!target.gpu.offers(kFakeCounter)) return nvml::kNotSupported;
                  out = target.gpu.offers(kFakeModuleCounter) ? target.gpu.module_energy_mj
                                                              : target.gpu.energy_mj;
                  return nvml::kSuccess;
                });
}

Return nvmlDeviceGetFieldValues(Device device, int count, nvml::FieldValue* values) {
  if (count <= 0) return nvml::kInvalidArgument;
  return answer(
      device, values, Scope::gpu_only, [=](const Target& target, nvml::FieldValue&) -> Return {
        const std::string driver = fake_driver_version();
        std::for_each(values, values + count,
                      [&](nvml::FieldValue& field) { answer_field(target.gpu, driver, field); });
        return nvml::kSuccess;
      });
}

Return nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  if (pending == nullptr) return nvml::kInvalidArgument;
  return answer(device, current, Scope::gpu_only,
                [=](const Target& target, unsigned& out) -> Return {
                  if (target.gpu.architecture < nvml::kAmpere) return nvml::kNotSupported;
                  out = *pending = target.gpu.mig_instances > 0 ? 1 : 0;
                  return nvml::kSuccess;
                });
}

Return nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  return answer(device, count, Scope::gpu_only, [](const Target&, unsigned& out) -> Return {
    out = kMostMigInstances;
    return nvml::kSuccess;
  });
}

Return nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned index, Device* instance) {
  return answer(device, instance, Scope::gpu_only,
                [=](const Target& target, Device& out) -> Return {
                  if (index >= std::min(target.gpu.mig_instances, kMostMigInstances))
                    return nvml::kNotFound;
                  out = handle_of(target.handle.gpu, index + 1);
                  return nvml::kSuccess;
                });
}

Return nvmlDeviceGetMemoryInfo_v2(Device device, nvml::MemoryV2* memory) {
  return answer(device, memory, Scope::gpu_only,
                [](const Target& target, nvml::MemoryV2& out) -> Return {
                  if (out.version != nvml::kMemoryV2) return nvml::kArgumentVersionMismatch;
                  out.total = target.gpu.memory_total_bytes;
                  out.reserved = 0;
                  out.free = target.gpu.memory_total_bytes - target.gpu.memory_used_bytes;
                  out.used = target.gpu.memory_used_bytes;
                  return nvml::kSuccess;
                });
}

Return nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count, void* infos) {
  return list_processes(device, count, infos, write_entry<nvml::ProcessInfoV2>, false);
}

Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, void* infos) {
  return list_processes(device, count, infos, write_entry<nvml::ProcessInfoV2>, true);
}

#endif

}  // extern "C"
