#include "load/load_loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/check.hpp"

namespace tokenjoule {

namespace {

// One read brings what a stream has at most; events of 300 bytes come one at a time where the
// client keeps up, so a larger buffer gains nothing.
constexpr std::size_t kReadSize = 64 * 1024;
constexpr std::uint64_t kWakeTag = ~std::uint64_t{0};
constexpr std::uint64_t kTimerTag = kWakeTag - 1;

// The steady and the wall clock part only by steps of the latter: each few milliseconds is often
// enough to notice one before many stamps are wrong, and costs 0.1 us.
constexpr Nanoseconds kSampleClocks = milliseconds(5);
constexpr Nanoseconds kPublish = milliseconds(200);

// How late a time-out or the end of a pause may be noticed.
constexpr int kSleepMs = 50;
constexpr int kSleepWhilePausedMs = 10;

}  // namespace

LoadLoop::LoadLoop(LoopParts parts, const std::vector<const Target*>& targets)
    : parts_(std::move(parts)),
      streams_(targets.size()),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      timer_descriptor_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      buffer_(HttpReader::kHeadroom + kReadSize) {
  // The descriptors are within the limit that LoadClient::start made sure of.
  TJ_ASSERT(epoll_ >= 0 && wake_ >= 0 && timer_descriptor_ >= 0);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    streams_[i].index = static_cast<std::uint32_t>(i);
    streams_[i].target = targets[i];
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeTag;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event);
  event.data.u64 = kTimerTag;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, timer_descriptor_, &event);
}

LoadLoop::~LoadLoop() {
  ::close(epoll_);
  ::close(wake_);
  ::close(timer_descriptor_);
}

void LoadLoop::wake() const {
  const std::uint64_t one = 1;
  // Only a counter that is full already cannot be written to, and that wakes the loop as well.
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
}

void LoadLoop::run() {
  thread_ = std::make_unique<ThreadTimes>();
  round_begin_ = parts_.clock.now();
  harvest_times_.start(round_begin_);
  sample_clocks();
  while (!parts_.control.quit.load(std::memory_order_acquire)) {
    obey();
    keep_house();
    begin_due_turns();
    if (parts_.arrivals != nullptr) send_arrivals();
    while (connecting_ < kMostConnecting && !queued_.empty()) {
      Stream& stream = streams_[queued_.front()];
      queued_.pop_front();
      open_connection(stream);
    }
    publish();
    wake_in_time();
    if (parts_.each_round) parts_.each_round(round_begin_);
    round(longest_sleep_ms());
  }
  obey();  // the last word may have been to cancel
  publish_now();
}

int LoadLoop::longest_sleep_ms() const {
  if (!queued_.empty() && connecting_ < kMostConnecting) return 0;
  return waiting_ > 0 ? kSleepWhilePausedMs : kSleepMs;
}

/// Waits for sockets that are ready, and finds out since when they can have been so.
std::size_t LoadLoop::harvest(std::span<epoll_event> events, int timeout_ms) {
  const MonoTime before = parts_.clock.now();
  const int count =
      ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
  const MonoTime last_harvest = std::exchange(round_begin_, parts_.clock.now());
  totals_.add_turn(before - last_harvest);
  harvest_times_.woke(before, round_begin_, count == static_cast<int>(events.size()));
  return static_cast<std::size_t>(std::max(count, 0));
}

void LoadLoop::round(int timeout_ms) {
  std::array<epoll_event, 256> events;
  const std::size_t count = harvest(events, timeout_ms);
  if (round_begin_ - sampled_ >= kSampleClocks) sample_clocks();
  for (const epoll_event& event : std::span(events).first(count)) {
    if (event.data.u64 == kWakeTag || event.data.u64 == kTimerTag) {
      const int descriptor = event.data.u64 == kWakeTag ? wake_ : timer_descriptor_;
      std::uint64_t wakes = 0;
      [[maybe_unused]] const ssize_t read = ::read(descriptor, &wakes, sizeof wakes);
    } else {
      ready(streams_[event.data.u64], event.events);
    }
  }
}

