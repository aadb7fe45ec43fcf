#include "selftest/cpu_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "devices/cpu_topology.hpp"
#include "io/file.hpp"

namespace tokenjoule {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

CpuChoice choose_cpus(const std::vector<int>& allowed, const std::vector<int>& emitter_core) {
  if (allowed.size() < 2) return {};
  CpuChoice choice{allowed.front(), allowed.back()};
  const auto apart = std::find_if(allowed.rbegin(), allowed.rend(), [&](int cpu) {
    return cpu != allowed.front() &&
           std::find(emitter_core.begin(), emitter_core.end(), cpu) == emitter_core.end();
  });
  if (apart != allowed.rend()) choice.client = *apart;
  return choice;
}

CpuChoice cpus_of_this_machine() {
  const std::vector<int> allowed = allowed_cpus();
  if (allowed.empty()) return {};
  const auto core = file_bytes(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", allowed.front()));
  return choose_cpus(allowed, cpu_list_in(core.value_or("")).value_or(std::vector<int>()));
}

PinnedTo::PinnedTo(std::optional<int> cpu) {
  if (!cpu || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(*cpu), &one);
  pinned_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
}

PinnedTo::~PinnedTo() {
  if (pinned_) ::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace tokenjoule
