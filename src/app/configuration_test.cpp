#include "app/configuration.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "io/file.hpp"
#include "model/containment.hpp"

namespace tokenjoule {
namespace {

Configuration read(const std::string& toml) {
  auto configuration = configuration_in(toml, "tokenjoule.toml");
  EXPECT_TRUE(configuration.has_value()) << configuration.error().message;
  return configuration ? *configuration : Configuration();
}

/// The message and the hint of a file that is refused.
std::string refusal(const std::string& toml) {
  const auto configuration = configuration_in(toml, "tokenjoule.toml");
  if (configuration) return "accepted";
  EXPECT_EQ(configuration.error().kind, ErrorKind::usage);
  return configuration.error().message + "; " + configuration.error().hint;
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

constexpr const char* kTwoFeeds = R"(
[sensor.pdu-a]
type = "exec"
command = "read-pdu a"

[sensor.pdu-b]
type = "exec"
command = "read-pdu b"
group = "prefill"

[node.n1]
feeds = ["pdu-a", "pdu-b:outlet-3"]

[calibration.pdu-a]
gain = 1.002
half_width = 0.002
certificate = "LAB-2026-0117"
date = 2026-03-01
)";

TEST(Configuration, HasNamedSensorsNodesAndCalibrations) {
  const Configuration configuration = read(kTwoFeeds);
  ASSERT_EQ(configuration.sensors.size(), 2u);
  EXPECT_EQ(configuration.sensors[1].name, "exec");
  EXPECT_EQ(configuration.sensors[1].label, "pdu-b");
  EXPECT_EQ(configuration.sensors[1].settings.at("group"), "prefill");
  const SensorRole a = role_of(configuration, configuration.sensors[0]);
  EXPECT_EQ(a.name, "pdu-a");
  ASSERT_EQ(a.nodes.size(), 1u);
  EXPECT_EQ(a.nodes[0].node, "n1");
  EXPECT_EQ(a.nodes[0].feed, "pdu-a");
  EXPECT_EQ(a.nodes[0].feeds, "pdu-a, pdu-b:outlet-3");
  ASSERT_EQ(a.calibrations.size(), 1u);
  EXPECT_DOUBLE_EQ(a.calibrations[0].calibration.gain, 1.002);
  EXPECT_EQ(a.calibrations[0].calibration.date, "2026-03-01");
  const SensorRole b = role_of(configuration, configuration.sensors[1]);
  EXPECT_EQ(b.nodes.at(0).device, "outlet-3");
  EXPECT_TRUE(b.calibrations.empty());
}

TEST(Configuration, NumbersAndTruthsBecomeSettings) {
  const Configuration configuration = read(
      "[sensor.cpu]\ntype = \"cpu-model\"\nwatts_per_core = 7.5\nidle_watts = 30\n"
      "[sensor.far]\ntype = \"dcgm\"\ninsecure = true\n");
  const auto& cpu = configuration.sensors[0].settings;
  EXPECT_EQ(cpu.at("watts_per_core"), "7.5");
  EXPECT_EQ(cpu.at("idle_watts"), "30");
  EXPECT_EQ(configuration.sensors[1].settings.at("insecure"), "yes");
}

TEST(Configuration, WhatIsUnknownHasItsLineAndASuggestion) {
  expect_in(refusal("[sensors.a]\ntype = \"exec\"\n"), "did you mean sensor");
  const std::string setting = refusal("[sensor.a]\ntype = \"exec\"\ncomand = \"x\"\n");
  expect_in(setting, "tokenjoule.toml, line 3");
  expect_in(setting, "did you mean command");
  expect_in(refusal("[sensor.a]\ntype = \"exce\"\n"), "did you mean exec");
  expect_in(refusal(std::string(kTwoFeeds) + "[node.n2]\nfeed = [\"pdu-a\"]\n"),
            "did you mean feeds");
  expect_in(refusal(std::string(kTwoFeeds) + "[node.n2]\nfeeds = [\"pdu-c\"]\n"),
            "there is no sensor \"pdu-c\"");
  expect_in(refusal(std::string(kTwoFeeds) + "[node.n2]\nfeeds = [\"pdu-a\", \"pdu-a\"]\n"),
            "names \"pdu-a\" twice");
  expect_in(refusal("[calibration.nvml]\ngian = 1.0\n"), "did you mean gain");
}

TEST(Configuration, WrongTypesHaveTheirLine) {
  expect_in(refusal("sensor = 3\n"), "line 1");
  expect_in(refusal("[sensor.a]\ntype = 3\n"), "line 2");
  expect_in(refusal("[sensor.a]\ntype = \"exec\"\ncommand = [1]\n"), "line 3");
  expect_in(refusal("[sensor.a]\n"), "lacks type");
  expect_in(refusal("[node.n]\nfeeds = \"nvml\"\n"), "is no list");
  const std::string calibration =
      "[calibration.nvml]\ngain = 1.0\nhalf_width = 0.01\ncertificate = \"C\"\n";
  expect_in(refusal(calibration + "date = \"2026\"\n"), "line 5");
  expect_in(refusal(calibration), "lacks date");
  // A thousand is a unit that was mistaken.
  expect_in(refusal("[calibration.nvml]\ngain = 1000\n"), "from 0.5 to 2");
  expect_in(refusal("[sensor.a\n"), "line 1");
}

TEST(Configuration, ASecretThatIsWrittenOutIsRefusedAndNotRepeated) {
  for (const std::string key : {"password", "token", "auth_password", "api_key", "client_secret"}) {
    const std::string said = refusal("[sensor.a]\ntype = \"dcgm\"\n" + key + " = \"hush-hush\"\n");
    expect_in(said, key + "_env");
    expect_in(said, key + "_file");
    expect_in(said, "line 3");
    EXPECT_EQ(said.find("hush"), std::string::npos) << said;
  }
  const std::string url =
      refusal("[sensor.a]\ntype = \"dcgm\"\nurl = \"https://me:hush-hush@host/metrics\"\n");
  expect_in(url, "user and a password");
  EXPECT_EQ(url.find("hush"), std::string::npos) << url;
}

TEST(Resolved, NamesOfTheConfigurationComeBeforeTypes) {
  const Configuration configuration = read(kTwoFeeds);
  EXPECT_EQ(resolved(configuration, {}).size(), 2u);
  const auto one = resolved(configuration, {{"pdu-b", {{"group", "decode"}}}});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].settings.at("command"), "read-pdu b");
  EXPECT_EQ(one[0].settings.at("group"), "decode");
  EXPECT_EQ(resolved(configuration, {{"nvml", {}}})[0].label, "");
}

/// The TOML between the first pair of fences of a page.
std::string example_of(const std::string& page) {
  const std::string fence = "```toml\n";
  const auto begin = page.find(fence);
  if (begin == std::string::npos) return "";
  return page.substr(begin + fence.size(), page.find("```", begin + 3) - begin - fence.size());
}

TEST(ConfigurationDocs, HaveAnExampleThatIsTaken) {
  const auto page = file_bytes(TOKENJOULE_SOURCE_DIR "/docs/configuration.md");
  ASSERT_TRUE(page);
  const Configuration configuration = read(example_of(*page));
  EXPECT_GE(configuration.sensors.size(), 3u);
  EXPECT_EQ(configuration.nodes.size(), 1u);
  EXPECT_EQ(configuration.nodes[0].feeds.size(), 2u);
  EXPECT_EQ(configuration.calibrations.size(), 1u);
}

}  // namespace
}  // namespace tokenjoule
