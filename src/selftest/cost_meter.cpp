#include "selftest/cost_meter.hpp"

#include <ctime>

namespace tokenjoule {

Nanoseconds process_cpu() {
  timespec at{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return {static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec};
}

void CostMeter::round(MonoTime now, const std::optional<TimeSpan>& window) {
  if (phase_ == Phase::behind || !window || now < window->begin) return;
  if (phase_ == Phase::inside) {
    if (now >= window->end) finish();
    return;
  }
  phase_ = Phase::inside;
  thread_.emplace();
  cpu_ = ThreadTimes::cpu();
  process_ = process_cpu();
  wait_ = thread_->run_queue_wait().value_or(Nanoseconds{});
}

void CostMeter::finish() {
  if (phase_ != Phase::inside) return;
  phase_ = Phase::behind;
  cpu_ = ThreadTimes::cpu() - cpu_;
  process_ = process_cpu() - process_;
  wait_ = thread_->run_queue_wait().value_or(Nanoseconds{}) - wait_;
}

}  // namespace tokenjoule
