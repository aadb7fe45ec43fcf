#include "sim/fake_nvml/script.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(StepCurve, IsIntegratedPieceByPiece) {
  const StepCurve curve{{{0, 100}, {10, 400}}};
  EXPECT_DOUBLE_EQ(curve.integral_to(4), 400);
  EXPECT_DOUBLE_EQ(curve.integral_to(12), 1800);  // 10 * 100 + 2 * 400
  EXPECT_DOUBLE_EQ(curve.integral_to(-2), -200);
  EXPECT_DOUBLE_EQ(curve.value_at(9.9), 100);
  EXPECT_DOUBLE_EQ(curve.value_at(10), 400);
  EXPECT_DOUBLE_EQ(StepCurve{}.integral_to(5), 0);
}

TEST(FakeScript, ReadsGlobalsGpusAndComments) {
  const auto script = fake_script_in(
      "driver = 535.54.03  # an old one\n\n[gpu]\nuuid = GPU-1\npower = 0:80 2.5:300\n"
      "processes = 17:1048576 18:0\nreset_at = 3\nblock_ms = 500\nblock_from = 2\n"
      "block_gate = /tmp/gate\n[gpu]\nuuid = GPU-2\nflags = power module\n");
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_EQ(script->driver_version, "535.54.03");
  ASSERT_EQ(script->gpus.size(), 2U);
  EXPECT_STREQ(script->gpus[0].fixed.uuid, "GPU-1");
  EXPECT_EQ(script->gpus[0].power.points.size(), 2U);
  EXPECT_EQ(script->gpus[0].fixed.process_count, 2U);
  EXPECT_EQ(script->gpus[0].fixed.processes[0].memory_bytes, 1048576U);
  EXPECT_EQ(script->gpus[0].reset_at_s, 3.0);
  EXPECT_EQ(script->gpus[0].block_ms, 500);
  EXPECT_EQ(script->gpus[0].block_from_s, 2);
  EXPECT_EQ(script->gpus[0].block_gate, "/tmp/gate");
  EXPECT_TRUE(script->gpus[1].fixed.offers(kFakeModule));
  EXPECT_FALSE(script->gpus[1].fixed.offers(kFakeCounter));
}

TEST(FakeScript, NamesTheLineThatItCannotTake) {
  for (const char* line :
       {"volume = 11", "[gpu]\nflags = no_such", "[gpu]\npower = a:b", "[gpu]\npower = 5:1 4:1",
        "[gpu]\nuuid", "[cpu]", "init_result = x", "[gpu]\nblock_gate ="}) {
    EXPECT_FALSE(fake_script_in(line)) << line;
  }
  const auto script = fake_script_in("driver = 1\n[gpu]\nuuid = GPU-1\nvolume = 11\n");
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().message, "line 4 of the script: volume = 11");
}

TEST(ScriptedGpu, KeepsItsReadingsOnTheirGrids) {
  ScriptedGpu gpu;
  gpu.power.points = {{0, 100}, {10, 400}};
  gpu.counter_step_s = 0.5;
  gpu.power_step_s = 0.25;
  EXPECT_EQ(gpu_at(gpu, 1.7).energy_mj, 150'000U);  // 1.5 s * 100 W
  EXPECT_EQ(gpu_at(gpu, 10.2).instant_mw, 400'000U);
  EXPECT_EQ(gpu_at(gpu, 10.6).average_mw, 250'000U);  // at 10.5: half a second of each
}

TEST(ScriptedGpu, GivesItsResultFromItsTimeOn) {
  ScriptedGpu gpu;
  gpu.fixed.result = 15;
  EXPECT_EQ(gpu_at(gpu, 1).result, 15);
  gpu.result_at_s = 5;
  EXPECT_EQ(gpu_at(gpu, 4.9).result, 0);
  EXPECT_EQ(gpu_at(gpu, 5).result, 15);
}

}  // namespace
}  // namespace tokenjoule
