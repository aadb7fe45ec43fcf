#include "sensors/sampler.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include <gtest/gtest.h>

#include "sensors/loss_gatherer.hpp"

namespace tokenjoule {
namespace {

/// Keeps every event, and wakes who waits for one.
class Events {
 public:
  EventSink sink() {
    return [this](Event event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
      changed_.notify_all();
    };
  }
  template <typename T>
  std::vector<T> all() {
    const std::lock_guard lock(mutex_);
    return all_locked<T>();
  }
  /// Waits until `count` events of the kind have come.
  template <typename T>
  std::vector<T> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return all_locked<T>().size() >= count; });
    return all_locked<T>();
  }

 private:
  template <typename T>
  std::vector<T> all_locked() const {
    std::vector<T> found;
    for (const Event& event : events_) {
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    }
    return found;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event> events_;
};

SensorContents contents_of(const std::string& sensor, const std::string& device,
                           std::size_t signals) {
  SensorContents contents;
  contents.devices.push_back({.id = device, .label = "0"});
  for (std::uint32_t id = 0; id < signals; ++id) {
    contents.signals.push_back({.id = id, .sensor = sensor, .device = device});
  }
  return contents;
}

/// Gives what it is told to, poll after poll, and is gone after the last.
class ScriptedSensor final : public Sensor {
 public:
  using Step = std::function<Result<Sample>(Clock&)>;
  ScriptedSensor(SensorContents contents, std::deque<Step> steps)
      : contents_(std::move(contents)), steps_(std::move(steps)) {}
  const SensorContents& contents() const override { return contents_; }
  Result<Sample> poll(Clock& clock) override {
    if (steps_.empty()) return failure(ErrorKind::gone, "the script is over");
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    return step(clock);
  }

 private:
  SensorContents contents_;
  std::deque<Step> steps_;
};

ScriptedSensor::Step reads(double raw) {
  return [raw](Clock& clock) -> Result<Sample> {
    return Sample{{clock.now(), clock.now()}, {{0, raw}}};
  };
}
ScriptedSensor::Step takes(Nanoseconds time, FakeClock& clock) {
  return [time, &clock](Clock&) -> Result<Sample> {
    const MonoTime before = clock.now();
    clock.advance(time);
    return Sample{{before, clock.now()}, {{0, 1.0}}};
  };
}
ScriptedSensor::Step fails(ErrorKind kind) {
  return [kind](Clock&) -> Result<Sample> { return failure(kind, "it failed"); };
}

std::vector<std::unique_ptr<Sensor>> one_sensor(std::deque<ScriptedSensor::Step> steps) {
  std::vector<std::unique_ptr<Sensor>> sensors;
  sensors.push_back(
      std::make_unique<ScriptedSensor>(contents_of("test", "gpu", 1), std::move(steps)));
  return sensors;
}

/// Runs a sampler over a fake clock until its only sensor has ended, and gives all its losses.
std::vector<Loss> run_to_the_end(Sampler& sampler, Events& events) {
  sampler.start(sampler.devices());
  for (;;) {
    for (const Loss& loss : events.wait_for<Loss>(1)) {
      if (loss.what != "sensor") continue;
      sampler.stop();
      return events.all<Loss>();
    }
    events.wait_for<Loss>(events.all<Loss>().size() + 1);
  }
}

TEST(NextPoll, KeepsTheCalendarHoweverLongThePollTook) {
  const Nanoseconds period = milliseconds(100);
  const auto at = [](std::int64_t ms) { return MonoTime{ms * 1'000'000}; };
  for (const auto& [now, due, missed] : {std::tuple{30, 100, 0},
                                         {100, 100, 0},
                                         {150, 100, 0},
                                         {199, 100, 0},
                                         {200, 200, 1},
                                         {450, 400, 3}}) {
    const NextPoll next = next_poll(at(0), period, at(now));
    EXPECT_EQ(next.due, at(due)) << now;
    EXPECT_EQ(next.missed, missed) << now;
  }
}

TEST(Sampler, PollsOnTheCalendarNotAfterTheLastWakeUp) {
  FakeClock clock;
  Events events;
  Sampler sampler(
      one_sensor({takes(milliseconds(30), clock), takes(milliseconds(60), clock), reads(1)}), clock,
      events.sink());
  run_to_the_end(sampler, events);
  const auto samples = events.all<Sample>();
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].read.begin, MonoTime{0});
  EXPECT_EQ(samples[1].read.begin, MonoTime{100'000'000});
  EXPECT_EQ(samples[2].read.begin, MonoTime{200'000'000});
}

