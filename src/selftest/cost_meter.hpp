#pragma once

#include <optional>

#include "base/time.hpp"
#include "load/client_meter.hpp"

namespace tokenjoule {

/// CPU time of all threads of this process since its start.
Nanoseconds process_cpu();

/// What a thread took of its CPU inside a window: the thread calls round() on each turn of its
/// loop. Made by any thread; used by one, and read when that has ended.
class CostMeter {
 public:
  /// @param window of the same clock as `now`; nothing is measured while it is not known.
  void round(MonoTime now, const std::optional<TimeSpan>& window);
  /// Ends what is still being measured; for the same thread.
  void finish();
  bool finished() const { return phase_ == Phase::behind; }

  // Once finished(); else 0 or without meaning.
  Nanoseconds cpu() const { return cpu_; }
  Nanoseconds run_queue_wait() const { return wait_; }
  /// CPU time of the process's other threads meanwhile.
  Nanoseconds others() const { return process_ - cpu_; }

 private:
  enum class Phase { before, inside, behind };
  Phase phase_ = Phase::before;
  std::optional<ThreadTimes> thread_;
  Nanoseconds cpu_, wait_, process_;
};

}  // namespace tokenjoule
