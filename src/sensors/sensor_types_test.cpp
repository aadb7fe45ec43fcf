#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "io/testing_server.hpp"
#include "sensors/ipmi/scripted_ipmitool.hpp"
#include "sensors/nvml/scripted_nvml.hpp"
#include "sensors/perf/perf_sensor.hpp"
#include "sensors/perf/scripted_perf.hpp"
#include "sensors/ptd/scripted_ptd.hpp"
#include "sensors/sensor.hpp"
#include "sensors/snmp/testing_snmp_agent.hpp"
#include "sensors/testing_machine.hpp"

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

/// What is said of sensors that are read together.
Status opened_together(const std::vector<SensorSpec>& specs) {
  FakeClock clock;
  std::vector<std::unique_ptr<Sensor>> sensors;
  for (const SensorSpec& spec : specs) {
    TRY(auto sensor, open_sensor(spec, clock));
    sensors.push_back(std::move(sensor));
  }
  return check_gpus_once(sensors);
}

TEST(CheckGpusOnce, ASumOfGpusBesideOneOfThemIsRefusedSinceItWouldCountTwice) {
  PageServer server(
      {{"GET /energy_metrics", {200, R"({"total_energy_j": 5, "query_time": 1})"}},
       {"GET /metrics", {200, "nv_energy_consumption{gpu_uuid=\"GPU-a\"} 5\n", "text/plain"}}});
  const SensorSpec sum{"trtllm", {{"url", server.url("").text()}}};
  const SensorSpec gpu{"triton", {{"url", server.url().text()}}};
  EXPECT_TRUE(opened_together({sum}).has_value());
  EXPECT_TRUE(opened_together({sum, sum}).has_value()) << "one device, listed twice";
  for (const auto& specs : {std::vector{sum, gpu}, std::vector{gpu, sum}}) {
    const auto opened = opened_together(specs);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().kind, ErrorKind::usage);
    EXPECT_NE(opened.error().message.find("twice"), std::string::npos);
  }
}

TEST(CheckGpusOnce, OneGpuUnderTwoNamesIsRefusedSinceItWouldCountTwice) {
  const TestTree tree;
  write_amd_card(tree, "card1", "0000:c1:00.0", "0x74a1");
  tree.write("sys/class/drm/card1/device/hwmon/hwmon2/power1_input", "60000000\n");
  tree.write("sys/class/drm/card1/device/serial_number", "S1\n");
  PageServer server(
      {{"GET /one", {200, "gpu_package_power{serial_number=\"S1\"} 60\n", "text/plain"}},
       {"GET /two", {200, "gpu_package_power{serial_number=\"S2\"} 60\n", "text/plain"}}});
  const SensorSpec files{"amd", {{"root", tree.root().string()}}};
  const auto page = [&](const char* path) {
    return SensorSpec{"amd-exporter", {{"url", server.url(path).text()}}};
  };
  EXPECT_TRUE(opened_together({files, page("/two")}).has_value());
  const auto opened = opened_together({files, page("/one")});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().kind, ErrorKind::usage);
  EXPECT_NE(opened.error().message.find("one GPU, by its serial number S1"), std::string::npos);
}

TEST(OpenSensor, EveryTypeOpensOrSaysWhyItIsNotHereAndWhatToDo) {
  FakeClock clock;
  for (const SensorType& type : sensor_types()) {
    const auto sensor = open_sensor({std::string(type.name), {}}, clock);
    if (sensor.has_value()) continue;
    EXPECT_FALSE(sensor.error().message.empty()) << type.name;
    EXPECT_FALSE(sensor.error().hint.empty()) << type.name;
  }
}

// The contract of every row of the table, also of one added later.

