#include "sensors/secret_setting.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "io/file.hpp"

namespace tokenjoule {
namespace {

SensorSpec with(std::map<std::string, std::string> settings) {
  return {.name = "redfish", .settings = std::move(settings)};
}

TEST(SecretSetting, NothingSetIsNoSecret) {
  const auto secret = secret_setting(with({{"url", "x"}}), "password");
  ASSERT_TRUE(secret);
  EXPECT_FALSE(secret->has_value());
}

TEST(SecretSetting, ComesFromTheEnvironment) {
  ::setenv("TOKENJOULE_TEST_SECRET", "pa ss", 1);
  const auto secret =
      secret_setting(with({{"password_env", "TOKENJOULE_TEST_SECRET"}}), "password");
  ASSERT_TRUE(secret) << secret.error().message;
  EXPECT_EQ(*secret, std::optional<std::string>("pa ss"));
}

TEST(SecretSetting, IsTheFirstLineOfAFile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "tokenjoule_secret_setting";
  std::filesystem::remove(path);
  ASSERT_TRUE(write_new_file(path, "one\r\ntwo\n"));
  const auto secret = secret_setting(with({{"password_file", path.string()}}), "password");
  ASSERT_TRUE(secret) << secret.error().message;
  EXPECT_EQ(*secret, std::optional<std::string>("one"));
}

TEST(SecretSetting, WhatIsMissingIsSaid) {
  ::unsetenv("TOKENJOULE_TEST_UNSET");
  const auto unset = secret_setting(with({{"password_env", "TOKENJOULE_TEST_UNSET"}}), "password");
  ASSERT_FALSE(unset);
  EXPECT_NE(unset.error().message.find("TOKENJOULE_TEST_UNSET is not set"), std::string::npos)
      << unset.error().message;
  EXPECT_FALSE(secret_setting(with({{"password_file", "/nonexistent"}}), "password"));
  EXPECT_FALSE(secret_setting(with({{"password_file", "a"}, {"password_env", "b"}}), "password"));
}

}  // namespace
}  // namespace tokenjoule
