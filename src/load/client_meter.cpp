#include "load/client_meter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kLateRead = milliseconds(5);

void add_to(TimeHistogram& sum, const TimeHistogram& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

void take_from(TimeHistogram& sum, const TimeHistogram& less) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= less[i];
}

}  // namespace

std::size_t time_bucket(Nanoseconds time) {
  const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count / 1000));
  const auto width = static_cast<std::size_t>(std::bit_width(us));
  return std::min<std::size_t>(width == 0 ? 0 : width - 1, 31);
}

void LoopTotals::add_read(Nanoseconds lag) {
  ++reads;
  if (lag > kLateRead) ++reads_late;
  ++lag_histogram[time_bucket(lag)];
}

void LoopTotals::add(const LoopTotals& other) {
  reads += other.reads;
  reads_late += other.reads_late;
  reads_user_stamped += other.reads_user_stamped;
  add_to(lag_histogram, other.lag_histogram);
  add_to(loop_histogram, other.loop_histogram);
  cpu += other.cpu;
  run_queue_wait = run_queue_wait && other.run_queue_wait
                       ? std::optional(*run_queue_wait + *other.run_queue_wait)
                       : std::nullopt;
  queue_full += other.queue_full;
  connections_opened += other.connections_opened;
  connections_open += other.connections_open;
}

LoopTotals LoopTotals::since(const LoopTotals& earlier) const {
  LoopTotals change = *this;
  change.reads -= earlier.reads;
  change.reads_late -= earlier.reads_late;
  change.reads_user_stamped -= earlier.reads_user_stamped;
  take_from(change.lag_histogram, earlier.lag_histogram);
  take_from(change.loop_histogram, earlier.loop_histogram);
  change.cpu = cpu - earlier.cpu;
  change.run_queue_wait = run_queue_wait && earlier.run_queue_wait
                              ? std::optional(*run_queue_wait - *earlier.run_queue_wait)
                              : std::nullopt;
  change.queue_full = queue_full - earlier.queue_full;
  change.connections_opened -= earlier.connections_opened;
  return change;
}

void PublishedTotals::publish(const LoopTotals& totals) {
  const std::lock_guard lock(mutex_);
  totals_ = totals;
}

LoopTotals PublishedTotals::latest() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

ThreadTimes::ThreadTimes()
    : schedstat_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

ThreadTimes::~ThreadTimes() {
  if (schedstat_ >= 0) ::close(schedstat_);
}

Nanoseconds ThreadTimes::cpu() {
  timespec at{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return {static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec};
}

std::optional<Nanoseconds> ThreadTimes::run_queue_wait() const {
  // "ns on the CPU" "ns waiting for one" "times it was given one"
  std::array<char, 128> text{};
  const ssize_t length = schedstat_ < 0 ? -1 : ::pread(schedstat_, text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  const auto parts = split({text.data(), static_cast<std::size_t>(length)}, ' ');
  const auto waited = parts.size() < 2 ? std::nullopt : integer_in(parts[1]);
  return waited ? std::optional(Nanoseconds{*waited}) : std::nullopt;
}

}  // namespace tokenjoule
