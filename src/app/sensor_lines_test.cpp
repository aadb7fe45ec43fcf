#include "app/sensor_lines.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

SensorContents listed(std::map<std::string, std::string> facts) {
  Device gpu{.id = "pci:0000:c1:00.0", .name = "MI300X", .kind = DeviceKind::gpu};
  gpu.facts = std::move(facts);
  Signal power{.sensor = "amd", .device = gpu.id, .measurand = Measurand::power};
  power.source = "power1_average";
  return {{gpu}, {power}};
}

bool says(const SensorContents& contents, const std::string& words) {
  return contents_lines(contents).find(words) != std::string::npos;
}

TEST(SensorLines, SayWhichWayAGpuIsReadAndWhyNotByTheBetterOne) {
  EXPECT_TRUE(says(listed({{kReadByFact, "libamd_smi.so.26, version 26.4.1"}}),
                   "read by: libamd_smi.so.26, version 26.4.1\n"));
  EXPECT_TRUE(says(listed({{kReadByFact, "the amdgpu driver's files: there is no libamd_smi.so"}}),
                   "read by: the amdgpu driver's files: there is no libamd_smi.so\n"));
  EXPECT_FALSE(says(listed({}), "read by"));
}

TEST(SensorLines, SayWhatIsLeftOutAndWhy) {
  EXPECT_TRUE(says(listed({{kLeftOutFact, "energy: its counter does not agree with its power"}}),
                   "left out: energy: its counter does not agree with its power\n"));
  EXPECT_FALSE(says(listed({}), "left out"));
}

}  // namespace
}  // namespace tokenjoule
