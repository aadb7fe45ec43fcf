#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "devices/perf_energy.hpp"
#include "io/testing_tree.hpp"

namespace tokenjoule {

/// Events that count what a test says, in place of the kernel's.
class ScriptedPerf {
 public:
  /// By config and CPU.
  std::map<std::pair<std::uint64_t, int>, std::uint64_t> counts;

  OpenPerfCounter opener() {
    return [this](std::uint32_t, std::uint64_t config,
                  int cpu) -> Result<std::unique_ptr<PerfCounter>> {
      if (counts.count({config, cpu}) == 0) {
        return failure(ErrorKind::missing, "perf_event_open: Permission denied", "ask for rights");
      }
      return std::make_unique<Counter>(*this, std::pair(config, cpu));
    };
  }

 private:
  class Counter final : public PerfCounter {
   public:
    Counter(ScriptedPerf& perf, std::pair<std::uint64_t, int> key) : perf_(perf), key_(key) {}
    Result<std::uint64_t> count() override {
      const auto at = perf_.counts.find(key_);
      if (at == perf_.counts.end()) return failure(ErrorKind::unavailable, "the CPU is offline");
      return at->second;
    }

   private:
    ScriptedPerf& perf_;
    std::pair<std::uint64_t, int> key_;
  };
};

inline void write_perf_unit(const TestTree& tree, const std::string& cpumask) {
  const std::string folder = "sys/bus/event_source/devices/power/";
  tree.write(folder + "type", "9\n");
  tree.write(folder + "cpumask", cpumask + "\n");
}

inline void write_perf_event(const TestTree& tree, const std::string& name,
                             const std::string& event, const std::string& unit = "Joules") {
  const std::string file = "sys/bus/event_source/devices/power/events/" + name;
  tree.write(file, event + "\n");
  tree.write(file + ".scale", "2.3283064365386962890625e-10\n");
  tree.write(file + ".unit", unit + "\n");
}

}  // namespace tokenjoule
