#include "app/sensor_lines.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

SensorListing listed(std::map<std::string, std::string> facts) {
  SensorListing listing{.type = &sensor_types().front()};
  Device gpu{.id = "pci:0000:c1:00.0", .name = "MI300X", .kind = DeviceKind::gpu};
  gpu.facts = std::move(facts);
  Signal power{.sensor = "amd", .device = gpu.id, .measurand = Measurand::power};
  power.source = "power1_average";
  listing.contents = SensorContents{{gpu}, {power}};
  return listing;
}

bool says(const SensorListing& listing, const std::string& words) {
  return lines_of(listing).find(words) != std::string::npos;
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

TEST(SensorLines, SayWhyASensorIsNotHereAndWhatToDo) {
  SensorListing absent{.type = &sensor_types().front()};
  absent.absent = {.kind = ErrorKind::missing, .message = "no driver", .hint = "load it"};
  EXPECT_TRUE(says(absent, "not here: no driver; load it\n"));
}

}  // namespace
}  // namespace tokenjoule
