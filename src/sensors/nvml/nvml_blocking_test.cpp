// A vendor's library that does not come back for a while, on the real path: two NVML libraries, two
// sensors, the sampler.
#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sensors/nvml/nvml_sensor.hpp"
#include "sensors/nvml/scripted_nvml.hpp"
#include "sensors/sampler.hpp"

namespace tokenjoule {
namespace {

/// Keeps samples and losses, and wakes who waits for samples of a signal.
class Record {
 public:
  EventSink sink() {
    return [this](Event event) {
      const std::lock_guard lock(mutex_);
      if (auto* sample = std::get_if<Sample>(&event)) samples_.push_back(std::move(*sample));
      if (auto* loss = std::get_if<Loss>(&event)) losses_.push_back(std::move(*loss));
      changed_.notify_all();
    };
  }
  /// Waits until the signal was read `count` times, and gives the spans of these reads.
  std::vector<TimeSpan> wait_for(std::uint32_t signal, std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reads_locked(signal).size() >= count; });
    return reads_locked(signal);
  }
  std::vector<TimeSpan> reads(std::uint32_t signal) { return wait_for(signal, 0); }
  std::vector<Loss> losses() {
    const std::lock_guard lock(mutex_);
    return losses_;
  }

 private:
  std::vector<TimeSpan> reads_locked(std::uint32_t signal) const {
    std::vector<TimeSpan> reads;
    for (const Sample& sample : samples_) {
      const auto has = [&](const Reading& reading) { return reading.signal == signal; };
      if (std::any_of(sample.readings.begin(), sample.readings.end(), has)) {
        reads.push_back(sample.read);
      }
    }
    return reads;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Sample> samples_;
  std::vector<Loss> losses_;
};

std::unique_ptr<Sensor> nvml_sensor(const std::filesystem::path& library, Clock& clock) {
  auto sensor = open_nvml({"nvml", {{"library", library.string()}}}, clock);
  if (!sensor) throw std::runtime_error(sensor.error().message);
  return std::move(*sensor);
}

/// Two sensors over two copies of the fake library, each with a script of its own. Signal 0 is the
/// first one's energy.
struct TwoLibraries {
  TwoLibraries(const std::string& slow_script, Nanoseconds period) : slow_nvml(slow_script) {
    const auto copy = slow_nvml.folder() / "second.so";
    std::filesystem::copy_file(TOKENJOULE_FAKE_NVML_LIBRARY, copy);
    std::vector<std::unique_ptr<Sensor>> sensors;
    sensors.push_back(nvml_sensor(TOKENJOULE_FAKE_NVML_LIBRARY, clock));
    const ScriptedNvml quick_nvml("[gpu]\nuuid = GPU-quick\npower = 200\n");
    sensors.push_back(nvml_sensor(copy, clock));
    sampler = std::make_unique<Sampler>(std::move(sensors), clock, record.sink(),
                                        SamplerOptions{.period = period});
    const auto& signals = sampler->signals();
    quick = std::find_if(signals.begin(), signals.end(), [](const Signal& signal) {
              return signal.sensor == "nvml#2" && signal.measurand == Measurand::energy;
            })->id;
  }

  ScriptedNvml slow_nvml;
  SystemClock clock;
  Record record;
  std::unique_ptr<Sampler> sampler;
  std::uint32_t quick = 0;  ///< the second one's energy
};

std::ptrdiff_t lying_in(const std::vector<TimeSpan>& reads, TimeSpan span) {
  return std::count_if(reads.begin(), reads.end(), [&](const TimeSpan& read) {
    return span.begin <= read.begin && read.end <= span.end;
  });
}

TEST(NvmlThatBlocks, DelaysNoOtherSensorHoweverLongItTakes) {
  char name[] = "/tmp/tokenjoule-gate-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const auto gate = std::filesystem::path(name) / "gate";
  TwoLibraries world("[gpu]\nuuid = GPU-slow\npower = 100\nblock_gate = " + gate.string() + '\n',
                     milliseconds(2));
  ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
  world.sampler->start(world.sampler->devices());
  const int held = open(gate.c_str(), O_WRONLY | O_CLOEXEC);  // comes back once a call is inside
  ASSERT_GE(held, 0);
  const std::size_t before = world.record.reads(world.quick).size();
  world.record.wait_for(world.quick, before + 20);
  EXPECT_TRUE(world.record.reads(0).empty());
  std::filesystem::remove(gate);  // calls behind this one find none
  close(held);
  const TimeSpan blocked = world.record.wait_for(0, 1).front();
  world.sampler->stop();
  EXPECT_GE(lying_in(world.record.reads(world.quick), blocked), 19);  // one was under way before
  std::filesystem::remove_all(name);
}

TEST(NvmlThatBlocks, For500MillisecondsACallLeavesTheOthersTheirCalendarAndItselfALoss) {
  TwoLibraries world("[gpu]\nuuid = GPU-slow\npower = 100\nblock_ms = 500\nblock_from = 2\n",
                     milliseconds(10));
  world.slow_nvml.set_time(2);
  world.sampler->start(world.sampler->devices());
  const TimeSpan blocked = world.record.wait_for(0, 1).front();
  world.slow_nvml.set_time(0);  // what is read behind comes at once
  world.record.wait_for(0, 2);  // by then the slots that it missed are counted
  world.sampler->stop();
  EXPECT_GE(blocked.length(), milliseconds(500));
  // The calendar has 49 slots inside; a machine that is busy with other things may use some up.
  EXPECT_GE(lying_in(world.record.reads(world.quick), blocked), 5);
  const auto losses = world.record.losses();
  const auto of_slow = std::find_if(losses.begin(), losses.end(), [](const Loss& loss) {
    return loss.source == "nvml" && loss.what == "poll";
  });
  ASSERT_NE(of_slow, losses.end());
  EXPECT_GE(of_slow->count, 49);  // 500 ms are 50 slots, the last of which is only late
  EXPECT_LE(of_slow->span.begin, blocked.begin);
}

TEST(NvmlThatBlocks, OnOneGpuDelaysTheOthersOfItsLibraryAndChangesNoValue) {
  TwoLibraries world(
      "[gpu]\nuuid = GPU-slow\npower = 100\nblock_ms = 500\nblock_from = 2\n"
      "[gpu]\nuuid = GPU-beside\npower = 300\n",
      milliseconds(10));
  const auto& signals = world.sampler->signals();
  const auto beside = std::find_if(signals.begin(), signals.end(), [](const Signal& signal) {
    return signal.device == "GPU-beside" && signal.measurand == Measurand::energy;
  });
  ASSERT_NE(beside, signals.end());
  world.slow_nvml.set_time(2);
  world.sampler->start(world.sampler->devices());
  const TimeSpan read_beside = world.record.wait_for(beside->id, 1).front();
  world.slow_nvml.set_time(0);
  world.sampler->stop();
  const TimeSpan blocked = world.record.reads(0).front();
  EXPECT_GE(read_beside.begin, blocked.end);  // read late, and stamped when it was read
}

}  // namespace
}  // namespace tokenjoule