void LoadLoop::obey() {
  const auto sending = parts_.control.sending.load(std::memory_order_acquire);
  const auto before = obeyed_.exchange(sending, std::memory_order_acq_rel);
  const bool begins = before == LoadControl::Sending::not_yet;
  if (before != sending && sending != LoadControl::Sending::stopped) begin_streams(begins);
  if (parts_.control.cancel.load(std::memory_order_acquire) && !std::exchange(cancelled_, true)) {
    cancel_all();
  }
}

/// Streams with nothing to do: at the begin all of them, later those that a connection failed for.
void LoadLoop::begin_streams(bool first_time) {
  const MonoTime now = parts_.clock.now();
  const bool ramp = first_time && parts_.arrivals == nullptr && parts_.ramp_up > Nanoseconds{0};
  const auto streams = static_cast<std::int64_t>(streams_.size());
  // The open loop keeps count of its free streams by itself once it has begun.
  if (!first_time && parts_.arrivals != nullptr) return;
  for (Stream& stream : streams_) {
    if (stream.state != Stream::State::idle) continue;
    if (ramp && stream.index > 0) {
      pause(stream, now + parts_.ramp_up * static_cast<std::int64_t>(stream.index) / streams);
    } else {
      want_request(stream, now);
    }
  }
}

void LoadLoop::cancel_all() {
  for (Stream& stream : streams_) {
    if (!stream.request) continue;
    drop_connection(stream);
    finish(stream, AnswerEnd::cancelled, {}, parts_.clock.now());
    set_state(stream, Stream::State::idle);
  }
  std::erase_if(queued_, [this](std::uint32_t index) {
    return streams_[index].state != Stream::State::queued;
  });
}

void LoadLoop::keep_house() {
  const MonoTime now = round_begin_;
  const Nanoseconds period = milliseconds(waiting_ > 0 ? kSleepWhilePausedMs : kSleepMs);
  if (now - house_kept_ < period) return;
  house_kept_ = now;
  for (Stream& stream : streams_) {
    if (now < stream.due) continue;
    switch (stream.state) {
      case Stream::State::waiting:
        // Who thinks is waited for by the timer, which is more exact. That the end of a pause is
        // looked for now and then only is no lateness of the client's: nobody waits for it.
        if (!stream.conversation) want_request(stream, now);
        break;
      case Stream::State::connecting:
        connection_failed(stream, "timeout: no connection within 10 s");
        break;
      case Stream::State::exchanging: exchange_timed_out(stream); break;
      case Stream::State::idle:
      case Stream::State::queued: break;
    }
  }
}

void LoadLoop::sample_clocks() {
  const MonoTime before = parts_.clock.now();
  const WallTime wall = parts_.clock.wall_now();
  const TimeSpan steady{before, parts_.clock.now()};
  if (const auto step = offset_.sample(steady, wall); step && parts_.losses) {
    parts_.losses(
        Loss{.span = {sampled_, steady.end},
             .what = "clock_step",
             .source = "load",
             .reason = fmt::format("the wall clock stepped by {} s: receive stamps near it "
                                   "are off by as much",
                                   to_seconds(*step).value())});
  }
  sampled_ = steady.end;
}

void LoadLoop::publish() {
  if (round_begin_ - published_ >= kPublish) publish_now();
}

void LoadLoop::publish_now() {
  published_ = round_begin_;
  totals_.cpu = ThreadTimes::cpu();
  totals_.run_queue_wait = thread_->run_queue_wait();
  parts_.totals.publish(totals_);
}

void LoadLoop::wait_for_room() {
  if (parts_.blocks.has_room()) return;
  const MonoTime begin = parts_.clock.now();
  MonoTime now = begin;
  while (!parts_.blocks.has_room()) {
    parts_.clock.sleep_until(now + milliseconds(1), {});
    now = parts_.clock.now();
  }
  totals_.queue_full += now - begin;
}

}  // namespace tokenjoule
