#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// An energy event of the kernel's `power` performance-monitoring unit.
struct PerfEnergyEvent {
  std::string name;  ///< "energy-pkg"
  std::uint64_t config = 0;
  double joules_per_count = 0;
};
/// What sysfs under `root` tells of that unit.
struct PerfEnergyUnit {
  bool present = false;
  std::uint32_t type = 0;  ///< for perf_event_open
  std::vector<int> cpus;   ///< those on which the events are opened: one a package or die
  std::vector<PerfEnergyEvent> events;
  std::vector<std::string> left_out;  ///< events whose unit or scale is not stated in joules
};
PerfEnergyUnit perf_energy_unit(const std::filesystem::path& root);

/// An open event, counting since it was opened.
class PerfCounter {
 public:
  virtual ~PerfCounter() = default;
  /// Errors by kind: unavailable (its CPU went offline), retry.
  virtual Result<std::uint64_t> count() = 0;
};
using OpenPerfCounter = std::function<Result<std::unique_ptr<PerfCounter>>(
    std::uint32_t type, std::uint64_t config, int cpu)>;

/// Opens an event for all that runs on a CPU, by perf_event_open(2). An error of kind missing; its
/// hint tells what gives the right.
Result<std::unique_ptr<PerfCounter>> open_perf_counter(std::uint32_t type, std::uint64_t config,
                                                       int cpu);

}  // namespace tokenjoule
