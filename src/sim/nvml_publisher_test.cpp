#include "sim/nvml_publisher.hpp"

#include <string>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

SimulatorOptions two_gpus_one_idle() {
  SimulatorOptions options;
  options.gpu.idle_gpus = 1;
  options.gpu.spread = 0;
  return options;
}

TEST(NvmlPublisher, ShowsWhatTheSensorModelShows) {
  const Simulation simulation(two_gpus_one_idle());
  const MonoTime at = mono_at(Seconds(5));
  const FakeGpu gpu = fake_gpu_of(simulation, 0, at);
  EXPECT_EQ(std::string(gpu.uuid), simulation.gpus().gpus()[0].uuid);
  EXPECT_EQ(gpu.energy_mj, static_cast<std::uint64_t>(*simulation.sensors().energy_mj(0, at)));
  EXPECT_EQ(gpu.average_mw, 80'000U);  // idle
  EXPECT_EQ(gpu.limit_default_mw, 800'000U);
  EXPECT_EQ(gpu.process_count, 1U);
  EXPECT_EQ(fake_gpu_of(simulation, 1, at).process_count, 0U);  // the engine does not use it
}

TEST(NvmlPublisher, LeavesOutWhatAFaultTakesAway) {
  SimulatorOptions options = two_gpus_one_idle();
  options.faults.no_counter = true;
  options.faults.losses.push_back({Seconds(3), std::nullopt, 1});
  const Simulation simulation(options);
  EXPECT_FALSE(fake_gpu_of(simulation, 0, mono_at(Seconds(5))).offers(kFakeCounter));
  EXPECT_EQ(fake_gpu_of(simulation, 1, mono_at(Seconds(2))).result, 0);
  EXPECT_NE(fake_gpu_of(simulation, 1, mono_at(Seconds(5))).result, 0);
}

}  // namespace
}  // namespace tokenjoule
