#include "app/gpu_choice.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

std::vector<Device> two_gpus_and_a_cpu() {
  return {{.id = "GPU-aaaa1111", .kind = DeviceKind::gpu, .label = "0"},
          {.id = "GPU-aaaa2222", .kind = DeviceKind::gpu, .label = "1"},
          {.id = "cpu", .kind = DeviceKind::cpu}};
}

TEST(GpuChoice, SeveralGpusAreNeverGuessed) {
  auto devices = two_gpus_and_a_cpu();
  const auto chosen = choose_gpus(devices, {.sensor_named = true, .engine_is_local = true});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().kind, ErrorKind::missing);
  EXPECT_NE(chosen.error().message.find("GPU-aaaa2222"), std::string::npos);
  EXPECT_NE(chosen.error().hint.find("--all-gpus"), std::string::npos);
}

TEST(GpuChoice, TakesThemByNumberAndByUuid) {
  auto devices = two_gpus_and_a_cpu();
  ASSERT_TRUE(choose_gpus(devices, {.named = {"1"}}));
  EXPECT_FALSE(devices[0].chosen);
  EXPECT_TRUE(devices[1].chosen);
  EXPECT_TRUE(devices[2].chosen);
  ASSERT_TRUE(choose_gpus(devices, {.named = {"GPU-aaaa1111"}}));
  EXPECT_TRUE(devices[0].chosen);
  EXPECT_FALSE(devices[1].chosen);
}

TEST(GpuChoice, WhatASensorShowsApartStaysApart) {
  std::vector<Device> devices = {{.id = "cpu:package-0", .kind = DeviceKind::cpu},
                                 {.id = "module", .chosen = false, .chosen_by = "shown apart"}};
  ASSERT_TRUE(choose_gpus(devices, {}));
  EXPECT_TRUE(devices[0].chosen);
  EXPECT_FALSE(devices[1].chosen);
  EXPECT_EQ(devices[1].chosen_by, "shown apart");
}

TEST(GpuChoice, AnAmbiguousOrUnknownNameIsRefused) {
  auto devices = two_gpus_and_a_cpu();
  EXPECT_FALSE(choose_gpus(devices, {.named = {"GPU-aaaa"}}));
  EXPECT_FALSE(choose_gpus(devices, {.named = {"7"}}));
}

TEST(GpuChoice, TheOnlyGpuOfTheEnginesMachineIsTaken) {
  std::vector<Device> one = {{.id = "GPU-1", .kind = DeviceKind::gpu}};
  EXPECT_TRUE(choose_gpus(one, {.engine_is_local = true}));
  EXPECT_TRUE(one[0].chosen);
  EXPECT_FALSE(choose_gpus(one, {}));  // the engine may run anywhere
}

TEST(GpuChoice, TakesThoseOnWhichTheEngineIsSeen) {
  auto devices = two_gpus_and_a_cpu();
  ASSERT_TRUE(
      choose_gpus(devices, {.of_engine = {"GPU-aaaa2222"}, .of_engine_how = "its processes"}));
  EXPECT_FALSE(devices[0].chosen);
  EXPECT_TRUE(devices[1].chosen);
  EXPECT_EQ(devices[1].chosen_by, "its processes");
}

TEST(GpuChoice, SaysWhyTheEnginesGpusWereNotSeen) {
  auto devices = two_gpus_and_a_cpu();
  const auto chosen = choose_gpus(devices, {.of_engine_how = "nobody listens there"});
  ASSERT_FALSE(chosen);
  EXPECT_NE(chosen.error().message.find("nobody listens there"), std::string::npos);
}

TEST(GpuChoice, AllMeansAll) {
  auto devices = two_gpus_and_a_cpu();
  ASSERT_TRUE(choose_gpus(devices, {.all = true}));
  for (const Device& device : devices) EXPECT_TRUE(device.chosen);
  EXPECT_EQ(devices[0].chosen_by, "--all-gpus");
}

TEST(GpuChoice, DoesNotTakeTheOnlyGpuWhereOthersComputeAndTheEngineDoesNot) {
  std::vector<Device> one = {{.id = "GPU-aaaa1111", .kind = DeviceKind::gpu, .label = "0"}};
  const auto chosen = choose_gpus(one, {.engine_is_local = true,
                                        .of_engine_how = "the engine computes on no GPU here",
                                        .of_others = {"GPU-aaaa1111"}});
  ASSERT_FALSE(chosen);
  EXPECT_NE(chosen.error().message.find("computes on no GPU"), std::string::npos);
}

TEST(GpuChoice, DoesNotTakeTheOnlyGpuWhereAnotherCouldNotBeOpened) {
  std::vector<Device> one = {{.id = "GPU-aaaa1111", .kind = DeviceKind::gpu, .label = "0"}};
  one[0].facts[kNotOpenedFact] = "no permission";
  EXPECT_FALSE(choose_gpus(one, {.engine_is_local = true}));
  EXPECT_TRUE(choose_gpus(one, {.all = true}));
}

}  // namespace
}  // namespace tokenjoule
