#pragma once

#include <cstddef>
#include <cstdint>

/// The part of AMD SMI's binary interface (libamd_smi.so) that is used here, declared by ourselves
/// since its header changes from one release to the next. Sizes and places by ROCm/amdsmi,
/// include/amd_smi/amdsmi.h and py-interface/amdsmi_wrapper.py of ROCm 6.1, 6.2, 6.3 (SONAME 24),
/// 6.4 (25) and 7.0 (26).
namespace tokenjoule::amd_smi {

using Socket = void*;
using Processor = void*;
using Return = int;

constexpr Return kSuccess = 0;
constexpr Return kInvalid = 1;
constexpr Return kNotSupported = 2;
constexpr Return kNotYetImplemented = 3;
constexpr Return kFailLoadModule = 4;
constexpr Return kFailLoadSymbol = 5;
constexpr Return kDrmError = 6;
constexpr Return kApiFailed = 7;
constexpr Return kTimeout = 8;
constexpr Return kRetry = 9;
constexpr Return kNoPermission = 10;
constexpr Return kInterrupt = 11;
constexpr Return kIo = 12;
constexpr Return kFileError = 14;
constexpr Return kInternalException = 16;
constexpr Return kInitError = 18;
constexpr Return kBusy = 30;
constexpr Return kNotFound = 31;
constexpr Return kNotInit = 32;
constexpr Return kDriverNotLoaded = 34;
constexpr Return kNoData = 40;

constexpr std::uint64_t kInitGpus = 2;
constexpr std::uint32_t kAmdGpu = 1;  ///< a processor's type
constexpr int kJunction = 1;          ///< sensors of temperature
constexpr int kEdge = 0;
constexpr int kCurrentTemperature = 0;
constexpr int kGraphicsClock = 0;
constexpr int kMemoryClock = 4;
constexpr int kVideoMemory = 0;

/// "Not available" in 32 and 16 bits; the library widens the latter.
constexpr std::uint64_t kNone16 = 0xFFFF;
constexpr std::uint64_t kNone32 = 0xFFFF'FFFF;

/// Where the powers are in what amdsmi_get_power_info fills in; in watts.
struct PowerLayout {
  std::uint32_t major;
  std::size_t size;
  std::size_t current_at;  ///< u32
  std::size_t average_at;  ///< u32
  std::size_t limit_at;    ///< u32, the last member that every version of that number fills in
};
constexpr PowerLayout kPowerLayouts[] = {
    {24, 68, 0, 4, 20}, {25, 40, 8, 12, 28}, {26, 192, 8, 12, 40}};

/// amdsmi_power_cap_info_t: microwatts.
struct PowerCap {
  std::uint64_t cap;
  std::uint64_t default_cap;
  std::uint64_t dpm_cap;
  std::uint64_t lowest;
  std::uint64_t highest;
  std::uint64_t reserved[3];
};
static_assert(sizeof(PowerCap) == 64);

/// amdsmi_clk_info_t: megahertz. What is behind the first three differs.
struct ClockInfo {
  std::uint32_t now;
  std::uint32_t lowest;
  std::uint32_t highest;
  std::uint32_t reserved[5];
};
static_assert(sizeof(ClockInfo) == 32);

/// amdsmi_engine_usage_t: percent.
struct EngineUsage {
  std::uint32_t graphics;
  std::uint32_t memory_controller;
  std::uint32_t media;
  std::uint32_t reserved[13];
};
static_assert(sizeof(EngineUsage) == 64);

/// amdsmi_version_t. From 26 on: major, minor, release and nothing. Before: a year, major, minor,
/// release, of which none need be the SONAME's (6.3.3 states 25.1.0.0, 6.4.0 states 25 as major).
constexpr std::uint32_t kFirstWithoutYear = 26;
struct Version {
  std::uint32_t numbers[4];
  const char* build;
};

/// amdsmi_bdf_t: function 3 bits, device 5, bus 8, domain 48.
using Bdf = std::uint64_t;

}  // namespace tokenjoule::amd_smi
