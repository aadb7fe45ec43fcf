#include "sensors/nvml/nvml_sensor.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "sensors/nvml/scripted_nvml.hpp"

namespace tokenjoule {
namespace {

const std::string kH200 = R"(
[gpu]
uuid = GPU-51d00000-0000-0000-0000-000000000001
name = Simulated H200
bus_id = 00000000:3B:00.0
architecture = 9
flags = counter power average power_fields persistence
power = 0:100 10:400
start_mj = 5000000
counter_step = 0.1
limit_enforced = 0:700 20:500
limit_requested = 700
limit_default = 700
limit_min = 200
limit_max = 700
temperature = 41
sm_clock = 1980
memory_clock = 2619
utilisation = 37
memory_total = 150000000000
memory_used = 120000000000
power_capped_ns = 2000000000
sw_thermal_ns = 1000000000
)";

SensorSpec spec_of(const char* library) { return {"nvml", {{"library", library}}}; }

/// A sensor on a script, and everything that one round of it read, by measurand and boundary.
struct World {
  explicit World(const std::string& script, const char* library = TOKENJOULE_FAKE_NVML_LIBRARY)
      : nvml(script), opened(open_nvml(spec_of(library), clock)) {}

  Sensor& sensor() { return **opened; }
  const std::vector<Signal>& signals() { return sensor().contents().signals; }

  const Signal* signal(Measurand measurand, std::string_view source_part = "") {
    const auto at = std::find_if(signals().begin(), signals().end(), [&](const Signal& signal) {
      return signal.measurand == measurand && signal.source.find(source_part) != std::string::npos;
    });
    return at == signals().end() ? nullptr : &*at;
  }

  /// One round at that time of the script; the error of its last poll, if there was one.
  std::optional<Error> round(double seconds) {
    nvml.set_time(seconds);
    values.clear();
    do {
      const auto sample = sensor().poll(clock);
      if (!sample) return sample.error();
      for (const Reading& reading : sample->readings) values[reading.signal] = reading.raw;
    } while (sensor().has_more());
    return std::nullopt;
  }

  std::optional<double> value(Measurand measurand, std::string_view source_part = "") {
    const Signal* const found = signal(measurand, source_part);
    if (found == nullptr || values.count(found->id) == 0) return std::nullopt;
    return values[found->id];
  }

