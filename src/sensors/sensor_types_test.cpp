#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "io/testing_server.hpp"
#include "sensors/ipmi/scripted_ipmitool.hpp"
#include "sensors/nvml/scripted_nvml.hpp"
#include "sensors/ptd/scripted_ptd.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {
namespace {

TEST(SensorSpecIn, TakesANameWithOrWithoutSettings) {
  EXPECT_EQ(sensor_spec_in("dcgm")->name, "dcgm");
  EXPECT_TRUE(sensor_spec_in("dcgm")->settings.empty());
  const auto spec = sensor_spec_in("dcgm:url=http://h:9400/metrics,group=prefill");
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->name, "dcgm");
  EXPECT_EQ(spec->settings, (std::map<std::string, std::string>{{"url", "http://h:9400/metrics"},
                                                                {"group", "prefill"}}));
}

TEST(SensorSpecIn, ACommaInAValueIsWrittenWithABackslash) {
  EXPECT_EQ(sensor_spec_in("dcgm:pod=a\\,b,group=g")->settings.at("pod"), "a,b");
}

TEST(SensorSpecIn, ACommandGoesToTheEndAsItStands) {
  const auto spec = sensor_spec_in("exec:group=g,command=awk -F, '{print $1\\,$2}' x=y");
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->settings.at("group"), "g");
  EXPECT_EQ(spec->settings.at("command"), "awk -F, '{print $1\\,$2}' x=y");
}

TEST(SensorSpecIn, WhatIsNoSpecIsAUsageErrorWithAHint) {
  for (const char* text : {"", ":a=b", "dcgm:url", "dcgm:=x", "dcgm:group=a,group=b"}) {
    const auto spec = sensor_spec_in(text);
    ASSERT_FALSE(spec.has_value()) << text;
    EXPECT_EQ(spec.error().kind, ErrorKind::usage);
    EXPECT_NE(spec.error().hint, "");
  }
}

TEST(OpenSensor, UnknownNamesAndSettingsGetASuggestion) {
  FakeClock clock;
  const auto name = open_sensor({"dcgn", {}}, clock);
  EXPECT_EQ(name.error().kind, ErrorKind::usage);
  EXPECT_NE(name.error().message.find("did you mean dcgm"), std::string::npos)
      << name.error().message;
  const auto setting = open_sensor({"dcgm", {{"urk", "x"}}}, clock);
  EXPECT_NE(setting.error().message.find("did you mean url"), std::string::npos)
      << setting.error().message;
  EXPECT_NE(setting.error().hint.find("energy_unit"), std::string::npos);
  for (const char* needs : {"exec", "cpu-model"}) {
    EXPECT_EQ(open_sensor({needs, {}}, clock).error().kind, ErrorKind::usage) << needs;
  }
}

TEST(OpenSensors, OfThoseAskedForTheFirstThatFailsIsTheError) {
  FakeClock clock;
  EXPECT_FALSE(
      open_sensors({{"cpu-model", {{"watts_per_core", "1"}}}, {"exec", {}}}, clock).has_value());
  const auto opened = open_sensors({{"cpu-model", {{"watts_per_core", "1"}}}}, clock);
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(opened->sensors.size(), 1u);
}

TEST(SensorListings, EveryTypeIsListedWithWhatIsThereOrWhyNothingIs) {
  FakeClock clock;
  const auto listings = sensor_listings({{"cpu-model", {{"watts_per_core", "1"}}}}, clock);
  ASSERT_EQ(listings.size(), sensor_types().size());
  for (const SensorListing& listing : listings) {
    EXPECT_NE(listing.contents.has_value(), !listing.absent.message.empty()) << listing.type->name;
    EXPECT_EQ(listing.contents.has_value(), listing.absent.hint.empty()) << listing.type->name;
  }
}

// The contract of every row of the table, also of one added later.