TEST(Sampler, SlotsThatASlowReadUsesUpAreALoss) {
  FakeClock clock;
  Events events;
  Sampler sampler(one_sensor({takes(milliseconds(350), clock), reads(1)}), clock, events.sink());
  const auto losses = run_to_the_end(sampler, events);
  ASSERT_EQ(losses.size(), 2u);
  const Loss& missed = losses[0].what == "poll" ? losses[0] : losses[1];
  EXPECT_EQ(missed.count, 2);  // those at 100 and 200 ms; that at 300 ms is only late
  EXPECT_EQ(missed.source, "test");
  EXPECT_EQ(events.all<Sample>().at(1).read.begin, MonoTime{350'000'000});
}

TEST(Sampler, FastModePollsAtTheFastPeriod) {
  FakeClock clock;
  Events events;
  Sampler sampler(one_sensor({reads(1), reads(2)}), clock, events.sink());
  sampler.set_fast(true);
  run_to_the_end(sampler, events);
  EXPECT_EQ(events.all<Sample>().at(1).read.begin, MonoTime{20'000'000});
}

TEST(Sampler, AFailedReadIsTriedAgainAndFailuresAreToldTogether) {
  FakeClock clock;
  Events events;
  Sampler sampler(
      one_sensor({reads(1), fails(ErrorKind::retry), fails(ErrorKind::retry), reads(2)}), clock,
      events.sink());
  const auto losses = run_to_the_end(sampler, events);
  EXPECT_EQ(events.all<Sample>().size(), 2u);
  ASSERT_EQ(losses.size(), 2u);
  const Loss& failed = losses[0].what == "poll" ? losses[0] : losses[1];
  EXPECT_EQ(failed.count, 2);
  EXPECT_EQ(failed.reason, "it failed");
}

TEST(RetryPeriod, DoublesWithEachFailureUpToALimit) {
  const auto wait = [](int failures, std::int64_t period_ms) {
    return retry_period(milliseconds(period_ms), failures, whole_seconds(1)).count / 1'000'000;
  };
  EXPECT_EQ(wait(0, 100), 100);
  EXPECT_EQ(wait(1, 100), 100);
  EXPECT_EQ(wait(2, 100), 200);
  EXPECT_EQ(wait(4, 100), 800);
  EXPECT_EQ(wait(5, 100), 1000);
  EXPECT_EQ(wait(1000, 100), 1000);
  EXPECT_EQ(wait(3, 5000), 5000);  // never more often than when all is well
}

TEST(Sampler, OneThatFailsIsAskedLessAndLessOftenAndAsUsualOnceItAnswers) {
  FakeClock clock;
  Events events;
  const auto failed = fails(ErrorKind::retry);
  Sampler sampler(one_sensor({reads(1), failed, failed, failed, reads(2), reads(3)}), clock,
                  events.sink());
  run_to_the_end(sampler, events);
  const auto samples = events.all<Sample>();
  ASSERT_EQ(samples.size(), 3u);
  // Failures at 100, 200 and 400 ms; the next try 400 ms later, then the usual 100 ms.
  EXPECT_EQ(samples[1].read.begin, MonoTime{800'000'000});
  EXPECT_EQ(samples[2].read.begin, MonoTime{900'000'000});
}

TEST(Sampler, ASensorThatOnlyFailsIsGivenUp) {
  FakeClock clock;
  Events events;
  std::deque<ScriptedSensor::Step> steps;
  for (int i = 0; i < 1000; ++i) steps.push_back(fails(ErrorKind::retry));
  Sampler sampler(one_sensor(std::move(steps)), clock, events.sink());
  run_to_the_end(sampler, events);
  const auto lost = sampler.lost();
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].name, "test");
  EXPECT_EQ(lost[0].error.kind, ErrorKind::unavailable);
  EXPECT_EQ(lost[0].at, mono_at(Seconds(30)));
}

TEST(Sampler, ASensorThatIsUnavailableEndsAndTheLossSaysWhy) {
  FakeClock clock;
  Events events;
  Sampler sampler(one_sensor({reads(1), fails(ErrorKind::unavailable)}), clock, events.sink());
  const auto losses = run_to_the_end(sampler, events);
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].what, "sensor");
  EXPECT_EQ(losses[0].reason, "it failed");
  EXPECT_EQ(sampler.lost().at(0).error.kind, ErrorKind::unavailable);
}

