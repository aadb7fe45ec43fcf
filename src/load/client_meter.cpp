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

}  // namespace

std::size_t lag_bucket(Nanoseconds lag) {
  const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, lag.count / 1000));
  const auto width = static_cast<std::size_t>(std::bit_width(us));
  return std::min<std::size_t>(width == 0 ? 0 : width - 1, 31);
}

void LoopTotals::add_read(Nanoseconds lag) {
  ++reads;
  if (lag > kLateRead) ++reads_late;
  ++lag_histogram[lag_bucket(lag)];
}

void LoopTotals::add(const LoopTotals& other) {
  reads += other.reads;
  reads_late += other.reads_late;
  reads_user_stamped += other.reads_user_stamped;
  for (std::size_t i = 0; i < lag_histogram.size(); ++i) lag_histogram[i] += other.lag_histogram[i];
  cpu += other.cpu;
  run_queue_wait += other.run_queue_wait;
  queue_full += other.queue_full;
  connections_opened += other.connections_opened;
}

LoopTotals LoopTotals::since(const LoopTotals& earlier) const {
  LoopTotals change = *this;
  change.reads -= earlier.reads;
  change.reads_late -= earlier.reads_late;
  change.reads_user_stamped -= earlier.reads_user_stamped;
  for (std::size_t i = 0; i < lag_histogram.size(); ++i) {
    change.lag_histogram[i] -= earlier.lag_histogram[i];
  }
  change.cpu = cpu - earlier.cpu;
  change.run_queue_wait = run_queue_wait - earlier.run_queue_wait;
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

Nanoseconds ThreadTimes::run_queue_wait() const {
  // "ns on the CPU" "ns waiting for one" "times it was given one"
  std::array<char, 128> text{};
  const ssize_t length = schedstat_ < 0 ? -1 : ::pread(schedstat_, text.data(), text.size(), 0);
  if (length <= 0) return {};
  const auto parts = split({text.data(), static_cast<std::size_t>(length)}, ' ');
  return {parts.size() < 2 ? 0 : integer_in(parts[1]).value_or(0)};
}

}  // namespace tokenjoule
