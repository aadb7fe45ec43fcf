#pragma once

#include <cstdint>

namespace tokenjoule::bench {

/// Names the library that timed_nvml hands all calls on to.
constexpr char kTimedLibraryVariable[] = "TOKENJOULE_TIMED_LIBRARY";

/// What was spent behind timed_nvml's entry points so far.
struct LibraryTotals {
  std::int64_t calls = 0;
  std::int64_t cpu_ns = 0;  ///< of the calling threads
};
/// timed_nvml's own entry point, found by this name.
using ReadTotals = void(LibraryTotals*);
constexpr char kReadTotals[] = "timed_nvml_totals";

}  // namespace tokenjoule::bench
