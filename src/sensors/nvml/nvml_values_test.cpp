#include "sensors/nvml/nvml_values.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

nvml::FieldValue answered(std::int32_t type, nvml::Return result = nvml::kSuccess) {
  nvml::FieldValue answer;
  answer.type = type;
  answer.result = result;
  return answer;
}

TEST(NumberInField, IsReadByItsType) {
  nvml::FieldValue milliwatts = answered(nvml::kUnsignedInt);
  milliwatts.value.unsigned_long_long = 0xFFFF'FFFF'0004'93E0;  // rubbish above the lower 32 bits
  EXPECT_EQ(number_in(milliwatts), 300'000.0);
  nvml::FieldValue millijoules = answered(nvml::kUnsignedLongLong);
  millijoules.value.unsigned_long_long = 1'234'567'890'123;
  EXPECT_EQ(number_in(millijoules), 1'234'567'890'123.0);
  nvml::FieldValue real = answered(nvml::kDouble);
  real.value.real = 2.5;
  EXPECT_EQ(number_in(real), 2.5);
  nvml::FieldValue narrow = answered(nvml::kUnsignedShort);
  narrow.value.unsigned_long_long = 0xFFFF'0007;
  EXPECT_EQ(number_in(narrow), 7.0);
}

TEST(NumberInField, IsAbsentWhereTheFieldFailed) {
  nvml::FieldValue refused = answered(nvml::kUnsignedInt, nvml::kNotSupported);
  refused.value.unsigned_int = 300'000;
  EXPECT_EQ(number_in(refused), std::nullopt);
}

TEST(NumberInField, IsAbsentWhereItMakesNoSense) {
  nvml::FieldValue unknown_type = answered(42);
  EXPECT_EQ(number_in(unknown_type), std::nullopt);
  nvml::FieldValue negative = answered(nvml::kSignedInt);
  negative.value.signed_int = -1;
  EXPECT_EQ(number_in(negative), std::nullopt);
  nvml::FieldValue no_number = answered(nvml::kDouble);
  no_number.value.real = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(number_in(no_number), std::nullopt);
}

TEST(SlowdownFields, FollowTheirRenumbering) {
  using Fields = std::vector<std::uint32_t>;
  EXPECT_EQ(slowdown_fields("575.57.08"), (Fields{251, 252, 253}));
  EXPECT_EQ(slowdown_fields("580.126.09"), (Fields{269, 270, 271}));
  EXPECT_EQ(slowdown_fields("590.44.01"), (Fields{269, 270, 271}));
}

TEST(SlowdownFields, AreTheOldThermalOneWhereTheNumbersAreNotKnown) {
  using Fields = std::vector<std::uint32_t>;
  EXPECT_EQ(slowdown_fields("580.65.06"), Fields{75});
  EXPECT_EQ(slowdown_fields("550.54.15"), Fields{75});
  EXPECT_EQ(slowdown_fields("570.86.10"), Fields{75});
  EXPECT_EQ(slowdown_fields(""), Fields{75});
}

TEST(SourceOfValue, NamesFunctionFieldAndScope) {
  EXPECT_EQ(source_of(nvml_field(185)), "nvmlDeviceGetFieldValues(185)");
  EXPECT_EQ(source_of(nvml_field(186, 1)), "nvmlDeviceGetFieldValues(186, scope 1)");
  EXPECT_EQ(source_of(nvml_call(NvmlCall::power_usage)), "nvmlDeviceGetPowerUsage");
}

}  // namespace
}  // namespace tokenjoule
