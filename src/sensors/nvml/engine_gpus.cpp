#include "sensors/nvml/engine_gpus.hpp"

#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <unistd.h>

#include "base/text.hpp"
#include "devices/nvml.hpp"
#include "io/file.hpp"
#include "sensors/nvml/nvml_gpus.hpp"
#include "sensors/nvml/visible_devices.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kContainer =
    "in a container the driver names processes by numbers that are not seen here";

const ProcessEntry* entry_of(pid_t pid, const std::vector<ProcessEntry>& processes) {
  const auto at = std::find_if(processes.begin(), processes.end(),
                               [&](const ProcessEntry& entry) { return entry.pid == pid; });
  return at == processes.end() ? nullptr : &*at;
}

bool contains(const std::vector<pid_t>& sorted, pid_t pid) {
  return std::binary_search(sorted.begin(), sorted.end(), pid);
}

std::string name_of(pid_t pid, const std::vector<ProcessEntry>& processes) {
  const ProcessEntry* const entry = entry_of(pid, processes);
  return entry == nullptr ? std::string() : entry->name;
}

/// Those that are not children or grandchildren of another one.
std::vector<pid_t> topmost(const std::vector<pid_t>& pids,
                           const std::vector<ProcessEntry>& processes) {
  std::set<pid_t> below;
  for (const pid_t pid : pids) {
    for (const pid_t other : descendants_of(pid, processes)) {
      if (other != pid) below.insert(other);
    }
  }
  std::vector<pid_t> top;
  std::copy_if(pids.begin(), pids.end(), std::back_inserter(top),
               [&](pid_t pid) { return below.count(pid) == 0; });
  return top;
}

/// The parent, where it may count as part of the engine.
const ProcessEntry* usable_parent(const ProcessEntry& child,
                                  const std::vector<ProcessEntry>& processes, pid_t own) {
  if (child.parent <= 1) return nullptr;
  const ProcessEntry* const parent = entry_of(child.parent, processes);
  if (parent == nullptr || parent->group != child.group) return nullptr;
  return contains(descendants_of(parent->pid, processes), own) ? nullptr : parent;
}

/// One process above all listeners, else nullptr.
const ProcessEntry* common_root(const std::vector<pid_t>& listeners,
                                const std::vector<ProcessEntry>& processes, pid_t own) {
  const auto top = topmost(listeners, processes);
  const ProcessEntry* const first = top.empty() ? nullptr : entry_of(top.front(), processes);
  if (first == nullptr || top.size() == 1) return first;
  const bool siblings = std::all_of(top.begin(), top.end(), [&](pid_t pid) {
    const ProcessEntry* const entry = entry_of(pid, processes);
    return entry != nullptr && entry->parent == first->parent;
  });
  return siblings ? usable_parent(*first, processes, own) : nullptr;
}

bool all_simulated(const std::vector<GpuProcesses>& gpus) {
  return !gpus.empty() && std::all_of(gpus.begin(), gpus.end(),
                                      [](const GpuProcesses& gpu) { return gpu.simulated; });
}

std::string why_unseen(const std::vector<GpuProcesses>& gpus, const std::filesystem::path& proc) {
  if (!all_simulated(gpus) && !sees_host_pids(proc)) return std::string(kContainer);
  for (const GpuProcesses& gpu : gpus) {
    if (!gpu.unknown.empty()) return fmt::format("{}: {}", gpu.uuid, gpu.unknown);
  }
  return "";
}

/// What the environment of the engine says, as far as we may read it.
std::string environment_hint(const std::vector<pid_t>& listeners,
                             const std::filesystem::path& proc) {
  for (const pid_t pid : listeners) {
    const auto bytes = file_bytes(proc / std::to_string(pid) / "environ");
    if (!bytes) continue;
    if (const auto value = environment_value(*bytes, "CUDA_VISIBLE_DEVICES")) {
      return fmt::format("name them with --gpus; its process {} has {}", pid,
                         words_for_visible_devices(*value));
    }
  }
  return "name them with --gpus";
}

Error with_hint(Error error, std::string hint) {
  if (error.hint.empty()) error.hint = std::move(hint);
  return error;
}

Result<GpuProcesses> processes_of_gpu(const Nvml& nvml, unsigned index) {
  TRY(const nvml::Device device, nvml.device(index));
  TRY(const std::string uuid, nvml.uuid(device));
  GpuProcesses gpu{.uuid = uuid, .simulated = is_simulated_gpu(uuid)};
  if (const auto processes = nvml.compute_processes(device)) {
    for (const NvmlProcess& process : *processes) {
      gpu.pids.push_back(static_cast<pid_t>(process.pid));
    }
  } else {
    gpu.unknown = processes.error().message;
  }
  return gpu;
}

}  // namespace

