#include "sim/gpu_model.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace tokenjoule {
namespace {

GpuParameters equal_gpus(int engine, int idle) {
  GpuParameters parameters;
  parameters.engine_gpus = engine;
  parameters.idle_gpus = idle;
  parameters.idle = Watts(100);
  parameters.spread = 0;
  return parameters;
}

MonoTime at_s(double seconds) { return mono_at(Seconds(seconds)); }

TEST(GpuModel, EnergyIsTheSumOfPowerTimesTime) {
  GpuModel gpus(equal_gpus(1, 0), 1);
  gpus.add_step(at_s(1), {milliseconds(500), Watts(300)});
  gpus.add_step(at_s(1.5), {milliseconds(250), Watts(400)});
  gpus.add_step(at_s(3), {milliseconds(1000), Watts(200)});
  EXPECT_DOUBLE_EQ(gpus.energy(0, at_s(1)).value(), 100);
  EXPECT_DOUBLE_EQ(gpus.energy(0, at_s(1.25)).value(), 125 + 75);
  EXPECT_DOUBLE_EQ(gpus.energy(0, at_s(2)).value(), 200 + 150 + 100);
  EXPECT_DOUBLE_EQ(gpus.energy(0, at_s(4)).value(), 400 + 150 + 100 + 200);
  EXPECT_DOUBLE_EQ(gpus.energy(0, at_s(10)).value(), 1000 + 450);
  EXPECT_DOUBLE_EQ(gpus.energy(0, at_s(-1)).value(), -100);
}

TEST(GpuModel, PowerIsThatOfTheStepUnderWay) {
  GpuModel gpus(equal_gpus(1, 0), 1);
  gpus.add_step(at_s(1), {milliseconds(500), Watts(300)});
  EXPECT_DOUBLE_EQ(gpus.power(0, at_s(0.999)).value(), 100);
  EXPECT_DOUBLE_EQ(gpus.power(0, at_s(1)).value(), 400);
  EXPECT_DOUBLE_EQ(gpus.power(0, at_s(1.499)).value(), 400);
  EXPECT_DOUBLE_EQ(gpus.power(0, at_s(1.5)).value(), 100);
}

TEST(GpuModel, GpusThatTheEngineDoesNotUseOnlyIdle) {
  GpuModel gpus(equal_gpus(2, 1), 1);
  gpus.add_step(at_s(0), {whole_seconds(1), Watts(300)});
  EXPECT_DOUBLE_EQ(gpus.energy(1, at_s(1)).value(), 400);
  EXPECT_DOUBLE_EQ(gpus.energy(2, at_s(1)).value(), 100);
  EXPECT_FALSE(gpus.gpus()[2].used_by_engine);
}

TEST(GpuModel, CountsBusyAndCappedTime) {
  GpuModel gpus(equal_gpus(1, 0), 1);
  gpus.add_step(at_s(0), {whole_seconds(1), Watts(300), 0.5, 1});
  gpus.add_step(at_s(1), {whole_seconds(1), Watts(300), 1, 1.2});
  EXPECT_DOUBLE_EQ(gpus.busy(0, at_s(3)).value(), 1.5);
  EXPECT_DOUBLE_EQ(gpus.capped(0, at_s(3)).value(), 1);
}

TEST(GpuModel, UuidsSayThatTheyAreSimulatedAndDependOnTheSeedOnly) {
  const GpuModel first(equal_gpus(4, 0), 5), again(equal_gpus(4, 0), 5), other(equal_gpus(4, 0), 6);
  std::set<std::string> uuids;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(starts_with(first.gpus()[i].uuid, "GPU-51d0")) << first.gpus()[i].uuid;
    EXPECT_EQ(first.gpus()[i].uuid.size(), 40U);
    EXPECT_EQ(first.gpus()[i].uuid, again.gpus()[i].uuid);
    EXPECT_NE(first.gpus()[i].uuid, other.gpus()[i].uuid);
    uuids.insert(first.gpus()[i].uuid);
  }
  EXPECT_EQ(uuids.size(), 4U);
}

}  // namespace
}  // namespace tokenjoule
