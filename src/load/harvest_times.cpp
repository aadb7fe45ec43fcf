#include "load/harvest_times.hpp"

#include <algorithm>
#include <utility>

namespace tokenjoule {

namespace {

// A wait that took longer had to wait: it takes some microseconds where sockets are ready.
constexpr Nanoseconds kSlept = microseconds(200);

}  // namespace

void HarvestTimes::woke(MonoTime before, MonoTime now, bool full) {
  const MonoTime last_harvest = std::exchange(harvested_, now);
  if (now - before > kSlept) {
    nothing_waited_ = now;  // what it slept for has only just come
    slept_until_ = now;
  } else if (!full_) {
    nothing_waited_ = last_harvest;
    slept_until_.reset();
  }
  full_ = full;
}

Nanoseconds HarvestTimes::spread_of(MonoTime at) {
  // Bytes that came before the others of this harvest show how late the wake-up was: what else came
  // meanwhile is not known from the stamps.
  nothing_waited_ = std::min(nothing_waited_, at);
  return std::max(at, slept_until_.value_or(at)) - nothing_waited_;
}

}  // namespace tokenjoule
