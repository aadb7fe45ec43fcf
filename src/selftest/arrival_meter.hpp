#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "model/event.hpp"
#include "selftest/delay_histogram.hpp"

namespace tokenjoule {

/// One read of one stream, as the client stamped it.
struct StampedRead {
  std::uint32_t stream = 0;
  MonoTime at;         ///< when the bytes came: the kernel's receive stamp, where there is one
  Nanoseconds lag;     ///< from then until the program had them
  Nanoseconds spread;  ///< the longest that the first of them can have come before `at`
};

/// Holds a client's stamps against the emitter's send times. Pure; for one thread. Only what was
/// read inside the window counts.
///
/// Error of an inter-token latency: |gap of two `at` - gap of their send times|, of consecutive
/// events of a stream. Gaps that the client marks as censored (BlockDecoder: events that
/// share a read that lags) are left out and counted.
class ArrivalMeter {
 public:
  explicit ArrivalMeter(std::size_t streams) : last_(streams) {}
  /// @param sent the send times of the events in it, in order.
  /// @param window nothing counts while it is not known.
  void add(const StampedRead& read, std::span<const MonoTime> sent,
           const std::optional<TimeSpan>& window);

  std::int64_t events() const { return delays_.count(); }
  std::int64_t censored() const { return censored_; }
  /// Own stamp - send time.
  const DelayHistogram& delays() const { return delays_; }
  /// Receive stamp - send time: what the client's latencies are off by.
  const DelayHistogram& receive_delays() const { return receive_delays_; }
  const DelayHistogram& itl_errors() const { return itl_errors_; }
  /// Reads, late reads, coalesced reads and lag as the client itself reports them.
  const ClientState& state() const { return state_; }

 private:
  struct Event {
    MonoTime at, sent;
  };
  void count_read(const StampedRead& read, std::size_t events);

  std::vector<std::optional<Event>> last_;  ///< by stream
  DelayHistogram delays_;
  DelayHistogram receive_delays_;
  DelayHistogram itl_errors_;
  std::int64_t censored_ = 0;
  ClientState state_;
};

}  // namespace tokenjoule
