#pragma once

#include <stop_token>

#include "base/time.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// Where time comes from. All instants are relative to the clock's origin.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonoTime now() = 0;
  virtual WallTime wall_now() = 0;
  /// Sleeps until `due`, or until stop is asked for. Returns false if stopped before.
  virtual bool sleep_until(MonoTime due, const std::stop_token& stop) = 0;
};

/// CLOCK_MONOTONIC counted from an origin taken at construction, and CLOCK_REALTIME. Thread-safe.
class SystemClock final : public Clock {
 public:
  SystemClock();
  MonoTime now() override;
  WallTime wall_now() override;
  bool sleep_until(MonoTime due, const std::stop_token& stop) override;
  /// What CLOCK_MONOTONIC showed at the origin, in nanoseconds.
  std::int64_t origin_ns() const { return origin_ns_; }

 private:
  std::int64_t origin_ns_;
};

/// A clock that moves only when told to, for tests. sleep_until jumps to `due` at once.
class FakeClock final : public Clock {
 public:
  MonoTime now() override { return now_; }
  WallTime wall_now() override { return {wall_origin_.unix_ns + now_.ns}; }
  bool sleep_until(MonoTime due, const std::stop_token& stop) override;
  void advance(Nanoseconds by) { now_ += by; }

 private:
  MonoTime now_;
  WallTime wall_origin_{1'796'000'000'000'000'000};
};

/// Wall and steady clock read together, the best of a few tries: the tightest span wins.
ClockAnchor anchor_now(Clock& clock);

}  // namespace tokenjoule
