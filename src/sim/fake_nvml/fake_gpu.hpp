#pragma once

#include <cstdint>
#include <type_traits>

namespace tokenjoule {

constexpr std::uint32_t kFakeProcesses = 16;

struct FakeProcess {
  std::uint32_t pid = 0;
  std::uint32_t unused = 0;
  std::uint64_t memory_bytes = 0;
};

/// What a fake GPU offers and how it behaves.
enum FakeGpuFlag : std::uint64_t {
  kFakeCounter = 0x1,         ///< has an energy counter (Volta and later)
  kFakePower = 0x2,           ///< gives power at all
  kFakeAverage = 0x4,         ///< gives the average of field 185 (Ampere and later, not GA100)
  kFakePowerFields = 0x8,     ///< knows fields 185 to 192 (drivers from about 525 on)
  kFakeModule = 0x10,         ///< a superchip: has values of the module's scope
  kFakeModuleCounter = 0x20,  ///< its counter without a scope covers the module (GH200)
  kFakeScopedCounter = 0x40,  ///< field 191 tells GPU and module apart
  kFakePersistence = 0x80,
  kFakeVirtualGpu = 0x100,
  kFakeLongProcesses = 0x200,  ///< writes process entries of 32 bytes, as drivers 535 before 535.98
};
constexpr std::uint64_t kFakeOrdinary =
    kFakeCounter | kFakePower | kFakeAverage | kFakePowerFields | kFakePersistence;

/// All that the fake library tells of one GPU at one moment. Plain bytes, since it is copied
/// through shared memory; a change of its layout is a change of FakeNvmlRegion::kVersion.
struct FakeGpu {
  char uuid[96] = {};
  char name[96] = {};
  char bus_id[32] = {};  ///< "00000000:01:00.0"
  std::uint32_t pci_device_id = 0;
  std::uint32_t architecture = 0;  ///< nvml::Architecture
  std::uint64_t flags = kFakeOrdinary;
  std::int32_t open_result = 0;  ///< NVML code that opening it gives; 0: it opens
  std::int32_t result = 0;       ///< NVML code that every call on it gives: 15 lost, 10 time-out
  std::uint64_t energy_mj = 0;   ///< of the GPU, as its counter would show it now
  std::uint64_t module_energy_mj = 0;
  std::uint32_t average_mw = 0;
  std::uint32_t instant_mw = 0;
  std::uint32_t module_average_mw = 0;
  std::uint32_t module_instant_mw = 0;
  std::uint32_t limit_enforced_mw = 0;
  std::uint32_t limit_requested_mw = 0;
  std::uint32_t limit_default_mw = 0;
  std::uint32_t limit_min_mw = 0;
  std::uint32_t limit_max_mw = 0;
  std::uint32_t module_limit_mw = 0;
  std::uint32_t temperature_c = 0;
  std::uint32_t sm_clock_mhz = 0;
  std::uint32_t memory_clock_mhz = 0;
  std::uint32_t utilisation_percent = 0;
  std::uint64_t memory_total_bytes = 0;
  std::uint64_t memory_used_bytes = 0;
  std::uint64_t power_capped_ns = 0;
  std::uint64_t sw_thermal_ns = 0;
  std::uint64_t hw_thermal_ns = 0;
  std::uint64_t power_brake_ns = 0;
  std::uint32_t mig_instances = 0;  ///< above 0: MIG is on, and processes are listed by instances
  std::uint32_t process_count = 0;
  FakeProcess processes[kFakeProcesses] = {};

  bool offers(std::uint64_t flag) const { return (flags & flag) != 0; }
};
static_assert(std::is_trivially_copyable_v<FakeGpu>);
static_assert(sizeof(FakeGpu) % 8 == 0);

}  // namespace tokenjoule
