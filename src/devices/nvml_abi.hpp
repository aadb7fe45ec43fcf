#pragma once

#include <cstddef>
#include <cstdint>

/// The few parts of NVML's binary interface that we use, in declarations of our own. Sizes, offsets
/// and numbers: nvml.h of NVML 13.3 (NVIDIA/go-nvml, gen/nvml/nvml.h), held by static_assert below.
/// Names with a version are asked for as the library exports them (nvmlInit_v2, not nvmlInit).
namespace tokenjoule::nvml {

using Device = void*;  ///< nvmlDevice_t, opaque
using Return = int;    ///< nvmlReturn_t

enum : Return {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kLibraryNotFound = 12,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kResetRequired = 16,
  kOperatingSystem = 17,
  kVersionMismatch = 18,
  kInUse = 19,
  kMemory = 20,
  kArgumentVersionMismatch = 25,
  kDeprecated = 26,
  kNotReady = 27,
  kGpuNotFound = 28,
  kUnknown = 999,
};

constexpr std::size_t kUuidLength = 96;     ///< nvmlDeviceGetUUID, nvmlDeviceGetName
constexpr std::size_t kVersionLength = 80;  ///< nvmlSystemGetDriverVersion, …NVMLVersion

/// nvmlValueType_t
enum ValueType : std::int32_t {
  kDouble = 0,
  kUnsignedInt = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4,
  kSignedInt = 5,
  kUnsignedShort = 6,
};

union Value {
  double real;
  std::uint32_t unsigned_int;
  unsigned long unsigned_long;
  std::uint64_t unsigned_long_long;
  std::int64_t signed_long_long;
  std::int32_t signed_int;
  std::uint16_t unsigned_short;
};
static_assert(sizeof(Value) == 8);

/// nvmlFieldValue_t: asked with field and scope, answered with the rest. `value` means something
/// only where `result` is kSuccess.
struct FieldValue {
  std::uint32_t field = 0;
  std::uint32_t scope = 0;
  std::int64_t timestamp_us = 0;  ///< since 1970
  std::int64_t latency_us = 0;
  std::int32_t type = 0;
  Return result = kUnknown;
  Value value{};
};
static_assert(sizeof(FieldValue) == 40);
static_assert(offsetof(FieldValue, scope) == 4);
static_assert(offsetof(FieldValue, timestamp_us) == 8);
static_assert(offsetof(FieldValue, latency_us) == 16);
static_assert(offsetof(FieldValue, type) == 24);
static_assert(offsetof(FieldValue, result) == 28);
static_assert(offsetof(FieldValue, value) == 32);

/// nvmlPciInfo_t, as nvmlDeviceGetPciInfo_v3 fills it
struct PciInfo {
  char bus_id_legacy[16];
  std::uint32_t domain;
  std::uint32_t bus;
  std::uint32_t device;
  std::uint32_t device_id;
  std::uint32_t subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);
static_assert(offsetof(PciInfo, domain) == 16);
static_assert(offsetof(PciInfo, bus) == 20);
static_assert(offsetof(PciInfo, device) == 24);
static_assert(offsetof(PciInfo, device_id) == 28);
static_assert(offsetof(PciInfo, subsystem_id) == 32);
static_assert(offsetof(PciInfo, bus_id) == 36);

/// nvmlProcessInfo_v1_t
struct ProcessInfoV1 {
  std::uint32_t pid;
  std::uint64_t memory_used;
};
static_assert(sizeof(ProcessInfoV1) == 16);
static_assert(offsetof(ProcessInfoV1, memory_used) == 8);

/// nvmlProcessInfo_v2_t, also what _v3 writes
struct ProcessInfoV2 {
  std::uint32_t pid;
  std::uint64_t memory_used;
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
};
static_assert(sizeof(ProcessInfoV2) == 24);
static_assert(offsetof(ProcessInfoV2, gpu_instance) == 16);
static_assert(offsetof(ProcessInfoV2, compute_instance) == 20);

/// What _v3 of drivers 535 before 535.98 wrote instead
struct ProcessInfoLong {
  std::uint32_t pid;
  std::uint64_t memory_used;
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
  std::uint64_t memory_protected;
};
static_assert(sizeof(ProcessInfoLong) == 32);
static_assert(offsetof(ProcessInfoLong, memory_protected) == 24);

constexpr std::uint64_t kMemoryNotAvailable = 0xFFFF'FFFF'FFFF'FFFF;

/// nvmlUtilization_t
struct Utilization {
  std::uint32_t gpu_percent;
  std::uint32_t memory_percent;
};
static_assert(sizeof(Utilization) == 8);

/// nvmlMemory_t
struct Memory {
  std::uint64_t total;
  std::uint64_t free;
  std::uint64_t used;
};
static_assert(sizeof(Memory) == 24);

/// nvmlMemory_v2_t: here `used` leaves out what the driver keeps for itself
struct MemoryV2 {
  std::uint32_t version;
  std::uint64_t total;
  std::uint64_t reserved;
  std::uint64_t free;
  std::uint64_t used;
};
static_assert(sizeof(MemoryV2) == 40);
constexpr std::uint32_t kMemoryV2 = 0x0200'0028;

/// Fields of nvmlDeviceGetFieldValues
enum Field : std::uint32_t {
  kPowerCappedTime = 74,  ///< ns; NVML_FI_DEV_PERF_POLICY_POWER, …CLOCKS_EVENT_REASON_SW_POWER_CAP
  kThermalPolicyTime = 75,  ///< ns; NVML_FI_DEV_PERF_POLICY_THERMAL
  kTotalEnergy = 83,        ///< mJ since the driver was loaded
  kPowerAverage = 185,      ///< mW, mean over 1 s; Ampere (not GA100) and later
  kPowerInstant = 186,      ///< mW
  kMinLimit = 187,          ///< mW
  kMaxLimit = 188,
  kDefaultLimit = 189,
  kEnforcedLimit = 190,
  kEnergy = 191,  ///< mJ, with a scope
  kRequestedLimit = 192,
};

/// Scopes of fields 185 to 192
enum Scope : std::uint32_t { kScopeGpu = 0, kScopeModule = 1 };

enum Clock : int { kSmClock = 1, kMemoryClock = 2 };  ///< nvmlClockType_t
enum TemperatureSensor : int { kGpuTemperature = 0 };
enum EnableState : int { kDisabled = 0, kEnabled = 1 };
enum VirtualizationMode : int { kBareMetal = 0, kPassThrough = 1, kVirtualGpu = 2 };

/// nvmlDeviceArchitecture_t
enum Architecture : std::uint32_t {
  kKepler = 2,
  kMaxwell = 3,
  kPascal = 4,
  kVolta = 5,
  kTuring = 6,
  kAmpere = 7,
  kAda = 8,
  kHopper = 9,
  kBlackwell = 10,
  kRubin = 13,
};

}  // namespace tokenjoule::nvml