std::string readme_of(const SensorType& type) {
  std::string folder(type.name);
  for (char& c : folder) c = c == '-' ? '_' : c;
  std::ifstream file(std::string(TOKENJOULE_SOURCE_DIR "/src/sensors/") + folder + "/README.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Each sensor as it opens where what it measures is there.
std::vector<std::unique_ptr<Sensor>> opened_sensors(const PageServer& exporter,
                                                    const ScriptedPtd& analyser, Clock& clock) {
  const std::vector<SensorSpec> specs = {
      {"nvml", {{"library", TOKENJOULE_FAKE_NVML_LIBRARY}}},
      {"dcgm", {{"url", exporter.url().text()}}},
      {"exec",
       {{"command",
         "for i in 1 2; do echo "
         "'{\"signal\":\"p\",\"device\":\"d\",\"boundary\":\"rack\",\"watts\":5}';"
         "echo '{\"signal\":\"e\",\"device\":\"d\",\"boundary\":\"rack\",\"joules\":5}'; done;"
         "exec tail -f /dev/null"}}},
      {"cpu-model", {{"watts_per_core", "1"}}},
      {"redfish", {{"url", exporter.url("").text()}}},
      {"ipmi", {{"host", "bmc"}, {"user", "u"}, {"password_env", "TOKENJOULE_TEST_PASSWORD"}}},
      {"plug", {{"url", exporter.url("").text()}}},
      {"ptd", {{"host", "127.0.0.1"}, {"port", std::to_string(analyser.port())}}}};
  auto opened = open_sensors(specs, clock);
  EXPECT_TRUE(opened.has_value()) << (opened ? "" : opened.error().message);
  return opened ? std::move(opened->sensors) : std::vector<std::unique_ptr<Sensor>>();
}

std::string exporter_page() {
  std::string text;
  for (const char* metric : {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_DEV_POWER_USAGE",
                             "DCGM_FI_DEV_POWER_USAGE_INSTANT", "DCGM_FI_DEV_ENFORCED_POWER_LIMIT",
                             "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", "DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX",
                             "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_SM_CLOCK",
                             "DCGM_FI_DEV_MEM_CLOCK", "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED",
                             "DCGM_FI_DEV_THERMAL_VIOLATION", "DCGM_FI_DEV_POWER_VIOLATION"}) {
    text += std::string(metric) + "{gpu=\"0\",UUID=\"GPU-a\"} 50\n";
  }
  return text;
}

void add_redfish_pages(PageServer& server) {
  server.set("GET /redfish/v1/Chassis",
             {200, R"({"Members":[{"@odata.id":"/redfish/v1/Chassis/1"}]})"});
  server.set("GET /redfish/v1/Chassis/1",
             {200, R"({"EnvironmentMetrics":{"@odata.id":"/environment"}})"});
  server.set("GET /environment",
             {200, R"({"PowerWatts":{"Reading":400},"EnergykWh":{"Reading":1}})"});
}

TEST(SensorContract, EverySignalHasUnitBoundaryAndDeviceAndStandsInTheReadme) {
  PageServer exporter({{"GET /metrics", {200, exporter_page(), "text/plain"}}});
  add_redfish_pages(exporter);
  exporter.set("GET /shelly", {200, R"({"gen":2})"});
  exporter.set("GET /rpc/Switch.GetStatus?id=0", {200, R"({"apower":5,"aenergy":{"total":1}})"});
  ScriptedPtd analyser;
  analyser.add({1, 2, 3, 4}, "412.5");
  const ScriptedIpmitool ipmitool;
  const ScriptedNvml nvml("[gpu]\nuuid = GPU-a\npower = 50\nlimit_enforced = 60\n");
  SystemClock clock;
  const auto sensors = opened_sensors(exporter, analyser, clock);
  ASSERT_EQ(sensors.size(), sensor_types().size()) << "a sensor of the table is not in this test";
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const std::string readme = readme_of(sensor_types()[i]);
    const SensorContents& contents = sensors[i]->contents();
    ASSERT_FALSE(contents.signals.empty());
    for (std::size_t id = 0; id < contents.signals.size(); ++id) {
      const Signal& signal = contents.signals[id];
      EXPECT_EQ(signal.id, id);
      EXPECT_EQ(signal.sensor, sensor_types()[i].name);
      EXPECT_FALSE(signal.raw_unit.empty());
      EXPECT_GT(signal.to_si, 0);
      EXPECT_FALSE(signal.source.empty());
      EXPECT_FALSE(signal.accuracy.source.empty());
      EXPECT_NE(readme.find("`" + std::string(name_of(signal.measurand)) + "`"), std::string::npos)
          << signal.sensor << ' ' << name_of(signal.measurand);
      EXPECT_NE(readme.find(signal.sensor == "exec" ? "as the line says"
                                                    : std::string(name_of(signal.boundary))),
                std::string::npos);
      const auto is_its_device = [&](const Device& device) { return device.id == signal.device; };
      EXPECT_TRUE(std::any_of(contents.devices.begin(), contents.devices.end(), is_its_device));
    }
  }
}

TEST(SensorContract, EveryReadmeNamesRightsPeriodBiasesAndEverySetting) {
  for (const SensorType& type : sensor_types()) {
    const std::string readme = readme_of(type);
    ASSERT_FALSE(readme.empty()) << type.name << " has no README.md";
    for (const char* part : {"## Signals", "eriod", "## Known biases", "## How it is tested"}) {
      EXPECT_NE(readme.find(part), std::string::npos) << type.name << ": " << part;
    }
    for (const std::string_view setting : type.settings) {
      EXPECT_NE(readme.find(setting), std::string::npos) << type.name << ": " << setting;
    }
    EXPECT_FALSE(type.what.empty());
    EXPECT_FALSE(type.rights.empty());
  }
}

TEST(SensorContract, WhereTheDeviceIsAbsentTheErrorHasAHint) {
  FakeClock clock;
  // Port 1 of loopback: nothing listens there.
  for (const SensorSpec& spec :
       {SensorSpec{"nvml", {{"library", "/no/such/libnvidia-ml.so.1"}}},
        SensorSpec{"dcgm", {{"url", "http://127.0.0.1:1/metrics"}}},
        SensorSpec{"exec", {{"command", "exit 1"}}},
        SensorSpec{"cpu-model", {{"watts_per_core", "1"}, {"pid", "4194304"}}},
        SensorSpec{"redfish", {{"url", "https://127.0.0.1:1"}}},
        SensorSpec{"ipmi", {{"file", "/no/such/ipmi0"}}},
        SensorSpec{"plug", {{"url", "http://127.0.0.1:1"}}},
        SensorSpec{"ptd", {{"host", "127.0.0.1"}, {"port", "1"}}}}) {
    const auto sensor = open_sensor(spec, clock);
    ASSERT_FALSE(sensor.has_value()) << spec.name;
    EXPECT_EQ(sensor.error().kind, ErrorKind::missing) << spec.name;
    EXPECT_FALSE(sensor.error().message.empty());
    EXPECT_FALSE(sensor.error().hint.empty()) << spec.name;
  }
}

}  // namespace
}  // namespace tokenjoule
