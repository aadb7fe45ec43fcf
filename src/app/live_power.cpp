#include "app/live_power.hpp"

#include <algorithm>

namespace tokenjoule {

void LivePower::watch(const std::vector<Device>& devices, const std::vector<Signal>& signals) {
  const std::lock_guard lock(mutex_);
  complete_ = true;
  for (const Device& device : devices) {
    if (!device.chosen) continue;
    const auto power = std::find_if(signals.begin(), signals.end(), [&](const Signal& signal) {
      return signal.device == device.id && signal.measurand == Measurand::power;
    });
    if (power == signals.end()) {
      complete_ = false;
    } else {
      followed_[power->id] = {power->to_si, std::nullopt};
    }
  }
}

void LivePower::see(const Event& event) {
  const auto* sample = std::get_if<Sample>(&event);
  if (sample == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (const Reading& reading : sample->readings) {
    const auto at = followed_.find(reading.signal);
    if (at != followed_.end()) at->second.latest = Watts(reading.raw * at->second.to_si);
  }
}

std::optional<Watts> LivePower::watts() const {
  const std::lock_guard lock(mutex_);
  if (!complete_ || followed_.empty()) return std::nullopt;
  Watts sum;
  for (const auto& [id, followed] : followed_) {
    if (!followed.latest) return std::nullopt;
    sum += *followed.latest;
  }
  return sum;
}

}  // namespace tokenjoule
