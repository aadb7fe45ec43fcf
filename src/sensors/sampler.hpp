#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/time.hpp"
#include "io/clock.hpp"
#include "model/event.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

struct SamplerOptions {
  Nanoseconds period = milliseconds(100);      ///< from one poll to the next
  Nanoseconds fast_period = milliseconds(20);  ///< the same around the window's edges
  /// A sensor that failed this long without a break is given up; a restart of its service is
  /// shorter.
  Nanoseconds give_up_after = whole_seconds(30);
  /// One that fails again and again is asked less often: after 2, 4, 8 … periods, at most this.
  Nanoseconds longest_retry = whole_seconds(1);
};

/// A sensor that ended while it was polled.
struct LostSensor {
  std::string name;  ///< Signal::sensor
  MonoTime at;
  Error error;  ///< kind gone: as expected; else unavailable
};

/// Polls each sensor on a thread and a calendar of its own, so that one that blocks delays no
/// other. Events go to the sink: a Device and a Signal each once, at the start; a Sample a poll; a
/// Loss for what was missed or left out, gathered for a second so that a slow sensor does not flood
/// the run.
class Sampler {
 public:
  /// Signal ids are made unique over all sensors; a second sensor of a type is named "dcgm#2".
  /// The clock must outlive the sampler.
  Sampler(std::vector<std::unique_ptr<Sensor>> sensors, Clock& clock, EventSink sink,
          SamplerOptions options = {});
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Every device once, also where several sensors read it.
  const std::vector<Device>& devices() const { return devices_; }
  const std::vector<Signal>& signals() const { return signals_; }

  /// Pushes devices and signals, then polls until `stop`.
  /// @param devices those of devices(), with the choice of devices and their groups filled in.
  void start(const std::vector<Device>& devices);
  /// Ends all threads, after the poll they are in. What is still to be told goes to the sink first.
  void stop();
  /// On: from the next poll on, every fast_period. Takes effect within 100 ms.
  void set_fast(bool fast) { fast_ = fast; }
  /// The sensors that ended so far.
  std::vector<LostSensor> lost() const;

 private:
  struct Polled;
  void announce(std::unique_ptr<Sensor> sensor, std::map<std::string, int>& names);
  void poll_until_stopped(const std::stop_token& stop, Polled& polled);
  bool take_poll(Polled& polled);
  bool wait_for_slot(const std::stop_token& stop, Polled& polled);
  void give_up(Polled& polled, Error error);
  Nanoseconds period() const { return fast_ ? options_.fast_period : options_.period; }

  std::vector<std::unique_ptr<Polled>> polled_;
  std::vector<Device> devices_;
  std::vector<Signal> signals_;
  Clock& clock_;
  EventSink sink_;
  SamplerOptions options_;
  std::atomic<bool> fast_ = false;
  mutable std::mutex mutex_;  ///< guards lost_
  std::vector<LostSensor> lost_;
  std::vector<std::jthread> threads_;
};

/// When to poll next on a calendar, and how many of its slots have passed unused.
struct NextPoll {
  MonoTime due;
  std::int64_t missed = 0;
};
/// @param due when the poll just made was due. @param now when it ended.
/// A poll that ends up to one slot late is followed at once; whole slots that passed are missed.
NextPoll next_poll(MonoTime due, Nanoseconds period, MonoTime now);

/// Time from one poll to the next for a sensor that failed that often without a break: the period
/// for the first failure, then doubled with each, up to `longest`; never less than the period.
Nanoseconds retry_period(Nanoseconds period, int failures, Nanoseconds longest);

}  // namespace tokenjoule
