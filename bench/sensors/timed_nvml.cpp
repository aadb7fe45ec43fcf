// An NVML library that hands each call on to another one and adds up what it costs there. Holds the
// functions that our sensor calls. The reads of the thread's CPU clock are mostly outside the span
// that they measure, so what this library itself costs counts as the caller's.
#include "timed_nvml.hpp"

#include <atomic>
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>

#include "devices/nvml_abi.hpp"

namespace tokenjoule::bench {
namespace {

using nvml::Device;
using nvml::Return;

std::atomic<std::int64_t> calls, cpu_ns;

std::int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void* next_symbol(const char* name) {
  static void* const library = [] {
    const char* const path = std::getenv(kTimedLibraryVariable);
    return path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }();
  return library == nullptr ? nullptr : dlsym(library, name);
}

/// A function of the other library.
template <typename... Arguments>
class Next {
 public:
  explicit Next(const char* name)
      : entry_(reinterpret_cast<Return (*)(Arguments...)>(next_symbol(name))) {}

  Return operator()(Arguments... arguments) const {
    if (entry_ == nullptr) return nvml::kFunctionNotFound;
    const std::int64_t before = thread_cpu_ns();
    const Return code = entry_(arguments...);
    cpu_ns += thread_cpu_ns() - before;
    ++calls;
    return code;
  }

 private:
  Return (*entry_)(Arguments...);
};

}  // namespace
}  // namespace tokenjoule::bench

using namespace tokenjoule;         // the entry points are NVML's, outside any namespace
using namespace tokenjoule::bench;  // likewise

extern "C" {

void timed_nvml_totals(LibraryTotals* totals) { *totals = {calls, cpu_ns}; }

Return nvmlInit_v2() {
  static const Next<> next("nvmlInit_v2");
  return next();
}

Return nvmlShutdown() {
  static const Next<> next("nvmlShutdown");
  return next();
}

Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  static const Next<char*, unsigned> next("nvmlSystemGetDriverVersion");
  return next(version, length);
}

Return nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  static const Next<char*, unsigned> next("nvmlSystemGetNVMLVersion");
  return next(version, length);
}

Return nvmlDeviceGetCount_v2(unsigned* count) {
  static const Next<unsigned*> next("nvmlDeviceGetCount_v2");
  return next(count);
}

Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  static const Next<unsigned, Device*> next("nvmlDeviceGetHandleByIndex_v2");
  return next(index, device);
}

Return nvmlDeviceGetUUID(Device device, char* text, unsigned length) {
  static const Next<Device, char*, unsigned> next("nvmlDeviceGetUUID");
  return next(device, text, length);
}

Return nvmlDeviceGetName(Device device, char* text, unsigned length) {
  static const Next<Device, char*, unsigned> next("nvmlDeviceGetName");
  return next(device, text, length);
}

Return nvmlDeviceGetPciInfo_v3(Device device, nvml::PciInfo* info) {
  static const Next<Device, nvml::PciInfo*> next("nvmlDeviceGetPciInfo_v3");
  return next(device, info);
}

Return nvmlDeviceGetArchitecture(Device device, unsigned* number) {
  static const Next<Device, unsigned*> next("nvmlDeviceGetArchitecture");
  return next(device, number);
}

Return nvmlDeviceGetPersistenceMode(Device device, int* mode) {
  static const Next<Device, int*> next("nvmlDeviceGetPersistenceMode");
  return next(device, mode);
}

Return nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  static const Next<Device, unsigned*, unsigned*> next("nvmlDeviceGetMigMode");
  return next(device, current, pending);
}

Return nvmlDeviceGetVirtualizationMode(Device device, int* mode) {
  static const Next<Device, int*> next("nvmlDeviceGetVirtualizationMode");
  return next(device, mode);
}

Return nvmlDeviceGetFieldValues(Device device, int count, nvml::FieldValue* values) {
  static const Next<Device, int, nvml::FieldValue*> next("nvmlDeviceGetFieldValues");
  return next(device, count, values);
}

Return nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* energy) {
  static const Next<Device, unsigned long long*> next("nvmlDeviceGetTotalEnergyConsumption");
  return next(device, energy);
}

Return nvmlDeviceGetPowerUsage(Device device, unsigned* power) {
  static const Next<Device, unsigned*> next("nvmlDeviceGetPowerUsage");
  return next(device, power);
}

Return nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* limit) {
  static const Next<Device, unsigned*> next("nvmlDeviceGetEnforcedPowerLimit");
  return next(device, limit);
}

Return nvmlDeviceGetPowerManagementDefaultLimit(Device device, unsigned* limit) {
  static const Next<Device, unsigned*> next("nvmlDeviceGetPowerManagementDefaultLimit");
  return next(device, limit);
}

Return nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned* lowest,
                                                    unsigned* highest) {
  static const Next<Device, unsigned*, unsigned*> next(
      "nvmlDeviceGetPowerManagementLimitConstraints");
  return next(device, lowest, highest);
}

Return nvmlDeviceGetTemperature(Device device, int sensor, unsigned* temperature) {
  static const Next<Device, int, unsigned*> next("nvmlDeviceGetTemperature");
  return next(device, sensor, temperature);
}

Return nvmlDeviceGetClockInfo(Device device, int clock, unsigned* frequency) {
  static const Next<Device, int, unsigned*> next("nvmlDeviceGetClockInfo");
  return next(device, clock, frequency);
}

Return nvmlDeviceGetUtilizationRates(Device device, nvml::Utilization* rates) {
  static const Next<Device, nvml::Utilization*> next("nvmlDeviceGetUtilizationRates");
  return next(device, rates);
}

Return nvmlDeviceGetMemoryInfo(Device device, nvml::Memory* memory) {
  static const Next<Device, nvml::Memory*> next("nvmlDeviceGetMemoryInfo");
  return next(device, memory);
}

Return nvmlDeviceGetMemoryInfo_v2(Device device, nvml::MemoryV2* memory) {
  static const Next<Device, nvml::MemoryV2*> next("nvmlDeviceGetMemoryInfo_v2");
  return next(device, memory);
}

}  // extern "C"
