#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/time.hpp"
#include "io/clock.hpp"
#include "model/event.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// What a sensor gave while it was tried: first polled seldom, then as fast as it goes.
struct TrialReadings {
  SensorContents contents;
  bool own_pace = false;  ///< it is told its readings: there is no seldom and often
  std::vector<Sample> samples;
  TimeSpan seldom, often;      ///< the two parts of the trial
  std::vector<Seconds> reads;  ///< how long each poll took, of the second part
  std::int64_t failed = 0;     ///< polls that gave an error
  std::string first_failure;
};

/// Polls a sensor for so long. It ends early where the sensor does.
TrialReadings try_sensor(Sensor& sensor, Seconds duration, Clock& clock);

/// One energy or power signal, as it was seen.
struct SignalTrial {
  Signal signal;
  std::int64_t readings = 0;
  /// Usual and longest time from one new value to the next; absent: fewer than two came.
  std::optional<Seconds> step, longest_step;
  std::optional<double> noise;  ///< standard deviation / mean of power, in the second part
  Seconds unread;               ///< from its last value to the end of the trial
  Seconds unchanged;            ///< from its last change to its last value
  bool fell = false;            ///< once a value was below the one before
};

/// One device at one boundary.
struct DeviceTrial {
  std::string device;
  Boundary boundary = Boundary::gpu_board;
  std::optional<double> ratio;         ///< integrated power / counter
  std::optional<Watts> seldom, often;  ///< mean power of the two parts
  bool stood_still = false;            ///< its counter did not move while power was drawn
};

enum class TrialVerdict { good, care, bad };
std::string_view name_of(TrialVerdict verdict);

struct SensorTrial {
  std::int64_t polls = 0, failed = 0;
  std::optional<Seconds> read_median, read_worst;
  std::vector<SignalTrial> signals;
  std::vector<DeviceTrial> devices;
  TrialVerdict verdict = TrialVerdict::good;
  std::string words;  ///< one line: what is good, or what to mind and what to do
};

/// Judges what was read. Pure.
SensorTrial trial_of(const TrialReadings& readings);

}  // namespace tokenjoule
