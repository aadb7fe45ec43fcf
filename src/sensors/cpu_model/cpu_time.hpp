#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/quantity.hpp"
#include "base/result.hpp"

namespace tokenjoule {

/// CPU time of all cores together since boot, out of the first line of /proc/stat: user, nice,
/// system, irq and softirq. Idle, iowait and stolen time (a neighbour's, on a virtual machine) are
/// left out; guest time is part of user. See proc(5).
Result<Seconds> busy_time_in(std::string_view proc_stat, double ticks_per_second);

/// One line of /proc/PID/stat.
struct ProcessTimes {
  int pid = 0;
  int parent = 0;
  Seconds own;       ///< user and system time
  Seconds children;  ///< of children that have ended and were waited for, with theirs
};
/// nullopt if the text is not such a line. A name with blanks and brackets in it is fine.
std::optional<ProcessTimes> process_times_in(std::string_view stat, double ticks_per_second);

/// CPU time of a process, its living descendants, and those of all of them that were waited for.
/// An absent process is an error of kind gone.
/// @param proc the folder where procfs is mounted.
Result<Seconds> tree_time(const std::filesystem::path& proc, int root, double ticks_per_second);

}  // namespace tokenjoule
