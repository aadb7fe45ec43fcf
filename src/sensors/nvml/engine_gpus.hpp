#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.hpp"
#include "io/process_tree.hpp"

namespace tokenjoule {

/// The compute processes on one GPU.
struct GpuProcesses {
  std::string uuid;
  std::vector<pid_t> pids;
  std::string unknown;     ///< why they cannot be listed; "" if they are
  bool simulated = false;  ///< its pids are of this machine in any case
};

struct ForeignProcess {
  std::string gpu;  ///< UUID
  pid_t pid = 0;
  std::string name;  ///< the kernel's short name; "" if we may not see the process
};

struct EngineGpusQuestion {
  std::uint16_t port = 0;  ///< the engine listens there, on this machine
  std::string library;     ///< of NVML; "": the driver's
  std::filesystem::path proc = "/proc";
};

struct EngineGpus {
  std::vector<std::string> uuids;       ///< in NVML's order, at least one
  std::string how;                      ///< "computed on by the processes of vllm (pid 4711)"
  std::vector<pid_t> processes;         ///< the engine's, sorted
  std::vector<ForeignProcess> foreign;  ///< others that compute on these GPUs
};

/// The GPUs with compute processes of the program that listens at the port. Nothing is guessed:
/// where it cannot be seen the error (`missing`) says why, and what else points to GPUs.
Result<EngineGpus> engine_gpus(const EngineGpusQuestion& question);

/// Who else computes on some GPUs.
struct ForeignProcesses {
  std::vector<ForeignProcess> processes;
  std::string unknown;  ///< why it cannot be told; "" if it can
};
/// @param engine processes that are not foreign, sorted.
ForeignProcesses foreign_processes(const std::vector<std::string>& uuids,
                                   const std::vector<pid_t>& engine,
                                   const EngineGpusQuestion& question);

/// Asks the driver for the processes on each GPU that we may open.
Result<std::vector<GpuProcesses>> gpu_processes(const std::string& library);

// The parts that decide:

/// GPUs on which one of these processes computes.
std::vector<std::string> gpus_of_processes(const std::vector<pid_t>& processes,
                                           const std::vector<GpuProcesses>& gpus);

/// Processes on those GPUs that are not the engine's.
std::vector<ForeignProcess> foreign_on(const std::vector<std::string>& uuids,
                                       const std::vector<pid_t>& engine,
                                       const std::vector<GpuProcesses>& gpus,
                                       const std::vector<ProcessEntry>& processes);

/// The engine's processes: those that hold the listening socket with all that they started. Where
/// none of them computes on a GPU (a router, a front end), also their parent's, as long as it is of
/// the same process group and did not start us: a script that starts engine and measurement may
/// start other engines, too. Error: several programs listen, or no process of theirs computes.
struct EngineTree {
  pid_t root = 0;
  std::vector<pid_t> processes;  ///< sorted
};
Result<EngineTree> engine_tree(const std::vector<pid_t>& listeners,
                               const std::vector<ProcessEntry>& processes,
                               const std::vector<GpuProcesses>& gpus, pid_t own);

}  // namespace tokenjoule