Result<std::vector<GpuProcesses>> gpu_processes(const std::string& library) {
  TRY(const auto nvml, Nvml::open(library));
  TRY(const unsigned count, nvml->device_count());
  std::vector<GpuProcesses> gpus;
  for (unsigned index = 0; index < count; ++index) {
    // One that we may not open is not ours to measure either.
    if (auto gpu = processes_of_gpu(*nvml, index)) gpus.push_back(std::move(*gpu));
  }
  return gpus;
}

std::vector<std::string> gpus_of_processes(const std::vector<pid_t>& processes,
                                           const std::vector<GpuProcesses>& gpus) {
  std::vector<std::string> uuids;
  for (const GpuProcesses& gpu : gpus) {
    const bool used = std::any_of(gpu.pids.begin(), gpu.pids.end(), [&](pid_t pid) {
      return std::find(processes.begin(), processes.end(), pid) != processes.end();
    });
    if (used) uuids.push_back(gpu.uuid);
  }
  return uuids;
}

std::vector<ForeignProcess> foreign_on(const std::vector<std::string>& uuids,
                                       const std::vector<pid_t>& engine,
                                       const std::vector<GpuProcesses>& gpus,
                                       const std::vector<ProcessEntry>& processes) {
  std::vector<ForeignProcess> foreign;
  for (const GpuProcesses& gpu : gpus) {
    if (std::find(uuids.begin(), uuids.end(), gpu.uuid) == uuids.end()) continue;
    const std::set<pid_t> once(gpu.pids.begin(), gpu.pids.end());
    for (const pid_t pid : once) {
      if (!contains(engine, pid)) foreign.push_back({gpu.uuid, pid, name_of(pid, processes)});
    }
  }
  return foreign;
}

Result<EngineTree> engine_tree(const std::vector<pid_t>& listeners,
                               const std::vector<ProcessEntry>& processes,
                               const std::vector<GpuProcesses>& gpus, pid_t own) {
  const ProcessEntry* root = common_root(listeners, processes, own);
  if (root == nullptr) {
    return failure(ErrorKind::missing, "several programs listen at the engine's port");
  }
  const ProcessEntry* const first = root;
  while (root != nullptr) {
    auto tree = descendants_of(root->pid, processes);
    if (!gpus_of_processes(tree, gpus).empty()) return EngineTree{root->pid, std::move(tree)};
    root = usable_parent(*root, processes, own);
  }
  return failure(ErrorKind::missing,
                 fmt::format("neither {} (pid {}), which listens at the engine's port, nor what it "
                             "started computes on a GPU here",
                             quoted(first->name), first->pid));
}

Result<EngineGpus> engine_gpus(const EngineGpusQuestion& question) {
  TRY(const auto gpus, gpu_processes(question.library));
  TRY(const Listeners listeners, listeners_at(question.port, question.proc));
  const std::string hint = environment_hint(listeners.pids, question.proc);
  if (auto unseen = why_unseen(gpus, question.proc); !unseen.empty()) {
    return failure(ErrorKind::missing, std::move(unseen), hint);
  }
  const auto processes = processes_in(question.proc);
  auto tree = engine_tree(listeners.pids, processes, gpus, getpid());
  if (!tree) return unexpected(with_hint(std::move(tree).error(), hint));
  EngineGpus found;
  found.uuids = gpus_of_processes(tree->processes, gpus);
  found.how = fmt::format("computed on by the processes of {} (pid {})",
                          quoted(name_of(tree->root, processes)), tree->root);
  found.foreign = foreign_on(found.uuids, tree->processes, gpus, processes);
  found.processes = std::move(tree->processes);
  return found;
}

ForeignProcesses foreign_processes(const std::vector<std::string>& uuids,
                                   const std::vector<pid_t>& engine,
                                   const EngineGpusQuestion& question) {
  const auto gpus = gpu_processes(question.library);
  if (!gpus) return {.unknown = gpus.error().message};
  std::vector<GpuProcesses> asked;
  std::copy_if(gpus->begin(), gpus->end(), std::back_inserter(asked), [&](const auto& gpu) {
    return std::find(uuids.begin(), uuids.end(), gpu.uuid) != uuids.end();
  });
  if (auto unseen = why_unseen(asked, question.proc); !unseen.empty()) {
    return {.unknown = std::move(unseen)};
  }
  return {.processes = foreign_on(uuids, engine, asked, processes_in(question.proc))};
}

}  // namespace tokenjoule