std::string readme_of(const SensorType& type) {
  std::string folder(type.name);
  for (char& c : folder) c = c == '-' ? '_' : c;
  std::ifstream file(std::string(TOKENJOULE_SOURCE_DIR "/src/sensors/") + folder + "/README.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// How each sensor opens where what it measures is there.
std::vector<SensorSpec> working_specs(const PageServer& exporter, const ScriptedAgent& agent,
                                      const ScriptedPtd& analyser, const std::string& root) {
  return {
      {"nvml", {{"library", TOKENJOULE_FAKE_NVML_LIBRARY}}},
      {"dcgm", {{"url", exporter.url().text()}}},
      {"amd", {{"root", root}}},
      {"intel", {{"root", root}}},
      {"jetson", {{"root", root}}},
      {"grace", {{"root", root}}},
      {"rapl", {{"root", root}}},
      {"perf", {{"root", root}}},
      {"exec",
       {{"command",
         "for i in 1 2; do echo "
         "'{\"signal\":\"p\",\"device\":\"d\",\"boundary\":\"rack\",\"watts\":5}';"
         "echo '{\"signal\":\"e\",\"device\":\"d\",\"boundary\":\"rack\",\"joules\":5}'; "
         "done;"
         "exec tail -f /dev/null"}}},
      {"cpu-model", {{"watts_per_core", "1"}}},
      {"redfish", {{"url", exporter.url("").text()}}},
      {"ipmi", {{"host", "bmc"}, {"user", "u"}, {"password_env", "TOKENJOULE_TEST_PASSWORD"}}},
      {"snmp", {{"host", agent.host()}, {"community", "public"}, {"profile", "apc"}}},
      {"prometheus",
       {{"url", exporter.url("").text()}, {"query", "p"}, {"unit", "W"}, {"boundary", "node_ac"}}},
      {"amd-exporter", {{"url", exporter.url("/amd").text()}}},
      {"triton", {{"url", exporter.url("/triton").text()}}},
      {"trtllm", {{"url", exporter.url("/energy_metrics").text()}}},
      {"plug", {{"url", exporter.url("").text()}}},
      {"ptd", {{"host", "127.0.0.1"}, {"port", std::to_string(analyser.port())}}}};
}

/// The sensors of the table, in its order.
std::vector<std::unique_ptr<Sensor>> opened_sensors(const std::vector<SensorSpec>& specs,
                                                    ScriptedPerf& perf, Clock& clock) {
  std::vector<std::unique_ptr<Sensor>> sensors;
  for (const SensorType& type : sensor_types()) {
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const SensorSpec& candidate) {
      return candidate.name == type.name;
    });
    EXPECT_NE(spec, specs.end()) << type.name << " is not in this test";
    if (spec == specs.end()) continue;
    auto opened = type.name == "perf" ? open_perf_with(*spec, clock, perf.opener())
                                      : open_sensor(*spec, clock);
    EXPECT_TRUE(opened.has_value()) << type.name << ": " << opened.error().message;
    if (opened) sensors.push_back(std::move(*opened));
  }
  return sensors;
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

PageServer::Page promql_page(const std::string& type, const std::string& result) {
  return {200,
          R"({"status":"success","data":{"resultType":")" + type + R"(","result":)" + result + "}}",
          "application/json"};
}

TEST(SensorContract, EverySignalHasUnitBoundaryAndDeviceAndStandsInTheReadme) {
  PageServer exporter({{"GET /metrics", {200, exporter_page(), "text/plain"}}});
  add_redfish_pages(exporter);
  exporter.set("GET /shelly", {200, R"({"gen":2})"});
  exporter.set("GET /rpc/Switch.GetStatus?id=0", {200, R"({"apower":5,"aenergy":{"total":1}})"});
  ScriptedPtd analyser;
  analyser.add({1, 2, 3, 4}, "412.5");
  const ScriptedIpmitool ipmitool;
  exporter.set("GET /api/v1/query?query=p%5B5m%5D",
               promql_page("matrix", R"([{"metric":{},"values":[[1,"5"]]}])"));
  exporter.set("GET /api/v1/query?query=time%28%29", promql_page("scalar", R"([1,"1"])"));
  const ScriptedNvml nvml("[gpu]\nuuid = GPU-a\npower = 50\nlimit_enforced = 60\n");
  exporter.set("GET /amd", {200,
                            "gpu_energy_consumed{serial_number=\"S\"} 5\n"
                            "gpu_package_power{serial_number=\"S\"} 5\n"
                            "gpu_average_package_power{serial_number=\"S\"} 5\n"
                            "gpu_power_usage{serial_number=\"S\"} 5\n",
                            "text/plain"});
  exporter.set("GET /triton", {200,
                               "nv_energy_consumption{gpu_uuid=\"G\"} 5\n"
                               "nv_gpu_power_usage{gpu_uuid=\"G\"} 5\n"
                               "nv_gpu_power_limit{gpu_uuid=\"G\"} 5\n"
                               "nv_gpu_utilization{gpu_uuid=\"G\"} 1\n"
                               "nv_gpu_memory_used_bytes{gpu_uuid=\"G\"} 5\n",
                               "text/plain"});
  exporter.set("GET /energy_metrics", {200, R"({"total_energy_j": 5, "query_time": 1})"});
  const ScriptedAgent agent({{"1.3.6.1.4.1.318.1.1.26.4.3.1.5.1", {ScriptedAgent::kInteger, 5}},
                             {"1.3.6.1.4.1.318.1.1.26.4.3.1.9.1", {ScriptedAgent::kInteger, 5}}});
  SystemClock clock;
  const TestTree tree;
  write_machine(tree);
  ScriptedPerf perf;
  perf.counts[{2, 0}] = 5;
  const auto sensors =
      opened_sensors(working_specs(exporter, agent, analyser, tree.root().string()), perf, clock);
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
        SensorSpec{"amd", {{"root", "/no/such/root"}}},
        SensorSpec{"intel", {{"root", "/no/such/root"}}},
        SensorSpec{"jetson", {{"root", "/no/such/root"}}},
        SensorSpec{"grace", {{"root", "/no/such/root"}}},
        SensorSpec{"rapl", {{"root", "/no/such/root"}}},
        SensorSpec{"perf", {{"root", "/no/such/root"}}},
        SensorSpec{"exec", {{"command", "exit 1"}}},
        SensorSpec{"cpu-model", {{"watts_per_core", "1"}, {"pid", "4194304"}}},
        SensorSpec{"redfish", {{"url", "https://127.0.0.1:1"}}},
        SensorSpec{"ipmi", {{"file", "/no/such/ipmi0"}}},
        SensorSpec{"snmp",
                   {{"host", "127.0.0.1:1"},
                    {"community", "public"},
                    {"profile", "apc"},
                    {"timeout", "50ms"},
                    {"retries", "0"}}},
        SensorSpec{"prometheus",
                   {{"url", "http://127.0.0.1:1"},
                    {"query", "p"},
                    {"unit", "W"},
                    {"boundary", "node_ac"}}},
        SensorSpec{"amd-exporter", {{"url", "http://127.0.0.1:1/metrics"}}},
        SensorSpec{"triton", {{"url", "http://127.0.0.1:1/metrics"}}},
        SensorSpec{"trtllm", {{"url", "http://127.0.0.1:1"}}},
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
