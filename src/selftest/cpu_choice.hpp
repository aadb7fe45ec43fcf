#pragma once

#include <optional>
#include <vector>

#include <sched.h>

namespace tokenjoule {

/// Which CPU the emitter runs on and which the client; absent: the one CPU is shared, and nobody is
/// pinned.
struct CpuChoice {
  std::optional<int> emitter;
  std::optional<int> client;
  bool separate() const { return emitter.has_value(); }
};

/// CPUs that this process may run on.
std::vector<int> allowed_cpus();

/// The first CPU for the emitter, and for the client the last that shares no core with it (else the
/// last).
/// @param allowed in rising order; @param emitter_core the CPUs of the first one's core.
CpuChoice choose_cpus(const std::vector<int>& allowed, const std::vector<int>& emitter_core);

/// choose_cpus() for this machine; cores as /sys/devices/system/cpu tells them.
CpuChoice cpus_of_this_machine();

/// Pins the calling thread, and the threads that it makes meanwhile, while it lives.
class PinnedTo {
 public:
  explicit PinnedTo(std::optional<int> cpu);
  PinnedTo(const PinnedTo&) = delete;
  PinnedTo& operator=(const PinnedTo&) = delete;
  ~PinnedTo();

 private:
  cpu_set_t before_;
  bool pinned_ = false;
};

}  // namespace tokenjoule
