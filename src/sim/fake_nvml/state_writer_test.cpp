#include "sim/fake_nvml/state_writer.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "io/clock.hpp"
#include "sensors/nvml/engine_gpus.hpp"
#include "sensors/nvml/nvml_sensor.hpp"

namespace tokenjoule {
namespace {

FakeGpu shown_gpu(std::uint64_t energy_mj, std::uint32_t milliwatts) {
  FakeGpu gpu;
  put_text(gpu.uuid, "GPU-51d00000-0000-0000-0000-000000000001");
  put_text(gpu.name, "Simulated GPU");
  gpu.architecture = 9;
  gpu.energy_mj = energy_mj;
  gpu.average_mw = milliwatts;
  gpu.instant_mw = milliwatts;
  gpu.process_count = 1;
  gpu.processes[0] = {.pid = static_cast<std::uint32_t>(getpid()), .memory_bytes = 1};
  return gpu;
}

/// A place for the shared file, made known to the fake library.
struct Place {
  Place() {
    char name[] = "/tmp/tokenjoule-state-XXXXXX";
    if (mkdtemp(name) == nullptr) std::abort();
    folder = name;
    setenv(kFakeStateVariable, path().c_str(), 1);
  }
  ~Place() {
    unsetenv(kFakeStateVariable);
    std::filesystem::remove_all(folder);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  std::string path() const { return folder / "state"; }
  std::filesystem::path folder;
};

const SensorSpec kFakeNvml{"nvml", {{"library", TOKENJOULE_FAKE_NVML_LIBRARY}}};

std::optional<double> energy_read(Sensor& sensor, Clock& clock) {
  const Signal& first = sensor.contents().signals.front();
  const auto sample = sensor.poll(clock);
  if (!sample || first.measurand != Measurand::energy) return std::nullopt;
  for (const Reading& reading : sample->readings) {
    if (reading.signal == first.id) return reading.raw;
  }
  return std::nullopt;
}

TEST(FakeNvmlWriter, ShowsItsGpusToTheSensorAsTheyAreNow) {
  const Place place;
  const FakeGpu gpus[] = {shown_gpu(1000, 90'000)};
  auto writer = FakeNvmlWriter::create(place.path(), "550.00", gpus);
  ASSERT_TRUE(writer) << writer.error().message;
  FakeClock clock;
  const auto sensor = open_nvml(kFakeNvml, clock);
  ASSERT_TRUE(sensor) << sensor.error().message;
  EXPECT_TRUE((*sensor)->contents().devices[0].simulated);
  EXPECT_EQ(energy_read(**sensor, clock), 1000);
  while ((*sensor)->has_more()) ASSERT_TRUE((*sensor)->poll(clock));
  writer->publish(0, shown_gpu(2500, 90'000));
  EXPECT_EQ(energy_read(**sensor, clock), 2500);
}

TEST(FakeNvmlWriter, LosesItsGpusWhenItEnds) {
  const Place place;
  const FakeGpu gpus[] = {shown_gpu(1000, 90'000)};
  std::optional<FakeNvmlWriter> writer = *FakeNvmlWriter::create(place.path(), "550.00", gpus);
  FakeClock clock;
  const auto sensor = open_nvml(kFakeNvml, clock);
  ASSERT_TRUE(sensor);
  while (true) {
    ASSERT_TRUE((*sensor)->poll(clock));
    if (!(*sensor)->has_more()) break;
  }
  writer.reset();
  EXPECT_FALSE(std::filesystem::exists(place.path()));
  const auto sample = (*sensor)->poll(clock);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().kind, ErrorKind::unavailable);
  EXPECT_FALSE(open_nvml(kFakeNvml, clock));
}

TEST(FakeNvmlWriter, TakesThePlaceOfOneThatWasKilled) {
  const Place place;
  const FakeGpu gpus[] = {shown_gpu(1, 1)};
  std::optional<FakeNvmlWriter> first = *FakeNvmlWriter::create(place.path(), "1", gpus);
  auto second = FakeNvmlWriter::create(place.path(), "2", gpus);
  ASSERT_TRUE(second) << second.error().message;
  FakeClock clock;
  EXPECT_TRUE(open_nvml(kFakeNvml, clock));
}

TEST(FakeNvmlWriter, RefusesAPlaceThatCannotBeWritten) {
  const FakeGpu gpus[] = {shown_gpu(1, 1)};
  EXPECT_FALSE(FakeNvmlWriter::create("/no/such/folder/state", "1", gpus));
}

TEST(FakeNvmlWriter, NamesTheProcessesThatComputeThere) {
  const Place place;
  const FakeGpu gpus[] = {shown_gpu(1, 1)};
  const auto writer = FakeNvmlWriter::create(place.path(), "550.00", gpus);
  ASSERT_TRUE(writer);
  const auto listed = gpu_processes(TOKENJOULE_FAKE_NVML_LIBRARY);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->at(0).pids, std::vector<pid_t>{getpid()});
}

TEST(FakeGpuSlot, NeverShowsHalfOfAState) {
  FakeGpuSlot slot;
  slot.write(shown_gpu(0, 0));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < 2000; ++i) slot.write(shown_gpu(i, i));
    done = true;
  });
  while (!done) {
    if (const auto gpu = slot.read()) {
      EXPECT_EQ(gpu->energy_mj, gpu->instant_mw);
    }
  }
  writer.join();
}

}  // namespace
}  // namespace tokenjoule
