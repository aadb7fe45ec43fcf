#include "app/live_readings.hpp"

#include <algorithm>

namespace tokenjoule {

void LiveReadings::watch(const std::vector<Device>& devices, const std::vector<Signal>& signals) {
  const std::lock_guard lock(mutex_);
  complete_ = true;
  for (const Device& device : devices) {
    if (!device.chosen) continue;
    bool has_power = false;
    for (const Signal& signal : signals) {
      if (signal.device != device.id) continue;
      if (signal.measurand == Measurand::energy) counters_[signal.id] = {};
      if (signal.measurand == Measurand::energy) last_read_[signal.id] = std::nullopt;
      if (signal.measurand != Measurand::power || has_power) continue;
      power_[signal.id] = {si_factor(signal), std::nullopt};
      last_read_[signal.id] = std::nullopt;
      has_power = true;
    }
    complete_ = complete_ && has_power;
  }
}

void LiveReadings::see(const Event& event) {
  const auto* sample = std::get_if<Sample>(&event);
  if (sample == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (const Reading& reading : sample->readings) {
    if (const auto at = last_read_.find(reading.signal); at != last_read_.end()) {
      at->second = sample->read.begin;
    }
    if (const auto at = power_.find(reading.signal); at != power_.end()) {
      at->second.latest = Watts(reading.raw * at->second.to_si);
    }
    const auto at = counters_.find(reading.signal);
    if (at == counters_.end()) continue;
    Counter& counter = at->second;
    const MonoTime now = sample->read.middle();
    if (counter.value && *counter.value != reading.raw) {
      if (counter.stepped) counter.longest = std::max(counter.longest, now - *counter.stepped);
      counter.stepped = now;
    }
    counter.value = reading.raw;
  }
}

std::optional<Watts> LiveReadings::watts() const {
  const std::lock_guard lock(mutex_);
  if (!complete_ || power_.empty()) return std::nullopt;
  Watts sum;
  for (const auto& [id, power] : power_) {
    if (!power.latest) return std::nullopt;
    sum += *power.latest;
  }
  return sum;
}

bool LiveReadings::read_since(MonoTime at) const {
  const std::lock_guard lock(mutex_);
  return std::all_of(last_read_.begin(), last_read_.end(),
                     [at](const auto& entry) { return entry.second && *entry.second >= at; });
}

bool LiveReadings::steps_known() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(counters_.begin(), counters_.end(),
                     [](const auto& entry) { return entry.second.longest > Nanoseconds{}; });
}

Nanoseconds LiveReadings::longest_step() const {
  const std::lock_guard lock(mutex_);
  Nanoseconds longest;
  for (const auto& [id, counter] : counters_) longest = std::max(longest, counter.longest);
  return longest;
}

}  // namespace tokenjoule