TEST(Sampler, SignalIdsAndSensorNamesAreUniqueAndADeviceIsListedOnce) {
  FakeClock clock;
  Events events;
  std::vector<std::unique_ptr<Sensor>> sensors;
  for (const auto& [name, device] :
       {std::pair{"dcgm", "GPU-a"}, {"dcgm", "GPU-b"}, {"exec", "GPU-a"}}) {
    sensors.push_back(std::make_unique<ScriptedSensor>(contents_of(name, device, 2),
                                                       std::deque<ScriptedSensor::Step>()));
  }
  const Sampler sampler(std::move(sensors), clock, events.sink());
  ASSERT_EQ(sampler.signals().size(), 6u);
  for (std::uint32_t id = 0; id < 6; ++id) EXPECT_EQ(sampler.signals()[id].id, id);
  EXPECT_EQ(sampler.signals()[0].sensor, "dcgm");
  EXPECT_EQ(sampler.signals()[2].sensor, "dcgm#2");
  EXPECT_EQ(sampler.signals()[4].sensor, "exec");
  EXPECT_EQ(sampler.signals()[0].period, Seconds(0.1));
  EXPECT_EQ(sampler.devices().size(), 2u);
}

TEST(Sampler, DevicesAndSignalsComeFirstAndReadingsCarryTheirIds) {
  SystemClock clock;
  Events events;
  std::vector<std::unique_ptr<Sensor>> sensors;
  for (const char* device : {"a", "b"}) {
    sensors.push_back(std::make_unique<ScriptedSensor>(contents_of("test", device, 1),
                                                       std::deque<ScriptedSensor::Step>{reads(7)}));
  }
  Sampler sampler(std::move(sensors), clock, events.sink());
  auto devices = sampler.devices();
  devices.at(1).chosen = false;
  sampler.start(devices);
  events.wait_for<Sample>(2);
  sampler.stop();
  ASSERT_EQ(events.all<Device>().size(), 2u);
  EXPECT_FALSE(events.all<Device>()[1].chosen);
  EXPECT_EQ(events.all<Signal>().size(), 2u);
  std::uint32_t sum = 0;
  for (const Sample& sample : events.all<Sample>()) sum += sample.readings.at(0).signal;
  EXPECT_EQ(sum, 1u);  // ids 0 and 1
}

TEST(Sampler, ASensorThatBlocksDelaysNoOther) {
  SystemClock clock;
  Events events;
  std::mutex mutex;
  std::condition_variable changed;
  bool released = false;
  std::vector<std::unique_ptr<Sensor>> sensors;
  sensors.push_back(std::make_unique<ScriptedSensor>(
      contents_of("slow", "a", 1),
      std::deque<ScriptedSensor::Step>{[&](Clock& own) -> Result<Sample> {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return released; });
        return Sample{{own.now(), own.now()}, {{0, 1}}};
      }}));
  sensors.push_back(std::make_unique<ScriptedSensor>(
      contents_of("quick", "b", 1), std::deque<ScriptedSensor::Step>{reads(1), reads(2)}));
  Sampler sampler(std::move(sensors), clock, events.sink(), {.period = milliseconds(1)});
  sampler.start(sampler.devices());
  const auto samples = events.wait_for<Sample>(2);  // both of the quick one
  EXPECT_EQ(samples[1].readings.at(0).signal, 1u);
  {
    const std::lock_guard lock(mutex);
    released = true;
  }
  changed.notify_all();
  events.wait_for<Sample>(3);
}

TEST(LossGatherer, AddsUpLossesOfOneKindForASecond) {
  std::vector<Loss> told;
  LossGatherer gatherer("dcgm",
                        [&](Event event) { told.push_back(std::get<Loss>(std::move(event))); });
  gatherer.add(
      {.span = {{0}, {10}}, .what = "reading", .count = 1, .reason = "does not fit: \"a\""});
  gatherer.add(
      {.span = {{20}, {30}}, .what = "reading", .count = 2, .reason = "does not fit: \"b\""});
  gatherer.add({.span = {{20}, {30}}, .what = "poll", .count = 1, .reason = "late"});
  gatherer.tell_old({999'999'999});
  EXPECT_TRUE(told.empty());
  gatherer.tell_old({1'000'000'000});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].count, 3);
  EXPECT_EQ(told[0].source, "dcgm");
  EXPECT_EQ(told[0].reason, "does not fit: \"a\"");
  EXPECT_EQ(told[0].span, (TimeSpan{{0}, {30}}));
  gatherer.tell_all();
  EXPECT_EQ(told.size(), 2u);
}

}  // namespace
}  // namespace tokenjoule
