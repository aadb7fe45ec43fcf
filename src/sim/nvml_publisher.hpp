#pragma once

#include <string>

#include "base/result.hpp"
#include "sim/fake_nvml/state_writer.hpp"
#include "sim/simulation.hpp"

namespace tokenjoule {

/// How often the simulator shows its GPUs to the fake NVML library: well below a counter's step.
constexpr Nanoseconds kNvmlPublishPeriod = milliseconds(5);

/// What NVML would tell of a simulated GPU at that time.
FakeGpu fake_gpu_of(const Simulation& simulation, int gpu, MonoTime at);

/// Shows the simulated GPUs to whoever opens our fake NVML library.
class NvmlPublisher {
 public:
  /// @param path of the shared file.
  static Result<NvmlPublisher> create(const std::string& path, const Simulation& simulation,
                                      MonoTime at);
  void publish(const Simulation& simulation, MonoTime at);

 private:
  explicit NvmlPublisher(FakeNvmlWriter writer) : writer_(std::move(writer)) {}
  FakeNvmlWriter writer_;
};

}  // namespace tokenjoule
