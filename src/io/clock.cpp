#include "io/clock.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace tokenjoule {

namespace {

std::int64_t read_ns(clockid_t id) {
  timespec at{};
  clock_gettime(id, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

}  // namespace

SystemClock::SystemClock() : origin_ns_(read_ns(CLOCK_MONOTONIC)) {}
MonoTime SystemClock::now() { return {read_ns(CLOCK_MONOTONIC) - origin_ns_}; }
WallTime SystemClock::wall_now() { return {read_ns(CLOCK_REALTIME)}; }

bool SystemClock::sleep_until(MonoTime due, const std::stop_token& stop) {
  // Slices of 20 ms, so that a stop is noticed soon; the last slice ends on the calendar.
  constexpr Nanoseconds kSlice = milliseconds(20);
  while (!stop.stop_requested()) {
    const MonoTime present = now();
    if (present >= due) return true;
    const std::int64_t until = origin_ns_ + std::min(due, present + kSlice).ns;
    const timespec at{until / 1'000'000'000, until % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
    }
  }
  return false;
}

bool FakeClock::sleep_until(MonoTime due, const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  now_ = std::max(now_, due);
  return true;
}

ClockAnchor anchor_now(Clock& clock) {
  ClockAnchor best;
  for (int i = 0; i < 5; ++i) {
    const MonoTime before = clock.now();
    const WallTime wall = clock.wall_now();
    const ClockAnchor anchor{{before, clock.now()}, wall};
    if (i == 0 || anchor.steady.length() < best.steady.length()) best = anchor;
  }
  return best;
}

}  // namespace tokenjoule
