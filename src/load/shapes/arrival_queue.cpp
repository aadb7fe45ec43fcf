#include "load/shapes/arrival_queue.hpp"

#include <utility>

namespace tokenjoule {

namespace {

// Streams of random numbers under the seed. Requests have the streams 2 id and 2 id + 1, with ids
// below 2^41; these lie far above.
constexpr std::uint64_t kWarmupGaps = (std::uint64_t{1} << 60U) + 1;
constexpr std::uint64_t kMeasuredGaps = (std::uint64_t{1} << 60U) + 2;

ArrivalRate warmup_rate(const ArrivalPlan& plan) {
  if (const auto* rate = std::get_if<ArrivalRate>(&plan)) return *rate;
  const auto& trace = std::get<ArrivalTrace>(plan);
  return {.per_second = trace.mean_rate(), .seed = trace.seed};
}

/// The ramp belongs to the warm-up.
ArrivalRate measured_rate(const ArrivalPlan& plan) {
  ArrivalRate rate = warmup_rate(plan);
  rate.ramp_up = Seconds(0);
  return rate;
}

}  // namespace

ArrivalQueue::ArrivalQueue(ArrivalPlan plan, RequestSource& source)
    : plan_(std::move(plan)),
      source_(source),
      warmup_(warmup_rate(plan_), kWarmupGaps),
      measured_(measured_rate(plan_), kMeasuredGaps) {}

MonoTime ArrivalQueue::trace_time(std::uint64_t index) const {
  const auto& trace = std::get<ArrivalTrace>(plan_);
  const auto pass = static_cast<std::int64_t>(index / trace.offsets.size());
  return origin_ + trace.period * pass + trace.offsets[index % trace.offsets.size()];
}

void ArrivalQueue::advance() {
  if (phase_ == RequestKind::warmup) {
    next_ = origin_ + warmup_.next();
  } else if (std::holds_alternative<ArrivalTrace>(plan_)) {
    next_ = trace_time(trace_index_++);
  } else {
    next_ = origin_ + measured_.next();
  }
}

void ArrivalQueue::begin_warmup(MonoTime at) {
  const std::lock_guard lock(mutex_);
  phase_ = RequestKind::warmup;
  origin_ = at;
  advance();
}

void ArrivalQueue::begin_measure(MonoTime at) {
  const std::lock_guard lock(mutex_);
  const bool hands_over =
      phase_ == RequestKind::warmup && !std::holds_alternative<ArrivalTrace>(plan_);
  phase_ = RequestKind::measured;
  origin_ = hands_over ? next_ : at;
  if (!hands_over) advance();
}

std::optional<ArrivalQueue::Unsent> ArrivalQueue::stop(MonoTime now) {
  const std::lock_guard lock(mutex_);
  if (!phase_) return std::nullopt;
  Unsent unsent{next_, 0};
  for (; next_ <= now; ++unsent.count) advance();
  phase_.reset();
  return unsent.count > 0 ? std::optional(unsent) : std::nullopt;
}

std::optional<MonoTime> ArrivalQueue::next_planned() const {
  const std::lock_guard lock(mutex_);
  return phase_ ? std::optional(next_) : std::nullopt;
}

std::optional<ArrivalQueue::Arrival> ArrivalQueue::take(MonoTime now) {
  const std::lock_guard lock(mutex_);
  if (!phase_ || next_ > now) return std::nullopt;
  // Within the lock: the n-th arrival is always the n-th request.
  Arrival arrival{next_, *phase_, source_.next(*phase_)};
  advance();
  return arrival;
}

}  // namespace tokenjoule
