#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "base/time.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// What the run itself must know of its readings while it goes on: the latest power of the chosen
/// devices, and how long the steps of their energy counters are. Thread-safe.
class LiveReadings {
 public:
  /// From here on the power and energy signals of the chosen devices are followed.
  void watch(const std::vector<Device>& devices, const std::vector<Signal>& signals);
  void see(const Event& event);
  /// Sum of the latest power; nullopt until each device was read once, and where one has no power
  /// signal.
  std::optional<Watts> watts() const;
  /// Whether each signal that is followed was read at or behind that instant.
  bool read_since(MonoTime at) const;
  /// Whether each energy counter stepped twice at least, so that its step is known.
  bool steps_known() const;
  /// The longest time between two steps of a counter; 0 before any is known.
  Nanoseconds longest_step() const;

 private:
  struct Power {
    double to_si = 1;
    std::optional<Watts> latest;
  };
  struct Counter {
    std::optional<double> value;
    std::optional<MonoTime> stepped;  ///< when it was last seen to step
    Nanoseconds longest;
  };
  mutable std::mutex mutex_;
  std::map<std::uint32_t, Power> power_;
  std::map<std::uint32_t, Counter> counters_;
  std::map<std::uint32_t, std::optional<MonoTime>> last_read_;  ///< of all signals followed
  bool complete_ = false;
};

}  // namespace tokenjoule
