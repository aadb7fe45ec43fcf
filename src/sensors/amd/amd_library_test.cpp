#include <algorithm>
#include <functional>
#include <thread>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "model/containment.hpp"
#include "sensors/amd/amd_gpus.hpp"
#include "sensors/amd/amd_sensor.hpp"
#include "sensors/amd/scripted_amd_smi.hpp"

namespace tokenjoule {
namespace {

constexpr char kKnown[] = TOKENJOULE_FAKE_AMD_SMI_26;

/// 60 W on a counter that stands at 1000 J and `joules` more.
std::string mi300x(std::uint64_t joules, const std::string& more = "") {
  return fmt::format("[gpu]\nbdf = 0000:c1:00.0\nenergy_counts = {}\ncurrent_w = 60\n{}",
                     (1000 + joules) * 65536, more);
}

/// What a sensor on a script is like that, in the quarter of a second of its check, becomes
/// `after`.
struct World {
  World(const std::string& before, const std::string& after, const char* library = kKnown)
      : smi(before), clock([this, after] { smi.write(after); }), opened(open(library)) {}

  Result<std::unique_ptr<Sensor>> open(const char* library) {
    return open_amd({"amd", {{"library", library}, {"root", smi.tree().root().string()}}}, clock);
  }
  const SensorContents& contents() { return (*opened)->contents(); }
  const Signal* signal(Measurand measurand) {
    const auto& signals = contents().signals;
    const auto at = std::find_if(signals.begin(), signals.end(), [&](const Signal& signal) {
      return signal.measurand == measurand;
    });
    return at == signals.end() ? nullptr : &*at;
  }
  /// SI values of one round, by measurand.
  std::map<Measurand, double> round() {
    std::map<Measurand, double> values;
    do {
      const auto sample = (*opened)->poll(clock);
      if (!sample) return values;
      for (const Reading& reading : sample->readings) {
        const Signal& signal = contents().signals[reading.signal];
        values[signal.measurand] = reading.raw * signal.to_si;
      }
    } while ((*opened)->has_more());
    return values;
  }

