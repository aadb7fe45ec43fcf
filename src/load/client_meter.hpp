#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "base/quantity.hpp"
#include "base/time.hpp"

namespace tokenjoule {

/// What one load thread knows of its own state, summed since its start.
struct LoopTotals {
  std::int64_t reads = 0;
  std::int64_t reads_late = 0;                   ///< lag above 5 ms
  std::int64_t reads_user_stamped = 0;           ///< came without a kernel stamp
  std::array<std::int64_t, 32> lag_histogram{};  ///< as in ClientState
  Nanoseconds cpu;
  Nanoseconds run_queue_wait;
  Nanoseconds queue_full;
  std::int64_t connections_opened = 0;

  void add_read(Nanoseconds lag);
  void add(const LoopTotals& other);
  /// What happened between `earlier` and this.
  LoopTotals since(const LoopTotals& earlier) const;
};

/// Where a lag belongs in the histogram: [2^i, 2^(i+1)) microseconds; 0 holds all below 2.
std::size_t lag_bucket(Nanoseconds lag);

/// A loop's totals as it last gave them out; for any thread.
class PublishedTotals {
 public:
  void publish(const LoopTotals& totals);
  LoopTotals latest() const;

 private:
  mutable std::mutex mutex_;
  LoopTotals totals_;
};

/// CPU time of the calling thread, and the time it was ready to run but had no CPU (from
/// /proc/thread-self/schedstat; stays 0 where the kernel does not keep it).
class ThreadTimes {
 public:
  ThreadTimes();
  ThreadTimes(const ThreadTimes&) = delete;
  ThreadTimes& operator=(const ThreadTimes&) = delete;
  ~ThreadTimes();

  static Nanoseconds cpu();
  Nanoseconds run_queue_wait() const;

 private:
  int schedstat_;
};

}  // namespace tokenjoule
