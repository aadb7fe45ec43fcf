#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/quantity.hpp"
#include "base/time.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// Where a time belongs in a TimeHistogram.
std::size_t time_bucket(Nanoseconds time);

/// What one load thread knows of its own state, summed since its start.
struct LoopTotals {
  std::int64_t reads = 0;
  std::int64_t reads_late = 0;          ///< lag above 5 ms
  std::int64_t reads_user_stamped = 0;  ///< came without a kernel stamp
  TimeHistogram lag_histogram{};        ///< as in ClientState
  TimeHistogram loop_histogram{};       ///< likewise
  Nanoseconds cpu;
  std::optional<Nanoseconds> run_queue_wait{Nanoseconds{}};  ///< absent: the kernel keeps none
  Nanoseconds queue_full;
  std::int64_t connections_opened = 0;
  std::int64_t connections_open = 0;  ///< now, not a sum

  void add_read(Nanoseconds lag);
  void add_turn(Nanoseconds length) { ++loop_histogram[time_bucket(length)]; }
  void add(const LoopTotals& other);
  /// What happened between `earlier` and this.
  LoopTotals since(const LoopTotals& earlier) const;
};

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
/// /proc/thread-self/schedstat; nullopt where the kernel does not keep it).
class ThreadTimes {
 public:
  ThreadTimes();
  ThreadTimes(const ThreadTimes&) = delete;
  ThreadTimes& operator=(const ThreadTimes&) = delete;
  ~ThreadTimes();

  static Nanoseconds cpu();
  std::optional<Nanoseconds> run_queue_wait() const;

 private:
  int schedstat_;
};

}  // namespace tokenjoule
