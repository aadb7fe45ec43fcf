#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// The latest power of the chosen devices, for the progress line. Thread-safe.
class LivePower {
 public:
  /// From here on the power signals of the chosen devices are followed: one a device.
  void watch(const std::vector<Device>& devices, const std::vector<Signal>& signals);
  void see(const Event& event);
  /// Their sum; nullopt until each was read once, and where a device has no power signal.
  std::optional<Watts> watts() const;

 private:
  struct Followed {
    double to_si = 1;
    std::optional<Watts> latest;
  };
  mutable std::mutex mutex_;
  std::map<std::uint32_t, Followed> followed_;
  bool complete_ = false;
};

}  // namespace tokenjoule
