#include "devices/nvml_error.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(NvmlError, TellsWhatMayPassFromWhatMayNot) {
  EXPECT_EQ(nvml_error(nvml::kTimeout, "f").kind, ErrorKind::retry);
  EXPECT_EQ(nvml_error(nvml::kNotReady, "f").kind, ErrorKind::retry);
  EXPECT_EQ(nvml_error(nvml::kGpuIsLost, "f").kind, ErrorKind::unavailable);
  EXPECT_EQ(nvml_error(nvml::kResetRequired, "f").kind, ErrorKind::unavailable);
  EXPECT_EQ(nvml_error(nvml::kNotSupported, "f").kind, ErrorKind::missing);
  EXPECT_EQ(nvml_error(nvml::kNoPermission, "f").kind, ErrorKind::missing);
  EXPECT_EQ(nvml_error(nvml::kOperatingSystem, "f").kind, ErrorKind::missing);
}

TEST(NvmlError, NamesFunctionCodeAndWayOut) {
  const Error error = nvml_error(nvml::kVersionMismatch, "nvmlInit_v2");
  EXPECT_EQ(error.message,
            "nvmlInit_v2: the driver in the kernel and its library are of different versions "
            "(NVML code 18)");
  EXPECT_NE(error.hint.find("reboot"), std::string::npos);
  EXPECT_NE(nvml_error(nvml::kNotReady, "f").hint.find("conf-compute"), std::string::npos);
  EXPECT_NE(nvml_error(nvml::kNoPermission, "f").hint.find("/dev/nvidia"), std::string::npos);
}

TEST(NvmlError, OfACodeThatCameLaterIsTriedAgain) {
  EXPECT_EQ(nvml_error(4242, "f").kind, ErrorKind::retry);
}

TEST(NvmlError, OfAMissingFunctionSaysThatTheDriverIsOld) {
  const Error error = nvml_lacks("nvmlDeviceGetMigMode");
  EXPECT_EQ(error.kind, ErrorKind::missing);
  EXPECT_NE(error.message.find("nvmlDeviceGetMigMode"), std::string::npos);
  EXPECT_NE(error.message.find("too old"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