  ScriptedNvml nvml;
  FakeClock clock;
  Result<std::unique_ptr<Sensor>> opened;
  std::map<std::uint32_t, double> values;
};

TEST(NvmlSensor, ReadsCounterAndBothPowers) {
  World world(kH200);
  ASSERT_TRUE(world.opened) << world.opened.error().message;
  ASSERT_FALSE(world.round(2.0));
  EXPECT_EQ(world.value(Measurand::energy), 5'200'000);  // 5 000 J + 2 s * 100 W
  EXPECT_EQ(world.value(Measurand::power, "185"), 100'000);
  EXPECT_EQ(world.value(Measurand::power, "186"), 100'000);
  ASSERT_FALSE(world.round(10.5));
  EXPECT_EQ(world.value(Measurand::energy), 6'200'000);      // + 10 s * 100 W + 0.5 s * 400 W
  EXPECT_EQ(world.value(Measurand::power, "185"), 250'000);  // half a second of each
  EXPECT_EQ(world.value(Measurand::power, "186"), 400'000);
}

TEST(NvmlSensor, ReadsStateAndLimits) {
  World world(kH200);
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(2.0));
  EXPECT_EQ(world.value(Measurand::power_limit_enforced), 700'000);
  EXPECT_EQ(world.value(Measurand::power_limit_default), 700'000);
  EXPECT_EQ(world.value(Measurand::power_limit_max), 700'000);
  EXPECT_EQ(world.value(Measurand::power_limit_min), 200'000);
  EXPECT_EQ(world.value(Measurand::power_limit_requested), 700'000);
  EXPECT_EQ(world.value(Measurand::temperature), 41);
  EXPECT_EQ(world.value(Measurand::sm_clock), 1980);
  EXPECT_EQ(world.value(Measurand::memory_clock), 2619);
  EXPECT_EQ(world.value(Measurand::utilisation), 37);
  EXPECT_EQ(world.value(Measurand::memory_used), 120e9);
  EXPECT_EQ(world.value(Measurand::power_capped_time), 2e9);
  EXPECT_EQ(world.value(Measurand::throttled_time), 1e9);
}

TEST(NvmlSensor, SeesALimitThatChanges) {
  World world(kH200);
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(1.0));
  EXPECT_EQ(world.value(Measurand::power_limit_enforced), 700'000);
  world.clock.advance(whole_seconds(1));
  ASSERT_FALSE(world.round(21.0));
  EXPECT_EQ(world.value(Measurand::power_limit_enforced), 500'000);
}

TEST(NvmlSensor, ReadsStateOnceASecondAndPowerEachTime) {
  World world(kH200);
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(1.0));
  EXPECT_TRUE(world.value(Measurand::temperature));
  world.clock.advance(milliseconds(999));
  ASSERT_FALSE(world.round(1.999));
  EXPECT_FALSE(world.value(Measurand::temperature));
  EXPECT_TRUE(world.value(Measurand::power));
  world.clock.advance(milliseconds(1));
  ASSERT_FALSE(world.round(2.0));
  EXPECT_TRUE(world.value(Measurand::temperature));
}

TEST(NvmlSensor, KnowsItsDevice) {
  World world(kH200);
  ASSERT_TRUE(world.opened);
  const auto& devices = world.sensor().contents().devices;
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].id, "GPU-51d00000-0000-0000-0000-000000000001");
  EXPECT_EQ(devices[0].name, "Simulated H200");
  EXPECT_EQ(devices[0].kind, DeviceKind::gpu);
  EXPECT_EQ(devices[0].label, "0");
  EXPECT_TRUE(devices[0].simulated);
  const std::map<std::string, std::string> facts = {{"architecture", "Hopper"},
                                                    {"mig_mode", "off"},
                                                    {"nvml_version", "12.550.54.15"},
                                                    {"pci_address", "0000:3b:00.0"},
                                                    {"persistence_mode", "on"}};
  EXPECT_EQ(devices[0].facts, facts);
  EXPECT_EQ(world.signals()[0].driver, "550.54.15");
}

TEST(NvmlSensor, OfARealUuidIsNotSimulated) {
  World world("[gpu]\nuuid = GPU-8f6a\npower = 100\n");
  ASSERT_TRUE(world.opened);
  EXPECT_FALSE(world.sensor().contents().devices[0].simulated);
}

TEST(NvmlCounter, StepsEvery100Milliseconds) {
  World world("[gpu]\nuuid = GPU-1\npower = 400\ncounter_step = 0.1\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(0.25));
  EXPECT_EQ(world.value(Measurand::energy), 80'000);  // 0.2 s * 400 W
  ASSERT_FALSE(world.round(0.31));
  EXPECT_EQ(world.value(Measurand::energy), 120'000);
}

TEST(NvmlCounter, StepsEvery20Milliseconds) {
  World world("[gpu]\nuuid = GPU-1\npower = 400\ncounter_step = 0.02\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(0.25));
  EXPECT_EQ(world.value(Measurand::energy), 96'000);  // 0.24 s * 400 W
}

TEST(NvmlCounter, ThatIsResetIsReadAsItIs) {
  World world("[gpu]\nuuid = GPU-1\npower = 100\nstart_mj = 7000000\nreset_at = 5\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(4.0));
  EXPECT_EQ(world.value(Measurand::energy), 7'400'000);
  ASSERT_FALSE(world.round(6.0));
  EXPECT_EQ(world.value(Measurand::energy), 100'000);  // 1 s since; the analysis sees it go back
}

TEST(NvmlCounter, ThatIsFrozenIsReadBesideThePowerThatGoesOn) {
  World world("[gpu]\nuuid = GPU-1\npower = 100\nfreeze_at = 5\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(9.0));
  EXPECT_EQ(world.value(Measurand::energy), 500'000);
  EXPECT_EQ(world.value(Measurand::power, "186"), 100'000);
}

TEST(NvmlSensor, OfAPascalHasInstantPowerAndNoCounter) {
  World world(
      "[gpu]\nuuid = GPU-1\nname = Tesla P100\narchitecture = 4\nflags = power\npower = 150\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(3.0));
  EXPECT_EQ(world.signal(Measurand::energy), nullptr);
  const Signal* const power = world.signal(Measurand::power);
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(power->source, "nvmlDeviceGetPowerUsage");
  EXPECT_EQ(power->averaging, std::nullopt);
  EXPECT_EQ(world.value(Measurand::power), 150'000);
}

TEST(NvmlSensor, OfAHopperUnderAnOldDriverHasAveragePower) {
  World world(
      "[gpu]\nuuid = GPU-1\narchitecture = 9\nflags = counter power average\npower = 150\n");
  ASSERT_TRUE(world.opened);
  const Signal* const power = world.signal(Measurand::power);
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(power->source, "nvmlDeviceGetPowerUsage");
  EXPECT_EQ(power->averaging, Seconds(1));
}

TEST(NvmlSensor, ReadsWhatALibraryOf2016Has) {
  World world("driver = 375.26\n" + kH200, TOKENJOULE_FAKE_NVML_OLD_LIBRARY);
  ASSERT_TRUE(world.opened) << world.opened.error().message;
  ASSERT_FALSE(world.round(2.0));
  EXPECT_EQ(world.signal(Measurand::energy), nullptr);
  EXPECT_EQ(world.value(Measurand::power), 100'000);
  EXPECT_EQ(world.value(Measurand::power_limit_enforced), 700'000);
  EXPECT_EQ(world.value(Measurand::power_limit_max), 700'000);
  EXPECT_EQ(world.value(Measurand::temperature), 41);
  EXPECT_EQ(world.signal(Measurand::throttled_time), nullptr);
}

TEST(NvmlSensor, SumsTheSlowdownCountersWhereTheDriverKeepsThem) {
  const std::string times = "sw_thermal_ns = 100\nhw_thermal_ns = 20\npower_brake_ns = 3\n";
  for (const char* driver : {"575.57.08", "580.126.09"}) {
    World world("driver = " + std::string(driver) + "\n[gpu]\nuuid = GPU-1\npower = 100\n" + times);
    ASSERT_TRUE(world.opened);
    ASSERT_FALSE(world.round(1.0));
    EXPECT_EQ(world.value(Measurand::throttled_time), 123) << driver;
  }
  World world("driver = 550.54.15\n[gpu]\nuuid = GPU-1\npower = 100\n" + times);
  ASSERT_FALSE(world.round(1.0));
  EXPECT_EQ(world.value(Measurand::throttled_time), 100);
}

TEST(NvmlSensor, OfGh200KeepsModuleAndBoardApart) {
  World world(
      "[gpu]\nuuid = GPU-1\nname = NVIDIA GH200 480GB\narchitecture = 9\npower = 400\n"
      "module_power = 600\nflags = counter power average power_fields module module_counter\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(10.0));
  const Signal* const counter = world.signal(Measurand::energy);
  ASSERT_NE(counter, nullptr);
  EXPECT_EQ(counter->boundary, Boundary::gpu_module);
  EXPECT_EQ(world.value(Measurand::energy), 6'000'000);
  EXPECT_EQ(world.value(Measurand::power, "(185)"), 400'000);
  EXPECT_EQ(world.signal(Measurand::power, "(185)")->boundary, Boundary::gpu_board);
  EXPECT_EQ(world.value(Measurand::power, "185, scope 1"), 600'000);
  EXPECT_EQ(world.signal(Measurand::power, "185, scope 1")->boundary, Boundary::gpu_module);
}

TEST(NvmlSensor, LeavesOutACounterOfUnknownBoundaryAndSaysSo) {
  World world(
      "[gpu]\nuuid = GPU-1\nname = NVIDIA GB200\narchitecture = 10\npower = 400\n"
      "module_power = 600\nflags = counter power average power_fields module module_counter\n");
  ASSERT_TRUE(world.opened);
  EXPECT_EQ(world.signal(Measurand::energy), nullptr);
  EXPECT_NE(world.sensor().contents().devices[0].facts.at("left_out").find("not known"),
            std::string::npos);
}

TEST(NvmlSensor, CountsAGpuInMigModeOnceAndWhole) {
  World world("[gpu]\nuuid = GPU-1\narchitecture = 9\npower = 300\nmig_instances = 3\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(2.0));
  ASSERT_EQ(world.sensor().contents().devices.size(), 1U);
  EXPECT_EQ(world.sensor().contents().devices[0].facts.at("mig_mode"), "on");
  EXPECT_EQ(world.value(Measurand::energy), 600'000);
}

TEST(NvmlSensor, RefusesAVirtualGpuAndSaysWhy) {
  World world("[gpu]\nuuid = GPU-1\nname = GRID A100-10C\nflags = virtual_gpu\n");
  ASSERT_FALSE(world.opened);
  EXPECT_EQ(world.opened.error().kind, ErrorKind::missing);
  EXPECT_NE(world.opened.error().message.find("virtual GPU"), std::string::npos);
}

TEST(NvmlSensor, RefusesGpusThatMayNotBeOpened) {
  World world("[gpu]\nuuid = GPU-1\nopen_result = 4\n");
  ASSERT_FALSE(world.opened);
  EXPECT_EQ(world.opened.error().kind, ErrorKind::missing);
  EXPECT_NE(world.opened.error().message.find("none of 1 GPUs"), std::string::npos);
  EXPECT_NE(world.opened.error().message.find("no permission"), std::string::npos);
  EXPECT_NE(world.opened.error().hint.find("/dev/nvidia"), std::string::npos);
}

TEST(NvmlSensor, TellsHowManyOfTheGpusItSees) {
  World world("[gpu]\nuuid = GPU-1\nopen_result = 17\n[gpu]\nuuid = GPU-2\npower = 100\n");
  ASSERT_TRUE(world.opened);
  EXPECT_EQ(world.sensor().contents().devices.size(), 1U);
  EXPECT_EQ(world.sensor().contents().devices[0].label, "1");
  const auto losses = world.sensor().take_losses();
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_NE(losses[0].reason.find("1 of 2 GPUs"), std::string::npos);
  EXPECT_TRUE(world.sensor().take_losses().empty());
}

TEST(NvmlSensor, SaysWhyThereIsNoDriver) {
  World not_loaded("init_result = 9\n");
  ASSERT_FALSE(not_loaded.opened);
  EXPECT_NE(not_loaded.opened.error().message.find("driver is not loaded"), std::string::npos);
  World mismatch("init_result = 18\n");
  ASSERT_FALSE(mismatch.opened);
  EXPECT_NE(mismatch.opened.error().hint.find("reboot"), std::string::npos);
  World no_gpu("");
  ASSERT_FALSE(no_gpu.opened);
  EXPECT_NE(no_gpu.opened.error().message.find("finds no GPU"), std::string::npos);
  World no_library("", "/no/such/libnvidia-ml.so.1");
  ASSERT_FALSE(no_library.opened);
  EXPECT_NE(no_library.opened.error().message.find("/no/such/libnvidia-ml.so.1"),
            std::string::npos);
}

TEST(NvmlSensor, TriesAgainAfterATimeOut) {
  World world("[gpu]\nuuid = GPU-1\npower = 100\nresult = 10\nresult_at = 5\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(4.0));
  const auto error = world.round(6.0);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::retry);
  EXPECT_TRUE(world.values.empty());
  ASSERT_FALSE(world.round(4.5));  // the driver is well again
  EXPECT_EQ(world.value(Measurand::energy), 450'000);
}

TEST(NvmlSensor, IsUnavailableOnceItsOnlyGpuIsLost) {
  World world("[gpu]\nuuid = GPU-1\npower = 100\nresult = 15\nresult_at = 5\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(4.0));
  const auto error = world.round(6.0);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::unavailable);
  EXPECT_NE(error->message.find("lost"), std::string::npos);
  EXPECT_TRUE(world.values.empty());
}

TEST(NvmlSensor, GoesOnWithTheOtherGpuWhenOneIsLost) {
  World world(
      "[gpu]\nuuid = GPU-1\npower = 100\nresult = 16\nresult_at = 5\n[gpu]\nuuid = GPU-2\n"
      "power = 200\n");
  ASSERT_TRUE(world.opened);
  ASSERT_FALSE(world.round(6.0));
  for (const auto& [id, raw] : world.values) EXPECT_EQ(world.signals()[id].device, "GPU-2");
  EXPECT_FALSE(world.values.empty());
  const auto losses = world.sensor().take_losses();
  ASSERT_FALSE(losses.empty());
  EXPECT_EQ(losses[0].reason.substr(0, 6), "GPU-1:");
}

TEST(NvmlSensor, PutsItsGroupOnItsDevices) {
  ScriptedNvml nvml("[gpu]\nuuid = GPU-1\npower = 100\n");
  FakeClock clock;
  SensorSpec spec = spec_of(TOKENJOULE_FAKE_NVML_LIBRARY);
  spec.settings["group"] = "prefill";
  const auto sensor = open_nvml(spec, clock);
  ASSERT_TRUE(sensor);
  EXPECT_EQ((*sensor)->contents().devices[0].group, "prefill");
}

}  // namespace
}  // namespace tokenjoule