  ScriptedAmdSmi smi;
  SleepingClock clock;
  Result<std::unique_ptr<Sensor>> opened;
};

/// One that draws the 60 W that it says: 15 J in the quarter of a second.
World sound(const std::string& more = "", const char* library = kKnown) {
  return World(mi300x(0, more), mi300x(15, more), library);
}

TEST(AmdLibrary, EachKnownVersionGivesTheSameByItsOwnStructs) {
  for (const char* library :
       {TOKENJOULE_FAKE_AMD_SMI_24, TOKENJOULE_FAKE_AMD_SMI_25, TOKENJOULE_FAKE_AMD_SMI_26}) {
    World world(mi300x(0, "average_w = 59\n"), mi300x(15, "average_w = 59\n"), library);
    ASSERT_TRUE(world.opened.has_value()) << library << world.opened.error().message;
    ASSERT_EQ(world.contents().signals.size(), 3u) << library;
    EXPECT_EQ(world.contents().signals[1].source, "amdsmi_get_power_info average_socket_power");
    const auto sample = (*world.opened)->poll(world.clock);
    ASSERT_TRUE(sample.has_value());
    ASSERT_EQ(sample->readings.size(), 3u);
    EXPECT_DOUBLE_EQ(sample->readings[0].raw / 65536, 1015.0) << library;
    EXPECT_DOUBLE_EQ(sample->readings[1].raw, 59) << library;
    EXPECT_DOUBLE_EQ(sample->readings[2].raw, 60) << library;
  }
}

TEST(AmdLibrary, IsNamedWithItsVersionAsWhatWasRead) {
  World world = sound();
  ASSERT_TRUE(world.opened.has_value());
  EXPECT_EQ(world.contents().devices[0].facts.at(kReadByFact), "libamd_smi.so.26, version 26.4.1");
}

TEST(AmdLibrary, AVersionThatIsNotKnownIsRefused) {
  World world = sound("", TOKENJOULE_FAKE_AMD_SMI_27);
  ASSERT_FALSE(world.opened.has_value());
  EXPECT_EQ(world.opened.error().kind, ErrorKind::missing);
  EXPECT_NE(world.opened.error().message.find("version 27"), std::string::npos);
  EXPECT_NE(world.opened.error().hint.find("library=none"), std::string::npos);
}

TEST(AmdLibrary, ANameAndAStatedVersionThatDifferAreRefused) {
  World world("stated_version = 25\n" + mi300x(0), mi300x(15));
  ASSERT_FALSE(world.opened.has_value());
  EXPECT_EQ(world.opened.error().message, "libamd_smi.so.26 says of itself that it is version 25");
}

TEST(AmdLibrary, AStatedYearIsNotHeldAgainstTheName) {
  World world("stated_version = 25\n" + mi300x(0), "stated_version = 25\n" + mi300x(15),
              TOKENJOULE_FAKE_AMD_SMI_24);
  ASSERT_TRUE(world.opened.has_value()) << world.opened.error().message;
  EXPECT_EQ(world.contents().devices[0].facts.at(kReadByFact),
            "libamd_smi.so.24, version 25.4.1.0");
}

TEST(AmdLibrary, AStructThatIsLongerThanItsVersionsIsRefused) {
  const World world("extra_bytes = 8\n" + mi300x(0), "");
  ASSERT_FALSE(world.opened.has_value());
  EXPECT_EQ(world.opened.error().message,
            "amdsmi_get_power_info of version 26 writes more than its 192 bytes");
}

TEST(AmdLibrary, AStructThatIsShorterThanItsVersionsIsRefused) {
  // Version 24's powers, voltages and limit end at 24 bytes: in 25 its voltages lie at the powers.
  const World world("written_bytes = 24\n" + mi300x(0), "", TOKENJOULE_FAKE_AMD_SMI_25);
  ASSERT_FALSE(world.opened.has_value());
  EXPECT_EQ(world.opened.error().kind, ErrorKind::missing);
  EXPECT_EQ(world.opened.error().message,
            "amdsmi_get_power_info of version 25 writes less than its 32 bytes");
}

TEST(AmdLibrary, OneThatBecomesAnotherStructInMidRunGivesNoPower) {
  World world = sound();
  world.smi.write("extra_bytes = 8\n" + mi300x(16));
  EXPECT_EQ(world.round().count(Measurand::power), 0u);
}

TEST(AmdLibrary, OneCountIsTwoToTheMinusSixteenJoulesThoughItSaysFifteenPointThree) {
  World world = sound();
  const Signal* energy = world.signal(Measurand::energy);
  ASSERT_NE(energy, nullptr);
  EXPECT_EQ(energy->kind, SignalKind::counter);
  EXPECT_DOUBLE_EQ(energy->to_si, 1.0 / 65536);
  EXPECT_EQ(energy->raw_unit, "2^-16 J");
  EXPECT_EQ(energy->source, "amdsmi_get_energy_count (15.3 uJ stated)");
}

TEST(AmdLibrary, AnotherResolutionIsTakenAsStatedIfPowerAgrees) {
  // 15 J are 15 000 counts of 1000 uJ.
  const auto script = [](int counts) {
    return fmt::format(
        "[gpu]\nbdf = 0000:c1:00.0\nresolution_uj = 1000\nenergy_counts = {}\ncurrent_w = 60\n",
        counts);
  };
  World agreeing(script(5000), script(20000));
  EXPECT_DOUBLE_EQ(agreeing.signal(Measurand::energy)->to_si, 1e-3);
  World apart(script(5000), script(5015));
  EXPECT_EQ(apart.signal(Measurand::energy), nullptr);
  EXPECT_NE(apart.contents().devices[0].facts.at("left_out").find("does not agree"),
            std::string::npos);
}

TEST(AmdLibrary, AResolutionThatChangesEndsTheCounter) {
  World world = sound();
  world.smi.write(mi300x(15, "resolution_uj = 1000\n"));
  const auto values = world.round();
  EXPECT_EQ(values.count(Measurand::energy), 0u);
  EXPECT_DOUBLE_EQ(values.at(Measurand::power), 60);
}

TEST(AmdLibrary, ACounterThatIsConstantOrBackwardIsNotUsed) {
  for (const std::uint64_t first : {15u, 30u}) {
    World world(mi300x(first), mi300x(15));
    ASSERT_TRUE(world.opened.has_value());
    EXPECT_EQ(world.signal(Measurand::energy), nullptr) << first;
    EXPECT_NE(world.signal(Measurand::power), nullptr);
  }
}

TEST(AmdLibrary, NotAvailableIsAbsentAndNotItsNumber) {
  World world = sound();
  world.smi.write("[gpu]\nbdf = 0000:c1:00.0\nenergy_counts = 18446744073709551615\n");
  EXPECT_TRUE(world.round().empty());  // 0xFFFF W and all ones
}

TEST(AmdLibrary, PartitionsOfAGpuCountOnce) {
  const std::string second = "[gpu]\nbdf = 0000:c1:00.1\nenergy_counts = 0\n";
  World world(mi300x(0) + second, mi300x(15) + second);
  ASSERT_TRUE(world.opened.has_value()) << world.opened.error().message;
  ASSERT_EQ(world.contents().devices.size(), 1u);
  EXPECT_EQ(world.contents().devices[0].id, "pci:0000:c1:00.0");
  EXPECT_EQ(world.contents().devices[0].facts.at("partitions"), "2");
}

TEST(AmdLibrary, TheSecondDieOfAModuleIsNoGpuOfItsOwn) {
  const std::string dies =
      "[gpu]\nbdf = 0000:c1:00.0\npci_device = 0x740c\naverage_w = 300\n"
      "[gpu]\nbdf = 0000:c6:00.0\npci_device = 0x740c\naverage_w = 0\nenergy_counts = 0\n";
  World world(dies, dies);
  ASSERT_TRUE(world.opened.has_value()) << world.opened.error().message;
  ASSERT_EQ(world.contents().devices.size(), 1u);
  EXPECT_EQ(world.contents().devices[0].facts.at("covers"), "both dies of its module");
  const auto losses = (*world.opened)->take_losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_NE(losses[0].reason.find("0000:c6:00.0: the second die"), std::string::npos);
}

TEST(AmdLibrary, AModuleWithCpuCoresSaysThatItHoldsThem) {
  World world = sound("pci_device = 0x74a0\n");
  ASSERT_TRUE(world.opened.has_value()) << world.opened.error().message;
  EXPECT_EQ(world.signal(Measurand::energy)->boundary, Boundary::gpu_module);
  EXPECT_EQ(world.contents().devices[0].facts.at(kContainsFact), kCpuAndMemory);
}

TEST(AmdLibrary, LimitsTemperatureClocksUseAndMemoryAreReadOnceASecond) {
  World world = sound(
      "cap_w = 500\ndefault_cap_w = 750\nmax_cap_w = 750\njunction_c = 55\nedge_c = 40\n"
      "graphics_mhz = 2100\nmemory_mhz = 1300\nutilisation_percent = 97\n"
      "memory_used_bytes = 1000000\n");
  const auto values = world.round();
  EXPECT_DOUBLE_EQ(values.at(Measurand::power_limit_enforced), 500);
  EXPECT_DOUBLE_EQ(values.at(Measurand::power_limit_default), 750);
  EXPECT_DOUBLE_EQ(values.at(Measurand::power_limit_max), 750);
  EXPECT_EQ(values.count(Measurand::power_limit_min), 0u);  // 0: unknown
  EXPECT_DOUBLE_EQ(values.at(Measurand::temperature), 55);
  EXPECT_DOUBLE_EQ(values.at(Measurand::sm_clock), 2100);
  EXPECT_DOUBLE_EQ(values.at(Measurand::memory_clock), 1300);
  EXPECT_DOUBLE_EQ(values.at(Measurand::utilisation), 0.97);
  EXPECT_DOUBLE_EQ(values.at(Measurand::memory_used), 1e6);
}

TEST(AmdLibrary, ABusyGpuIsReadAgainAndOneThatIsGoneIsNot) {
  World world = sound();
  world.smi.write(mi300x(16, "result = 30\n"));
  EXPECT_EQ((*world.opened)->poll(world.clock).error().kind, ErrorKind::retry);
  world.smi.write(mi300x(17));
  EXPECT_DOUBLE_EQ(world.round().at(Measurand::energy), 1017);
  world.smi.write(mi300x(17, "result = 31\n"));
  EXPECT_EQ((*world.opened)->poll(world.clock).error().kind, ErrorKind::unavailable);
}

TEST(AmdLibrary, CallsOfTwoThreadsWaitForEachOther) {
  const ScriptedAmdSmi smi(mi300x(0));
  SleepingClock clock([&] { smi.write(mi300x(15)); });
  const SensorSpec spec{"amd", {{"library", kKnown}, {"root", smi.tree().root().string()}}};
  const auto first = open_amd(spec, clock);
  smi.write(mi300x(0));
  const auto second = open_amd(spec, clock);
  ASSERT_TRUE(first.has_value() && second.has_value());
  // The fake library fails a call that begins while another one is under way.
  const auto readings_of = [](Sensor& sensor) {
    FakeClock own;
    std::size_t readings = 0;
    for (int i = 0; i < 200; ++i) readings += sensor.poll(own)->readings.size();
    return readings;
  };
  std::size_t in_thread = 0;
  std::thread thread([&] { in_thread = readings_of(**first); });
  EXPECT_EQ(readings_of(**second), 400u);  // energy and power
  thread.join();
  EXPECT_EQ(in_thread, 400u);
}

TEST(AmdLibrary, SerialNumberAndNameComeFromTheDriversFiles) {
  const ScriptedAmdSmi smi(mi300x(0));
  smi.tree().write("sys/bus/pci/devices/0000:c1:00.0/serial_number", "692251001124\n");
  SleepingClock clock([&] { smi.write(mi300x(15)); });
  const auto sensor =
      open_amd({"amd", {{"library", kKnown}, {"root", smi.tree().root().string()}}}, clock);
  ASSERT_TRUE(sensor.has_value());
  const Device& gpu = (*sensor)->contents().devices.at(0);
  EXPECT_EQ(gpu.facts.at(kSerialFact), "692251001124");
  EXPECT_EQ(gpu.name, "Simulated MI300X");
}

TEST(AmdLibrary, WithoutADriverItSaysSo) {
  World world("init_result = 34\n", "");
  EXPECT_EQ(world.opened.error().kind, ErrorKind::missing);
  EXPECT_NE(world.opened.error().message.find("driver is not loaded"), std::string::npos);
  EXPECT_NE(world.opened.error().hint.find("modprobe amdgpu"), std::string::npos);
}

TEST(AmdLibrary, AnotherLibraryIsNamed) {
  World world("", "", "libm.so.6");
  EXPECT_NE(world.opened.error().message.find("is not AMD's management library"),
            std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
