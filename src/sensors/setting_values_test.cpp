#include "sensors/setting_values.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

SensorSpec with(std::map<std::string, std::string> settings) { return {"meter", settings}; }

TEST(SettingValues, WhatIsNotGivenHasItsDefault) {
  EXPECT_EQ(text_setting(with({}), "device", "node"), "node");
  EXPECT_EQ(yes_setting(with({}), "insecure"), false);
  EXPECT_EQ(duration_setting(with({}), "period", whole_seconds(2), {1})->count,
            whole_seconds(2).count);
  EXPECT_EQ(number_setting(with({}), "outlet", 3, 9), 3);
  EXPECT_EQ(boundary_setting(with({}), Boundary::node_ac, {}), Boundary::node_ac);
  EXPECT_EQ(tls_settings(with({}))->verification, TlsOptions::Verification::full);
}

TEST(SettingValues, WhatIsGivenIsTaken) {
  EXPECT_EQ(text_setting(with({{"device", "n1"}}), "device"), "n1");
  EXPECT_EQ(yes_setting(with({{"insecure", "yes"}}), "insecure"), true);
  EXPECT_EQ(duration_setting(with({{"period", "5s"}}), "period", {1}, {1})->count,
            whole_seconds(5).count);
  EXPECT_EQ(number_setting(with({{"outlet", "9"}}), "outlet", 3, 9), 9);
  constexpr Boundary kAllowed[] = {Boundary::node_ac, Boundary::node_dc};
  EXPECT_EQ(boundary_setting(with({{"boundary", "node_dc"}}), Boundary::node_ac, kAllowed),
            Boundary::node_dc);
  EXPECT_EQ(tls_settings(with({{"fingerprint", "ab"}}))->fingerprint, "ab");
}

TEST(SettingValues, WhatDoesNotFitIsAUsageErrorThatNamesTheSetting) {
  const auto is_told = [](const Error& error, const std::string& part) {
    return error.kind == ErrorKind::usage && !error.hint.empty() &&
           error.message.find(part) != std::string::npos;
  };
  EXPECT_TRUE(is_told(yes_setting(with({{"x", "1"}}), "x").error(), "x=1"));
  for (const char* bad : {"0.5s", "soon", "25h", "-1"}) {
    EXPECT_TRUE(is_told(
        duration_setting(with({{"period", bad}}), "period", {1}, whole_seconds(1)).error(), bad));
  }
  EXPECT_TRUE(is_told(number_setting(with({{"outlet", "10"}}), "outlet", 0, 9).error(), "outlet"));
  constexpr Boundary kAllowed[] = {Boundary::node_ac};
  EXPECT_TRUE(is_told(
      boundary_setting(with({{"boundary", "dram"}}), Boundary::node_ac, kAllowed).error(), "dram"));
  EXPECT_TRUE(is_told(tls_settings(with({{"cacert", "f"}, {"insecure", "yes"}})).error(),
                      "exclude each other"));
}

}  // namespace
}  // namespace tokenjoule
