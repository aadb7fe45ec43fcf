#include "sim/fake_nvml/library/fake_state.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>
#include <variant>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/fake_nvml/script.hpp"
#include "sim/fake_nvml/shared_state.hpp"

namespace tokenjoule {

namespace {

struct Unmap {
  void operator()(const FakeNvmlRegion* region) const {
    munmap(const_cast<FakeNvmlRegion*>(region), sizeof(FakeNvmlRegion));
  }
};
using MappedRegion = std::unique_ptr<const FakeNvmlRegion, Unmap>;

struct RunningScript {
  FakeScript script;
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

  double now_s() const {
    if (script.clock_file.empty()) {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    }
    double now = 0;
    std::ifstream(script.clock_file) >> now;
    return now;
  }
};

using Source = std::variant<std::monostate, MappedRegion, RunningScript>;

struct State {
  std::mutex mutex;
  int users = 0;
  Source source;
};

State& state() {
  static State the_state;
  return the_state;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

/// Killed, but not yet waited for by its parent: the state behind the name in /proc/PID/stat.
bool is_zombie(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto name_end = text.rfind(')');
  return name_end != std::string::npos && text.compare(name_end, 3, ") Z") == 0;
}

bool writer_ended(const FakeNvmlRegion& region) {
  if (region.closed.load(std::memory_order_acquire) != 0) return true;
  const auto pid = static_cast<pid_t>(region.writer_pid);
  return (kill(pid, 0) != 0 && errno == ESRCH) || is_zombie(pid);
}

/// Our own file only: anybody may write to /dev/shm.
MappedRegion mapped_region(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return nullptr;
  struct stat status {};
  void* place = MAP_FAILED;
  if (fstat(descriptor, &status) == 0 && status.st_uid == geteuid() &&
      status.st_size == static_cast<off_t>(sizeof(FakeNvmlRegion))) {
    place = mmap(nullptr, sizeof(FakeNvmlRegion), PROT_READ, MAP_SHARED, descriptor, 0);
  }
  close(descriptor);
  if (place == MAP_FAILED) return nullptr;
  MappedRegion region(static_cast<const FakeNvmlRegion*>(place));
  const bool ready = region->magic.load(std::memory_order_acquire) == FakeNvmlRegion::kMagic &&
                     region->version == FakeNvmlRegion::kVersion &&
                     region->gpu_count <= kFakeGpus && !writer_ended(*region);
  return ready ? std::move(region) : nullptr;
}

nvml::Return start_script(const std::string& path, Source& source) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto script = fake_script_in(text.str());
  if (!file || !script) {
    std::cerr << "fake NVML: " << path << ": "
              << (script ? "cannot be read" : script.error().message) << '\n';
    return nvml::kDriverNotLoaded;
  }
  if (script->init_result != 0) return script->init_result;
  source = RunningScript{std::move(*script)};
  return nvml::kSuccess;
}

nvml::Return start_shared(const std::string& path, Source& source) {
  MappedRegion region = mapped_region(path);
  if (!region) return nvml::kDriverNotLoaded;
  source = std::move(region);
  return nvml::kSuccess;
}

nvml::Return start(Source& source) {
  if (const std::string script = variable(kFakeScriptVariable); !script.empty()) {
    return start_script(script, source);
  }
  const std::string path = variable(kFakeStateVariable);
  return start_shared(path.empty() ? default_fake_state_path() : path, source);
}

std::optional<FakeGpu> gpu_in(const FakeNvmlRegion& region, unsigned index) {
  if (index >= region.gpu_count) return std::nullopt;
  auto gpu = region.gpus[index].read();
  if (!gpu) gpu = FakeGpu{.result = nvml::kTimeout};
  if (writer_ended(region)) gpu->result = nvml::kGpuIsLost;
  return gpu;
}

/// What a call on the GPU has to wait for now.
struct Block {
  double ms = 0;
  std::string gate;
};

Block block_of(unsigned index) {
  const std::lock_guard lock(state().mutex);
  const auto* running = std::get_if<RunningScript>(&state().source);
  if (running == nullptr || index >= running->script.gpus.size()) return {};
  const ScriptedGpu& gpu = running->script.gpus[index];
  const bool now = gpu.block_ms > 0 && running->now_s() >= gpu.block_from_s;
  return {now ? gpu.block_ms : 0, gpu.block_gate};
}

/// Opening waits for a writer, reading for its end.
void wait_at_gate(const std::string& path) {
  const int gate = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (gate < 0) return;
  char ignored[16];
  while (read(gate, ignored, sizeof ignored) > 0) continue;
  close(gate);
}

}  // namespace

nvml::Return start_fake_nvml() {
  const std::lock_guard lock(state().mutex);
  if (state().users == 0) {
    if (const nvml::Return code = start(state().source); code != nvml::kSuccess) return code;
  }
  ++state().users;
  return nvml::kSuccess;
}

nvml::Return stop_fake_nvml() {
  const std::lock_guard lock(state().mutex);
  if (state().users == 0) return nvml::kUninitialized;
  if (--state().users == 0) state().source = std::monostate();
  return nvml::kSuccess;
}

bool fake_nvml_is_started() {
  const std::lock_guard lock(state().mutex);
  return state().users > 0;
}

std::string fake_driver_version() {
  const std::lock_guard lock(state().mutex);
  if (const auto* region = std::get_if<MappedRegion>(&state().source)) {
    const char* const text = (*region)->driver_version;
    return {text, strnlen(text, sizeof(*region)->driver_version)};
  }
  const auto* script = std::get_if<RunningScript>(&state().source);
  return script == nullptr ? std::string() : script->script.driver_version;
}

unsigned fake_gpu_count() {
  const std::lock_guard lock(state().mutex);
  if (const auto* region = std::get_if<MappedRegion>(&state().source)) return (*region)->gpu_count;
  const auto* script = std::get_if<RunningScript>(&state().source);
  return script == nullptr ? 0 : static_cast<unsigned>(script->script.gpus.size());
}

std::optional<FakeGpu> fake_gpu(unsigned index) {
  const std::lock_guard lock(state().mutex);
  if (const auto* region = std::get_if<MappedRegion>(&state().source)) {
    return gpu_in(**region, index);
  }
  const auto* script = std::get_if<RunningScript>(&state().source);
  if (script == nullptr || index >= script->script.gpus.size()) return std::nullopt;
  return gpu_at(script->script.gpus[index], script->now_s());
}

void wait_as_scripted(unsigned index) {
  const Block block = block_of(index);
  if (!block.gate.empty()) wait_at_gate(block.gate);
  if (block.ms > 0)
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(block.ms));
}

}  // namespace tokenjoule
